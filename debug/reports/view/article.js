// The article beside its page, shown block by block or in one of the output formats.

import { count, el, rowOf } from "./dom.js";
import { sideName } from "./kinds.js";
import { FORMS, written } from "./writers.js";

const SHAPES = { h1: "h1", h2: "h2", h3: "h3", h4: "h3", h5: "h3", h6: "h3", li: "li", pre: "pre",
                 blockquote: "quote" };

export function createArticle(state) {
  const [left, right] = state.answers.map((answer) => answer.method);
  const texts = [], holder = el("div", { className: "article", id: "texts", dir: "auto" });
  const source = el("pre", { className: "source", id: "source", tabIndex: 0, dir: "auto", hidden: true });
  const note = el("p", { className: "note", id: "form-note", hidden: true });
  const copy = el("button", { type: "button", className: "quiet", textContent: "Copy", hidden: true });
  const choice = el("fieldset", { className: "forms" }, el("legend", { className: "unseen", textContent: "Format" }));
  const opened = new Set(["comment"]);
  let form = "read", stop = null;

  function paragraph(row, role) {
    const shape = role === "title" ? "h1" : SHAPES[row.shape];
    const text = el("p", { className: `${shape || "plain"} k-${role} text`, dir: "auto", tabIndex: -1,
      textContent: row.text, data: { row: row.number } });
    if (shape && shape[0] === "h") {
      text.setAttribute("role", "heading");
      text.setAttribute("aria-level", shape[1]);
    }
    if (state.corrections.has(row.first)) text.classList.add("corrected");
    texts[row.number] = text;
    return text;
  }

  // Pages skip levels of headings, but assistive technology expects each level below the one above.
  function limitLevels(texts) {
    let above = 1;
    for (const text of texts.filter(({ ariaLevel }) => ariaLevel)) {
      text.ariaLevel = above = Math.min(text.ariaLevel, above + 1);
    }
  }

  // With two methods, blocks kept by both and headlines span the columns. A block kept by only one is
  // in its column.
  function compared(row) {
    const side = state.side(row), role = side === "title" ? side : state.role(row, side === "right" ? 1 : 0);
    const text = paragraph(row, role);
    if (side === "left" || side === "right") {
      text.prepend(el("span", { className: "only", lang: "en", textContent: `${sideName(side, state.answers)} ` }));
    }
    text.classList.add(`of-${side}`);
    return text;
  }

  function heads() {
    const cells = [["left", left], ["right", right]].map(([side, method]) => {
      const kept = state.rows.filter((row) => !row.name && state.side(row) === side).length;
      return el("p", { className: `column-head k-${side}`, lang: "en" },
        el("span", { className: "swatch" }), el("b", { textContent: method }), ` ${count(kept)} kept only by this method`);
    });
    const both = state.rows.filter((row) => !row.name && state.side(row) === "both").length;
    return [...cells, el("p", { className: "column-both k-both", lang: "en" },
      el("span", { className: "swatch" }), `${count(both)} kept by both`)];
  }

  function drawTexts() {
    const focused = holder.contains(document.activeElement) ? rowOf({ target: document.activeElement }) : -1;
    texts.length = 0;
    const parts = { body: [], comment: [], other: [] };
    for (const row of state.rows) {
      if (row.name) continue;
      const role = state.role(row), side = state.pair ? state.side(row) : "";
      if (side && side !== "neither") parts.body.push(compared(row));
      else if (state.inArticle(row)) parts.body.push(paragraph(row, role));
      else parts[role === "comment" ? "comment" : "other"].push(paragraph(row, role));
    }
    Object.values(parts).forEach(limitLevels);
    holder.classList.toggle("pair", state.pair);
    holder.replaceChildren(...(state.pair ? heads() : []));
    if (!parts.body.length) {
      holder.append(el("p", { className: "empty", lang: "en", textContent: "Nothing on this page was kept." }));
    }
    holder.append(...parts.body);
    for (const [part, name] of [["comment", "Comments"], ["other", "Left out"]]) {
      if (parts[part].length) holder.append(folded(part, name, parts[part]));
    }
    moveStop(texts[focused] || texts.find(Boolean) || null);
    if (focused >= 0 && texts[focused]) texts[focused].focus({ preventScroll: true });
  }

  function folded(part, name, children) {
    const summary = el("summary", { lang: "en", textContent: `${name} (${count(children.length)})` });
    const details = el("details", { open: opened.has(part), data: { part } }, summary, ...children);
    details.addEventListener("toggle", () => opened[details.open ? "add" : "delete"](part));
    return details;
  }

  function moveStop(next) {
    if (stop) stop.tabIndex = -1;
    stop = next;
    if (stop) stop.tabIndex = 0;
  }

  function drawSource() {
    const output = state.answers[0].outputs;
    const own = state.changed || output[form] === undefined;
    source.textContent = own ? written(state, form) : output[form];
    const cut = !own && state.answers[0].cut_outputs.includes(form);
    note.textContent = own ? "Written from the blocks that are currently kept."
      : cut ? "Only the beginning is shown: the output is too long." : state.pair ? `Output of ${left}.` : "";
    note.hidden = !note.textContent;
  }

  function redraw() {
    const reading = form === "read";
    holder.hidden = !reading;
    source.hidden = reading;
    copy.hidden = reading || !navigator.clipboard;
    note.hidden = true;
    if (reading) drawTexts(); else drawSource();
  }

  for (const [name, text] of [["read", "Article"], ...Object.entries(FORMS)]) {
    const input = el("input", { type: "radio", name: "form", value: name, checked: name === form });
    input.addEventListener("change", () => { form = name; redraw(); });
    choice.append(el("label", {}, input, text));
  }
  copy.addEventListener("click", async () => {
    // A sandboxed report is not allowed to write to the clipboard.
    const done = await navigator.clipboard.writeText(source.textContent).then(() => true, () => false);
    copy.textContent = done ? "Copied" : "Not allowed here";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  });
  holder.addEventListener("focusin", (event) => { if (texts.includes(event.target)) moveStop(event.target); });
  holder.addEventListener("keydown", (event) => {
    const seen = texts.filter((text) => text && text.getClientRects().length);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], place = seen.indexOf(event.target);
    if (!step || place < 0 || !seen[place + step]) return;
    event.preventDefault();
    seen[place + step].focus();
  });
  const language = state.answers[0].language;
  if (language) holder.lang = language;

  return {
    element: el("div", {}, el("div", { className: "bar" }, choice, copy), note, holder, source),
    holder, redraw, textOf: (number) => texts[number] || null,
    mark(number, name, on) { if (texts[number]) texts[number].classList.toggle(name, on); },
  };
}
