// A narrow overview of a tall page beside its picture, with a lens over the visible part.
// It is for pointer input only; the keyboard scrolls the picture itself.

import { el, isDrawn } from "./dom.js";

// The overview appears when the picture is more than TALL times as high as the pane, and remains
// while it is more than STILL_TALL times as high, because the picture shrinks beside it.
const TALL = 2.5, STILL_TALL = 1.7;
const WIDTH = 84; // px, as in view.css
const GAP = 16;
const KEPT = "#009e73", MARK = 10; // px of the canvas

// `desk` is the scrolling pane that contains `stage`. `size` is the size of the page. Blocks in
// the article are marked.
export function addOverview(desk, stage, picture, size, state) {
  const paper = el("canvas", {}), lens = el("div", { className: "lens" });
  const overview = el("div", { className: "overview", id: "overview", hidden: true, aria: { hidden: "true" } },
    el("div", {}, paper, lens));
  desk.prepend(overview);
  const board = paper.parentElement;

  function place() {
    const high = stage.offsetHeight, seen = desk.clientHeight;
    overview.hidden = !(seen > 0 && high > (overview.hidden ? TALL : STILL_TALL) * seen);
    desk.classList.toggle("with-overview", !overview.hidden);
    if (overview.hidden) return;
    const scale = Math.min(WIDTH / size[0], (seen - GAP) / size[1]);
    board.style.width = `${Math.max(24, size[0] * scale)}px`;
    board.style.height = `${size[1] * scale}px`;
    moveLens();
  }

  function moveLens() {
    const pane = desk.getBoundingClientRect(), whole = stage.getBoundingClientRect();
    const part = (from, to, start, size) => [from - start, to - from].map((value) => `${(100 * value) / size}%`);
    const [top, height] = part(Math.max(pane.top, whole.top), Math.min(pane.bottom, whole.bottom), whole.top, whole.height);
    const [left, width] = part(Math.max(pane.left, whole.left), Math.min(pane.right, whole.right), whole.left, whole.width);
    Object.assign(lens.style, { top, height, left, width });
  }

  function draw() {
    const scale = (2 * WIDTH) / size[0]; // twice the resolution, for high-density screens
    [paper.width, paper.height] = [size[0] * scale, Math.min(8192, size[1] * scale)];
    const context = paper.getContext("2d"), squeeze = paper.height / size[1];
    context.fillStyle = "#fff";
    context.fillRect(0, 0, paper.width, paper.height);
    if (picture) context.drawImage(picture, 0, 0, picture.naturalWidth * scale, picture.naturalHeight * squeeze);
    context.fillStyle = KEPT;
    for (const { box } of state.rows.filter((row) => !row.name && isDrawn(row.box) && state.inArticle(row))) {
      context.fillRect(0, box[1] * squeeze, MARK, Math.max(2, box[3] * squeeze));
    }
  }

  // Scrolls the pane to centre the pressed point.
  function show(event) {
    const pane = desk.getBoundingClientRect(), whole = stage.getBoundingClientRect();
    const { left, top, width, height } = board.getBoundingClientRect();
    const x = whole.left + ((event.clientX - left) / width) * whole.width;
    const y = whole.top + ((event.clientY - top) / height) * whole.height;
    desk.scrollBy({ left: x - pane.left - pane.width / 2, top: y - pane.top - pane.height / 2, behavior: "instant" });
  }

  board.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    board.setPointerCapture(event.pointerId);
    show(event);
  });
  board.addEventListener("pointermove", (event) => { if (board.hasPointerCapture(event.pointerId)) show(event); });
  desk.addEventListener("scroll", moveLens, { passive: true });
  const observer = new ResizeObserver(place);
  observer.observe(desk);
  observer.observe(stage);
  if (picture && !picture.complete) picture.addEventListener("load", draw, { once: true });
  else draw();
  state.listen(draw);
}
