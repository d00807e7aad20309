// The report on two pages, side by side, with the changes of each part.

import { at, count, el, place } from "./dom.js";

const data = JSON.parse(at("data").textContent);
const desks = [at("desk-0"), at("desk-1")], NAMES = ["Before", "After"];
const SIGNS = Object.fromEntries(data.kinds.map((kind) => [kind.name, kind.sign.replace("-", "−")]));
const total = data.changes.length;
const kindOf = (i) => (i < total ? data.changes[i].kind : "same");
const boxOf = (i, side) => (i < total ? data.changes[i].boxes : data.same[i - total])[side];

// The elements of an item: one on each page, and one in the list.

const shapes = [[], []], rows = [];

function drawStage(side) {
  const page = data.pages[side], stage = at(`stage-${side}`);
  if (!page.stage) return drawTexts(side, page.texts);
  stage.style.aspectRatio = page.stage.join(" / ");
  if (page.picture) place(at(`picture-${side}`), [0, 0, ...page.picture], page.stage);
  // Smaller boxes are stacked above larger ones, so that they can be reached.
  const area = (i) => boxOf(i, side)[2] * boxOf(i, side)[3];
  const items = [...Array(total + data.same.length).keys()].filter((i) => boxOf(i, side) && area(i) > 0);
  items.sort((a, b) => area(b) - area(a)).forEach((i, rank) => drawBox(i, side, rank + 1));
  stage.append(...shapes[side].filter(Boolean));
}

function drawBox(i, side, rank) {
  const kind = kindOf(i), [left, , width, height] = boxOf(i, side), { stage } = data.pages[side];
  const box = el(kind === "same" ? "div" : "button", { className: `box ${kind}` });
  box.classList.toggle("roomy", width > 160 && height > 60);
  box.classList.toggle("wide", left + width > 0.95 * stage[0]);  // nothing is visible beside it
  if (kind !== "same") {
    box.type = "button";
    box.tabIndex = -1;
    box.dataset.sign = SIGNS[kind];
    box.setAttribute("aria-label", `${kind}, ${data.changes[i].path}: ${data.changes[i].texts[side].slice(0, 120)}`);
  }
  box.dataset.item = i;
  box.style.zIndex = rank;
  place(box, boxOf(i, side), stage);
  shapes[side][i] = box;
}

function drawTexts(side, texts) {
  const holder = el("div", { className: "texts", dir: "auto", lang: data.pages[side].language });
  for (const [text, tag, items] of texts) {
    const kind = items.length ? `at ${kindOf(items[0])}` : "";
    const line = el("p", { className: `${kind} ${/^h[1-4]$/.test(tag) ? tag : ""}`, textContent: text, dir: "auto" });
    if (items.length) line.dataset.item = items[0];
    if (items.length && items[0] < total) line.tabIndex = -1;
    for (const i of items) shapes[side][i] = line;
    holder.append(line);
  }
  at(`stage-${side}`).replaceWith(holder);
}

function drawCaption(side) {
  const { title, url, time, stage, picture } = data.pages[side];
  const notes = [time, url, !stage && "text only: no browser laid out the page", stage && !picture && "no screenshot"];
  const facts = notes.filter(Boolean).join(" · ");
  at(`caption-${side}`).append(
    el("h2", { title: title || url }, el("span", { textContent: NAMES[side] }), el("bdi", { textContent: title || url })),
    el("p", { textContent: facts, title: facts }));
}

// The list

const MOST_HEAD = 60; // maximum characters shown of the shared beginning, before the first difference

function formatText(change, side) {
  const text = change.texts[side], was = change.texts.every(Boolean) && side === 0 ? " was" : "";
  const line = el("span", { className: `wording${was}`, dir: "auto" });
  if (!change.apart) return line.append(text), line;
  const [head, tail] = change.apart, start = Math.max(0, head - MOST_HEAD);
  const end = Math.max(head, text.length - tail);
  line.append((start ? "…" : "") + text.slice(start, head),
    el(side ? "u" : "s", { textContent: text.slice(head, end) }), text.slice(end));
  return line;
}

function drawList() {
  data.changes.forEach((change, i) => {
    const sides = change.kind === "moved" ? [1] : [0, 1].filter((side) => change.texts[side]);
    const row = el("button", { type: "button", className: `change ${change.kind}`, tabIndex: i ? -1 : 0 },
      el("span", { className: "sign", textContent: SIGNS[change.kind], ariaHidden: "true" }),
      el("span", { className: "path" }, el("span", { className: "unseen", textContent: change.kind + " " }),
        change.from ? `${change.from} → ${change.path}` : change.path),
      ...sides.map((side) => formatText(change, side)));
    row.dataset.item = i;
    rows.push(row);
    at("list").append(el("li", {}, row));
  });
  const note = (text) => at("scroll").append(el("p", { className: "empty", textContent: text }));
  if (!total) note("Nothing visible to a reader changed.");
  if (data.left) note(`${count(data.left)} further changes not shown.`);
  for (const [code, message] of data.warnings) {
    at("warnings").hidden = false;
    at("warnings").append(el("li", {}, el("code", { textContent: code }), " ", message));
  }
}

function drawHead() {
  const share = Math.floor(1000 * data.similarity) / 10; // rounded down, so that pages that differ never show 100 %
  at("similarity").append(el("b", { textContent: `${share} %` }), " similar",
    el("span", { className: "meter", ariaHidden: "true" }, el("i", {})));
  document.querySelector(".meter i").style.width = share + "%";
  at("distance").append(el("b", { textContent: count(data.distance) }), data.distance === 1 ? " node apart" : " nodes apart");
  for (const { name, about, color, count: number } of data.kinds) {
    document.documentElement.style.setProperty(`--${name}`, color);
    const input = el("input", { type: "checkbox", checked: number > 0, disabled: !number });
    input.addEventListener("change", () => at("main").classList.toggle(`hide-${name}`, !input.checked));
    at("legend").append(el("label", { className: `kind ${name}`, title: about }, input, name, el("b", { textContent: count(number) })));
  }
}

// The hovered or focused item, highlighted on both pages and in the list

let lit = -1, current = -1;

function light(i) {
  if (i === lit) return;
  for (const [item, on] of [[lit, false], [i, true]]) {
    for (const element of [shapes[0][item], shapes[1][item], rows[item]]) {
      if (element) element.classList.toggle("lit", on);
    }
  }
  lit = i;
}

function within(pane, element) {
  // Scrolls only the pane; `scrollIntoView` would also scroll the window.
  if (!element || !element.getClientRects().length) return;
  const outer = pane.getBoundingClientRect(), inner = element.getBoundingClientRect();
  if (inner.top >= outer.top + 8 && inner.bottom <= outer.bottom - 8) return;
  const room = Math.max(24, (outer.height - inner.height) / 3);
  pane.scrollTo({ top: pane.scrollTop + inner.top - outer.top - room, behavior: "instant" });
}

function choose(i) {
  if (rows[current]) rows[current].removeAttribute("aria-current");
  current = i;
  if (!rows[i]) return;
  rows[i].setAttribute("aria-current", "true");
  rows.forEach((row, k) => { row.tabIndex = k === i ? 0 : -1; });
}

const itemOf = (event) => {
  const element = event.target.closest && event.target.closest("[data-item]");
  return element ? Number(element.dataset.item) : -1;
};

function reveal(i, from) {
  leader = -1;
  [0, 1].forEach((side) => { if (side !== from) within(desks[side], shapes[side][i]); });
  // If only one page has the item, the other scrolls to the corresponding position.
  [0, 1].forEach((side) => { if (from === 2 && !shapes[side][i]) follow(1 - side); });
  if (from !== 2) within(at("scroll"), rows[i]);
}

function step(event, elements) {
  const move = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (!move) return;
  const all = elements.filter((element) => element && element.getClientRects().length);
  const next = all[all.indexOf(event.target) + move];
  event.preventDefault();
  if (next) next.focus({ preventScroll: true });
}

function listen(pane, from, elements) {
  pane.addEventListener("pointerover", (event) => light(itemOf(event)));
  pane.addEventListener("pointerleave", () => light(-1));
  pane.addEventListener("focusin", (event) => {
    const i = itemOf(event);
    if (i < 0) return;
    light(i);
    choose(i);
    if (from < 2) within(pane, event.target);
    else within(at("scroll"), event.target);
    reveal(i, from);
  });
  pane.addEventListener("focusout", () => light(-1));
  pane.addEventListener("click", (event) => {
    const i = itemOf(event);
    if (i < 0) return;
    light(i);
    choose(i);
    reveal(i, from);
  });
  pane.addEventListener("keydown", (event) => step(event, elements()));
}

// Both pages scroll together, so that unchanged parts stay side by side.

let leader = -1, knots = null;

function measure() {
  const top = (side, i) => shapes[side][i].getBoundingClientRect().top - desks[side].getBoundingClientRect().top + desks[side].scrollTop;
  knots = [[0, 0]];
  const pairs = data.same.map((_, k) => total + k).filter((i) => shapes[0][i] && shapes[1][i]);
  const places = pairs.map((i) => [top(0, i), top(1, i)]).sort((a, b) => a[0] - b[0]);
  for (const [one, two] of places) {
    const [last, other] = knots[knots.length - 1];
    // A far jump means a parallel column, not the continuation of the page.
    if (one > last + 4 && two > other + 4 && Math.abs(two - other - (one - last)) < 2000) knots.push([one, two]);
  }
  knots.push(desks.map((desk) => Math.max(desk.scrollHeight, knots[knots.length - 1][0] + 1)));
}

function follow(side) {
  if (!knots) measure();
  const from = desks[side], to = desks[1 - side], third = from.clientHeight / 3;
  const y = from.scrollTop + third;
  let k = knots.findIndex((knot) => knot[side] > y);
  if (k < 1) k = knots.length - 1;
  const [low, high] = [knots[k - 1], knots[k]];
  const part = (y - low[side]) / Math.max(1, high[side] - low[side]);
  to.scrollTop = from.scrollTop <= 0 ? 0 : low[1 - side] + part * (high[1 - side] - low[1 - side]) - third;
}

function listenToScroll(side) {
  const lead = () => { leader = side; };
  for (const kind of ["pointerenter", "pointerdown", "wheel", "touchstart", "keydown"]) {
    desks[side].addEventListener(kind, lead, { passive: true });
  }
  desks[side].addEventListener("scroll", () => { if (leader === side) follow(side); }, { passive: true });
}

drawHead();
for (const side of [0, 1]) {
  drawCaption(side);
  drawStage(side);
  // Each page has one tab stop. The arrow keys move on from there.
  const ordered = () => shapes[side].slice(0, total).filter((shape, k, all) => shape && all.indexOf(shape) === k);
  const first = ordered()[0];
  if (first) first.tabIndex = 0;
  listen(desks[side], side, ordered);
  listenToScroll(side);
}
drawList();
listen(at("changes"), 2, () => rows);
new ResizeObserver(() => { knots = null; }).observe(at("main"));
