// Helpers shared by all views. Page content is never parsed as markup: it enters the document
// only as text, properties and attributes.

export const at = (id) => document.getElementById(id);

export function el(tag, properties, ...children) {
  const { aria, data, ...plain } = properties || {};
  const element = Object.assign(document.createElement(tag), plain);
  for (const [name, value] of Object.entries(aria || {})) element.setAttribute(`aria-${name}`, value);
  Object.assign(element.dataset, data);
  element.append(...children);
  return element;
}

export const count = (value) => value.toLocaleString("en");
export const share = (value) => (100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0) + " %";
export const figure = (value) => (value === null ? "–" : value.toFixed(2));
export const spot = (box) => `${Math.round(box[0])}, ${Math.round(box[1])}`;
export const extent = (box) => `${Math.round(box[2])} × ${Math.round(box[3])}`;
export const isDrawn = (box) => box[2] > 0 && box[3] > 0;

// Places an element on a stage of this size, in shares of it.
export function place(element, box, size) {
  ["left", "top", "width", "height"].forEach((side, i) => {
    element.style[side] = `${(100 * box[i]) / size[i % 2]}%`;
  });
}

// A link if the address is http or https. "javascript:" and other schemes remain text.
export function webLink(address) {
  if (!/^https?:\/\//i.test(address)) return el("span", { textContent: address });
  return el("a", { href: address, textContent: address, rel: "noopener noreferrer",
                   target: "_blank" });
}

export function terms(rows, className = "") {
  const list = el("dl", { className });
  for (const [name, value, note] of rows) {
    const term = el("dd", {}, value);
    if (note) term.append(el("small", { textContent: note }));
    list.append(el("dt", { textContent: name }), term);
  }
  return list;
}

// Scrolls only the pane; `scrollIntoView` would also scroll the window.
export function reveal(pane, element) {
  if (!element || !element.getClientRects().length) return;
  const outer = pane.getBoundingClientRect(), inner = element.getBoundingClientRect();
  if (inner.left < outer.left + 8) pane.scrollLeft += inner.left - outer.left - 60;
  else if (inner.right > outer.right - 8) {
    pane.scrollLeft += Math.min(inner.right - outer.right + 60, inner.left - outer.left - 60);
  }
  if (inner.top < outer.top + 8) pane.scrollTop += inner.top - outer.top - 60;
  else if (inner.bottom > outer.bottom - 8) {
    pane.scrollTop += Math.min(inner.bottom - outer.bottom + 60, inner.top - outer.top - 60);
  }
}

// The number of the row that contains the event's target, or -1.
export function rowOf(event) {
  const element = event.target.closest && event.target.closest("[data-row]");
  return element ? Number(element.dataset.row) : -1;
}

// Arrow keys move between elements that share one tab stop.
export function rove(event, elements) {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  const place = elements.indexOf(event.target);
  if (!step || place < 0 || !elements.length) return null;
  event.preventDefault();
  return elements[(place + step + elements.length) % elements.length];
}
