// The inspector: a page with its boxes, the article beside it, and the explanation of each block.

import { createArticle } from "./article.js";
import { createColours, createLegend, createTabs, createThreshold } from "./controls.js";
import { el, reveal, rowOf } from "./dom.js";
import { pageParts, warningsBadge } from "./facts.js";
import { addOverview } from "./overview.js";
import { createStage } from "./stage.js";
import { createTip, nothingChosen, whyOf } from "./why.js";
import { createZoom } from "./zoom.js";

// Whether the panes are stacked. The query is the same as in view.css.
const narrow = matchMedia("(max-width: 860px), (max-height: 560px)");

function head(state) {
  const [first] = state.answers, methods = state.answers.map((answer) => answer.method).join(" and ");
  return [
    el("div", { className: "head" }, el("h1", { id: "title", textContent: first.title || first.url, dir: "auto" }),
      el("span", { className: "brand" }, "Miolo ", el("span", { id: "by", textContent: `method ${methods}` }))),
    el("p", { className: "where", id: "where", textContent: first.url })];
}

// `extras.tools` are elements for the toolbar. `extras.why(row)` returns the elements shown below
// a block's decision. `extras.key(row, key)` and `extras.click(row)` return true if they have
// handled the event.
export function createInspector(root, state, picture, extras = {}) {
  const { tools = [], why: more = () => [], key = () => false, click = () => false } = extras;
  let lit = -1, pinned = -1;
  const article = createArticle(state), tip = createTip(state);
  const stage = createStage(state, picture, { enter, leave, choose,
    reveal(number) {
      if (narrow.matches) stage.boxOf(number).scrollIntoView({ block: "nearest", inline: "nearest" });
      else reveal(desk, stage.boxOf(number));
    },
    key: correct });
  const legend = createLegend(state, stage);
  const desk = el("section", { className: "desk", id: "desk", tabIndex: -1, ariaLabel: "The page with its boxes" });
  for (const note of [stage.note, stage.cut]) {
    if (note) desk.append(el("p", { className: state.answers[0].stage ? "note" : "blank", textContent: note }));
  }
  const frame = el("div", { className: "frame" }, desk);
  if (state.answers[0].stage) {
    desk.append(stage.element);
    frame.append(createZoom(desk, stage.element, state.answers[0].stage[0]));
  }
  const why = el("div", { className: "panel" }, nothingChosen());
  const page = el("div", { className: "panel" }, ...pageParts(state.answers[0]));
  const reading = el("div", {}, article.element);
  const tabs = createTabs([["article", "Article"], ["why", "Why"], ["page", "Page"]], [reading, why, page]);
  if (state.answers[0].warnings.length) tabs.tabs[2].append(warningsBadge(state.answers[0]));
  const side = el("section", { className: "side", id: "side", tabIndex: -1, ariaLabel: "What was extracted, and why" },
    tabs.element, reading, why, page);

  const mark = (number, name, on) => { stage.mark(number, name, on); article.mark(number, name, on); };

  function light(number) {
    if (number === lit) return;
    mark(lit, "lit", false);
    mark((lit = number), "lit", true);
  }
  function leave() { light(-1); tip.hide(); }
  function enter(number, x, y) {
    if (number === lit && !tip.element.hidden) return;
    light(number);
    tip.show(state.rows[number], x, y, desk);
    if (!narrow.matches && !reading.hidden) reveal(reading, article.textOf(number));
  }
  function drawWhy() {
    if (pinned < 0) return;
    const row = state.rows[pinned];
    why.replaceChildren(...whyOf(state, row, stage.haunt, more(row)));
  }
  function pin(number) {
    stage.select(pinned, false);
    mark(pinned, "pinned", false);
    mark((pinned = number), "pinned", true);
    stage.select(number, true);
    drawWhy();
    why.scrollTop = 0;
    tabs.open("why");
  }
  // A key that corrects a block; the reasons beside it become those of that block.
  function correct(number, pressed) {
    const isKnown = key(state.rows[number], pressed);
    if (isKnown && !why.hidden && number !== pinned) pin(number);
    return isKnown;
  }
  function choose(number) {
    if (number < 0 || click(state.rows[number])) return;
    pin(number);
    if (!narrow.matches) return;
    // When the panes are stacked, the requested pane would be out of view, and the tip over it.
    tip.hide();
    side.scrollIntoView({ block: "start" });
  }
  function pressed(event) {
    const number = rowOf(event);
    if (number < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") choose(number);
    else if (correct(number, event.key)) event.preventDefault();
  }

  article.holder.addEventListener("pointerover", (event) => {
    const number = rowOf(event);
    light(number);
    if (number >= 0 && !narrow.matches) reveal(desk, stage.boxOf(number));
  });
  article.holder.addEventListener("pointerleave", leave);
  article.holder.addEventListener("focusin", (event) => light(rowOf(event)));
  article.holder.addEventListener("click", (event) => choose(rowOf(event)));
  article.holder.addEventListener("keydown", pressed);
  const ended = new AbortController();
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hide(); }, { signal: ended.signal });
  // Keyboard navigation scrolls to a box and keeps its tip open.
  desk.addEventListener("scroll", () => { if (!stage.list.matches(":focus-visible")) tip.hide(); }, { passive: true });

  state.listen(() => {
    tip.hide(); // it says what the block was
    stage.repaint();
    legend.redraw();
    article.redraw();
    for (const [name, number] of [["lit", lit], ["pinned", pinned]]) mark(number, name, true);
    drawWhy();
  });
  const scored = state.rows.some((row) => !row.name && row.score !== null);
  const bar = el("div", { className: "tools" }, createColours(state, stage, legend),
    ...(scored ? [createThreshold(state)] : []), ...tools);
  root.replaceChildren(el("div", { className: "top" }, ...head(state), legend.element, bar),
    el("div", { className: "panes" }, frame, side), tip.element);
  article.redraw();
  if (state.answers[0].stage) addOverview(desk, stage.element, picture, state.answers[0].stage, state);
  return { close: () => ended.abort() };
}
