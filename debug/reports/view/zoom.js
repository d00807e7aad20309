// Zoom of the picture by buttons, keys, the mouse wheel with Ctrl held, and two fingers.
// One finger pans, as in any scrolling element.

import { el, share } from "./dom.js";

const LEAST = 0.25, MOST = 8, STEP = 1.25;

// Returns the zoom buttons. `desk` is the scrolling pane that contains `stage`. `width` is the
// width of the page in CSS px.
export function createZoom(desk, stage, width) {
  let level = 1, pinch = null;
  const fit = el("button", { type: "button", className: "quiet", title: "Fit to width" });
  const button = (name, sign, change) => {
    const control = el("button", { type: "button", className: "quiet", ariaLabel: name, title: name, textContent: sign });
    control.addEventListener("click", () => zoomTo(level * change));
    return control;
  };
  const out = button("Zoom out", "−", 1 / STEP), into = button("Zoom in", "+", STEP);

  function redraw() {
    stage.style.width = `${100 * level}%`;
    stage.style.maxWidth = `${width * level}px`;
    const scale = stage.getBoundingClientRect().width / width;
    fit.textContent = share(scale);
    fit.setAttribute("aria-label", `Fit to width, current zoom ${share(scale)}`);
    [out.disabled, into.disabled] = [level <= LEAST, level >= MOST];
  }

  function middle() {
    const { left, top } = desk.getBoundingClientRect();
    return [left + desk.clientWidth / 2, top + desk.clientHeight / 2];
  }

  // The point of the stage at a position in the window, as fractions of the stage's width and height.
  function partAt([x, y]) {
    const { left, top, width: wide, height } = stage.getBoundingClientRect();
    return [(x - left) / wide, (y - top) / height];
  }

  // Zooms and scrolls so that the point `part` of the stage is at `place` in the window.
  function zoomTo(wanted, place = middle(), part = partAt(place)) {
    level = Math.min(MOST, Math.max(LEAST, wanted));
    redraw();
    const { left, top, width: wide, height } = stage.getBoundingClientRect();
    desk.scrollLeft += left + part[0] * wide - place[0];
    desk.scrollTop += top + part[1] * height - place[1];
  }

  fit.addEventListener("click", () => zoomTo(1));
  desk.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomTo(level * Math.exp(-event.deltaY / 200), [event.clientX, event.clientY]);
  }, { passive: false });

  const fingers = ({ touches: [one, other] }) => ({
    apart: Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1,
    place: [(one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2],
  });
  desk.addEventListener("touchstart", (event) => {
    if (event.touches.length !== 2) return;
    event.preventDefault();
    const { apart, place } = fingers(event);
    pinch = { apart, part: partAt(place), level };
  }, { passive: false });
  desk.addEventListener("touchmove", (event) => {
    if (!pinch || event.touches.length !== 2) return;
    event.preventDefault();
    const { apart, place } = fingers(event);
    zoomTo(pinch.level * (apart / pinch.apart), place, pinch.part);
  }, { passive: false });
  for (const kind of ["touchend", "touchcancel"]) desk.addEventListener(kind, () => { pinch = null; });
  desk.addEventListener("keydown", (event) => {
    const change = { "+": STEP, "=": STEP, "-": 1 / STEP, "0": 1 / level }[event.key];
    if (!change || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    zoomTo(level * change);
  });
  new ResizeObserver(redraw).observe(desk);
  redraw();
  return el("div", { className: "zoom", role: "group", ariaLabel: "Zoom" }, out, fit, into);
}
