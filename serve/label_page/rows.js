// The blocks of a page as a list, and the selected range.

import { el, reveal, rowOf } from "./dom.js";
import { label } from "./kinds.js";
import { LETTER_OF, roleClass } from "./keys.js";

const UNCERTAIN = 0.8;

// Number of frames for which the current block is kept in view.
const FRAMES = 8;

export function createRows(root, changed) {
  let page = null, rows = [], anchor = 0, at = 0, narrower = [];

  const range = () => [Math.min(anchor, at), Math.max(anchor, at)];
  const last = () => rows.length - 1;
  const clamp = (number) => Math.max(0, Math.min(last(), number));
  const isUncertain = (number) => !page.blind && !page.state.by_hand[number] && page.blocks[number].probability < UNCERTAIN;

  function paint(number) {
    const row = rows[number], role = page.state.roles[number];
    const marks = [isUncertain(number) && "uncertain", page.state.by_hand[number] && "hand",
      page.state.applied[number] && "applied", page.state.comments[number] && "commented",
      page.state.reviews && page.state.reviewed[number] !== role && "changed",
      page.blocks[number].hidden && "hidden-text", number === at && "at"];
    row.className = ["row", roleClass(row, role), ...marks.filter(Boolean)].join(" ");
    row.title = page.state.comments[number];
    row.firstChild.replaceChildren(el("kbd", { textContent: LETTER_OF[role] }), label(role));
    const [from, to] = range();
    row.setAttribute("aria-selected", String(number >= from && number <= to));
  }

  function select(newAnchor, newAt) {
    const before = range();
    const old = at;
    anchor = clamp(newAnchor);
    at = clamp(newAt);
    if (!rows.length) return;
    const now = range();
    for (const number of new Set([...span(before), ...span(now), old])) if (rows[number]) paint(number);
    root.setAttribute("aria-activedescendant", rows[at].id);
    keepInView(FRAMES);
    changed();
  }
  // Rows that were never in view have estimated heights, and move the block once they are drawn.
  function keepInView(frames) {
    reveal(root, rows[at]);
    if (frames) requestAnimationFrame(() => keepInView(frames - 1));
  }
  const span = ([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const go = (number, extend) => { narrower = []; select(extend ? anchor : number, number); };

  // The last block in the run of equal roles that contains a block.
  function runEnd(number) {
    while (number < last() && page.state.roles[number + 1] === page.state.roles[number]) number++;
    return number;
  }
  function jumpRun(extend) {
    const end = runEnd(at);
    if (!extend) go(clamp(end + 1), false);
    else go(end === at ? runEnd(clamp(at + 1)) : end, true);
  }
  function jumpUncertain(step) {
    for (let number = at + step; number >= 0 && number <= last(); number += step) {
      if (isUncertain(number)) return go(number, false);
    }
  }

  // The range of blocks in the innermost element that contains the selected blocks and others.
  function wider() {
    const [from, to] = range();
    return page.blocks[at].around.find(([first, end]) => first <= from && end >= to && end - first > to - from);
  }
  function widen() {
    const around = rows.length && wider();
    if (!around) return;
    narrower.push([anchor, at]);
    // The whole element is selected, and its last block becomes the current one.
    select(around[0], around[1]);
  }

  function show(next) {
    page = next;
    narrower = [];
    rows = page.blocks.map((block, number) => el("div", { className: "row", id: `block-${number}`, role: "option", data: { row: number } },
      el("span", { className: "chip" }), el("span", { className: "text", textContent: block.text, dir: "auto" })));
    root.replaceChildren(...rows);
    anchor = at = 0;
    rows.forEach((_, number) => paint(number));
    root.scrollTop = 0;
    const first = opening(page);
    select(first, first);
  }

  // The first uncertain block, or else the first of the article.
  function opening({ blocks, state }) {
    const uncertain = blocks.findIndex((_, number) => isUncertain(number));
    return Math.max(0, uncertain >= 0 ? uncertain : state.roles.findIndex((role) => role !== "boilerplate" && role !== "related"));
  }

  return {
    show, range, widen, wider, paint,
    get at() { return at; },
    go, jumpRun, jumpUncertain,
    move(step, extend) { go(clamp(at + step), extend); },
    end(extend) { go(last(), extend); },
    narrow() { if (narrower.length) select(...narrower.pop()); },
    repaint() { rows.forEach((_, number) => paint(number)); },
    uncertain: () => (page ? page.blocks.filter((_, number) => isUncertain(number)).length : 0),
    // A click selects a block, with Shift a range, with Alt the whole element.
    click(event) {
      const number = rowOf(event);
      if (number < 0) return;
      go(number, event.shiftKey);
      if (event.altKey) widen();
    },
  };
}
