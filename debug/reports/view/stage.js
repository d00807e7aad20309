// The page's picture with its boxes. The boxes form one listbox with a single tab stop, because
// pages have thousands of them.

import { count, el, isDrawn, place } from "./dom.js";
import { FAINT, SIDES, label, sideName } from "./kinds.js";

const LOW = [0, 114, 178], MIDDLE = [247, 247, 247], HIGH = [213, 94, 0];
const MOST_HEAT = 4096; // px; browsers limit the size of a canvas
const TEXT_PX = 13; // of the texts in boxes without a screenshot
const REACH = 12; // px around a box that count as part of it, so that no target is smaller than 24 px

export function heatColor(score) {
  const [from, to, part] = score < 0.5 ? [LOW, MIDDLE, 2 * score] : [MIDDLE, HIGH, 2 * score - 1];
  return `rgb(${from.map((value, i) => Math.round(value + (to[i] - value) * part)).join(",")})`;
}

// `on` holds the callbacks. `enter` is called with a row's number and a position in the window.
// `leave` is called without arguments, `reveal` and `choose` with a row's number. `key` is called
// with a row's number and the pressed key, and returns true if it has handled the key.
export function createStage(state, picture, on) {
  const first = state.answers[0], size = first.stage;
  const list = el("div", { className: "boxes", id: "boxes", role: "listbox", tabIndex: 0,
    aria: { label: "Boxes of the page: use the arrow keys to move between them, Enter to explain one" } });
  const stage = el("div", { className: "stage", id: "stage" });
  const ghost = el("div", { className: "ghost", id: "ghost", hidden: true });
  const heat = el("canvas", { id: "heat", hidden: true });
  const boxes = [], hidden = new Set();
  let colours = "role", active = -1;

  const kindOf = (row) => (colours === "difference" && !row.name ? state.side(row) : state.role(row));
  const boxOf = (number) => boxes[number] || null;

  function draw(row, rank) {
    const box = el("div", { id: `box-${row.number}`, role: "option", aria: { selected: "false" },
      data: { row: row.number } });
    if (!picture && !row.name) {
      box.append(el("span", { className: "text-of", textContent: row.text, aria: { hidden: "true" } }));
      box.style.fontSize = `${(100 * TEXT_PX) / size[0]}cqw`;
    }
    if (row.name) box.append(el("span", { className: "mark-name", textContent: row.name }));
    box.style.zIndex = row.name ? rank + state.rows.length : rank;
    place(box, row.box, size);
    boxes[row.number] = box;
  }

  function paint(row) {
    const box = boxes[row.number];
    if (!box) return;
    const kind = kindOf(row), own = row.name ? "mark" : "box";
    const bySide = Boolean(SIDES[kind]), filled = row.name || (bySide ? kind !== "neither" : kind === "title" || state.kept(row));
    const look = filled ? "" : FAINT.has(kind) ? "faint" : "out";
    const marked = ["lit", "pinned", "active"].filter((name) => box.classList.contains(name));
    box.className = [own, "at", `k-${kind}`, look, row.clear && "clear", ...marked].filter(Boolean).join(" ");
    if (state.corrections.has(row.first) && !row.name) box.classList.add("corrected");
    box.hidden = hidden.has(kind);
    const scored = colours === "score" && !row.name;
    if (scored) box.style.setProperty("--c", heatColor(row.score === null ? 0.5 : row.score));
    else box.style.removeProperty("--c");
    const name = scored && row.score !== null ? `score ${row.score.toFixed(2)}`
      : bySide ? sideName(kind, state.answers) : state.kept(row) ? `${label(kind)}, kept` : label(kind);
    box.setAttribute("aria-label", `${name}, ${row.tag}: ${(row.text || row.name).slice(0, 120)}`);
  }

  function repaint() {
    state.rows.forEach(paint);
    stage.classList.toggle("by-score", colours === "score");
    if (active >= 0 && boxes[active].hidden) activate(-1);
  }

  const isShown = (row) => Boolean(boxes[row.number]) && !boxes[row.number].hidden;

  // The active box is the one that key presses act on while the list has the focus.
  function activate(number) {
    if (active >= 0) {
      boxes[active].classList.remove("active");
      boxes[active].removeAttribute("aria-describedby");
    }
    active = number;
    if (active < 0) return list.removeAttribute("aria-activedescendant");
    boxes[active].classList.add("active");
    boxes[active].setAttribute("aria-describedby", "tip");
    return list.setAttribute("aria-activedescendant", boxes[active].id);
  }

  function enterActive() {
    if (active < 0) activate((state.rows.find(isShown) || { number: -1 }).number);
    if (active < 0) return;
    on.reveal(active);
    const { left, bottom } = boxes[active].getBoundingClientRect();
    on.enter(active, left, bottom - 10);
  }

  function move(event) {
    const shown = state.rows.filter(isShown), last = shown.length - 1;
    const place = shown.findIndex((row) => row.number === active);
    const next = { ArrowDown: place + 1, ArrowRight: place + 1, ArrowUp: place - 1, ArrowLeft: place - 1,
      Home: 0, End: last }[event.key];
    if (next === undefined || last < 0) return false;
    activate(shown[next < 0 ? last : next > last ? 0 : next].number);
    enterActive();
    return true;
  }

  // The number of the row under the pointer, or else of the nearest row within REACH, or -1.
  function rowAt(event) {
    const under = event.target.closest("[data-row]");
    if (under) return Number(under.dataset.row);
    const { left, top, width } = stage.getBoundingClientRect(), scale = width / size[0];
    const x = event.clientX - left, y = event.clientY - top;
    let nearest = -1, least = REACH;
    for (const row of state.rows) {
      if (row.name || !isShown(row)) continue;
      const [near, above, wide, high] = row.box.map((value) => value * scale);
      const away = Math.hypot(Math.max(near - x, 0, x - near - wide), Math.max(above - y, 0, y - above - high));
      if (away <= least) [nearest, least] = [row.number, away];
    }
    return nearest;
  }

  function drawHeat(column) {
    heat.hidden = !column || !first.heat;
    if (heat.hidden) return;
    const scale = Math.min(1, MOST_HEAT / Math.max(...size));
    [heat.width, heat.height] = size.map((side) => Math.ceil(side * scale));
    const context = heat.getContext("2d");
    // In document order, so that descendants are painted over their ancestors.
    for (const row of first.heat) {
      context.fillStyle = heatColor(row[column]);
      context.fillRect(...row.slice(0, 4).map((value) => value * scale));
    }
    // The content of a picture has no score.
    for (const box of first.photographs) context.clearRect(...box.map((value) => value * scale));
  }

  if (size) {
    stage.style.aspectRatio = size.join(" / ");
    if (picture) {
      picture.id = "picture";
      picture.alt = "";
      place(picture, [0, 0, ...first.picture], size);
      stage.append(picture);
    }
    stage.append(heat, ghost, list);
    // Smaller boxes are stacked above larger ones, so that they can be reached. The arrow keys
    // follow document order.
    const order = state.rows.filter((row) => isDrawn(row.box));
    const area = (row) => row.box[2] * row.box[3];
    [...order].sort((a, b) => area(b) - area(a)).forEach((row, rank) => draw(row, rank + 1));
    list.append(...order.map((row) => boxes[row.number]));
    list.hidden = !order.length;
    repaint();
  }

  list.addEventListener("pointermove", (event) => {
    // A moving finger pans the page.
    if (event.pointerType === "touch") return;
    const number = rowAt(event);
    list.classList.toggle("reached", number >= 0);
    if (number < 0) on.leave();
    else on.enter(number, event.clientX, event.clientY);
  });
  list.addEventListener("pointerleave", on.leave);
  list.addEventListener("click", (event) => {
    const number = rowAt(event);
    if (number < 0) return;
    activate(number);
    on.choose(number);
  });
  list.addEventListener("focus", () => { if (list.matches(":focus-visible")) enterActive(); });
  list.addEventListener("blur", on.leave);
  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const chosen = active >= 0 && ["Enter", " "].includes(event.key);
    if (chosen) on.choose(active);
    if (chosen || move(event) || (active >= 0 && on.key(active, event.key))) event.preventDefault();
  });

  return {
    element: stage, list, boxOf, repaint,
    mark(number, name, set) { if (boxes[number]) boxes[number].classList.toggle(name, set); },
    select(number, set) { if (boxes[number]) boxes[number].setAttribute("aria-selected", String(set)); },
    show(kind, set) {
      if (set) hidden.delete(kind); else hidden.add(kind);
      repaint();
    },
    colourBy(mode) {
      const column = { "heat-scored": 4, "heat-smoothed": 5 }[mode] || 0;
      colours = column ? "role" : mode;
      drawHeat(column);
      repaint();
    },
    haunt(box) {
      ghost.hidden = !box || !size || !isDrawn(box);
      if (!ghost.hidden) place(ghost, box, size);
    },
    note: size ? (picture ? "" : "There is no screenshot of this page, so the boxes show their texts.")
      : "This page was read as static HTML: no browser laid it out, so there are no boxes to draw. " +
        "The texts and the reasons are listed in the other panel.",
    cut: first.blocks > first.items.filter((item) => !item.name).length
      ? `The page has ${count(first.blocks)} blocks; only those that were kept and the first of the others are shown.` : "",
  };
}
