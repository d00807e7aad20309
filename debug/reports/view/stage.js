// The page's picture with its boxes.

import { count, drawn, el, rove, rowOf } from "./dom.js";
import { FAINT, SIDES, label, sideName } from "./kinds.js";

const LOW = [0, 114, 178], MIDDLE = [247, 247, 247], HIGH = [213, 94, 0];
const MOST_HEAT = 4096; // canvases have a largest size

export function heatColor(score) {
  const [from, to, part] = score < 0.5 ? [LOW, MIDDLE, 2 * score] : [MIDDLE, HIGH, 2 * score - 1];
  return `rgb(${from.map((value, i) => Math.round(value + (to[i] - value) * part)).join(",")})`;
}

export function createStage(state, picture) {
  const first = state.answers[0], size = first.stage;
  const stage = el("div", { className: "stage", id: "stage", role: "group",
    aria: { label: "Boxes of the page; arrow keys go from one to the next" } });
  const ghost = el("div", { className: "ghost", id: "ghost", hidden: true });
  const heat = el("canvas", { id: "heat", hidden: true });
  const boxes = [], hidden = new Set();
  let colours = "role", stop = null;

  function place(element, box) {
    const sizes = [size[0], size[1], size[0], size[1]];
    ["left", "top", "width", "height"].forEach((side, i) => {
      element.style[side] = `${(100 * box[i]) / sizes[i]}%`;
    });
  }

  const kindOf = (row) => (colours === "difference" && !row.name ? state.side(row) : state.role(row));
  const buttonOf = (element) => (element.matches("button") ? element : element.firstChild);
  const boxOf = (number) => boxes[number] || null;

  function draw(row, rank) {
    const button = el("button", { type: "button", tabIndex: -1, aria: { pressed: "false" },
      data: { row: row.number } });
    let element = button;
    if (row.name) {
      button.textContent = row.name;
      element = el("div", { className: "mark at" }, button);
    }
    element.style.zIndex = row.name ? rank + state.rows.length : rank;
    place(element, row.box);
    boxes[row.number] = element;
  }

  function paint(row) {
    const element = boxes[row.number];
    if (!element) return;
    const kind = kindOf(row), own = row.name ? "mark" : "box";
    const bySide = Boolean(SIDES[kind]), filled = row.name || (bySide ? kind !== "neither" : state.inArticle(row));
    const look = filled ? "" : FAINT.has(kind) ? "faint" : "out";
    const marked = ["lit", "pinned"].filter((name) => element.classList.contains(name));
    element.className = [own, "at", `k-${kind}`, look, ...marked].filter(Boolean).join(" ");
    if (state.corrections.has(row.first) && !row.name) element.classList.add("corrected");
    element.hidden = hidden.has(kind);
    const scored = colours === "score" && !row.name;
    if (scored) element.style.setProperty("--c", heatColor(row.score === null ? 0.5 : row.score));
    else element.style.removeProperty("--c");
    const said = (row.text || row.name).slice(0, 120);
    const name = scored && row.score !== null ? `score ${row.score.toFixed(2)}`
      : bySide ? sideName(kind, state.answers) : state.kept(row) ? `${label(kind)}, kept` : label(kind);
    buttonOf(element).setAttribute("aria-label", `${name}, ${row.tag}: ${said}`);
  }

  function repaint() {
    state.rows.forEach(paint);
    stage.classList.toggle("by-score", colours === "score");
    settleStop();
  }

  const reachable = () => [...stage.querySelectorAll("button")].filter((one) => one.getClientRects().length);

  // One box alone is a stop of the tab key: pages have thousands.
  function settleStop() {
    if (stop && !(stop.hidden || stop.parentElement.hidden)) return;
    const next = boxes.filter((box) => box && !box.hidden).map(buttonOf)[0] || null;
    moveStop(next);
  }
  function moveStop(next) {
    if (stop) stop.tabIndex = -1;
    stop = next;
    if (stop) stop.tabIndex = 0;
  }

  function drawHeat(column) {
    heat.hidden = !column || !first.heat;
    if (heat.hidden) return;
    const scale = Math.min(1, MOST_HEAT / Math.max(...size));
    [heat.width, heat.height] = size.map((side) => Math.ceil(side * scale));
    const context = heat.getContext("2d");
    // In document order: what lies deeper is painted over what it lies in.
    for (const row of first.heat) {
      context.fillStyle = heatColor(row[column]);
      context.fillRect(...row.slice(0, 4).map((value) => value * scale));
    }
    // What a picture shows has no score.
    for (const box of first.photographs) context.clearRect(...box.map((value) => value * scale));
  }

  if (size) {
    stage.style.aspectRatio = size.join(" / ");
    if (picture) {
      picture.id = "picture";
      picture.alt = "";
      place(picture, [0, 0, ...first.picture]);
      stage.append(picture);
    }
    stage.append(heat, ghost);
    // The smaller lies above, so that it can be reached; tab and arrows go as the page reads.
    const order = state.rows.filter((row) => drawn(row.box));
    const area = (row) => row.box[2] * row.box[3];
    [...order].sort((a, b) => area(b) - area(a)).forEach((row, rank) => draw(row, rank + 1));
    stage.append(...order.map((row) => boxes[row.number]));
    repaint();
  }

  stage.addEventListener("keydown", (event) => {
    const next = rove(event, reachable());
    if (next) next.focus({ preventScroll: true });
  });
  stage.addEventListener("focusin", (event) => { if (rowOf(event) >= 0) moveStop(event.target); });

  return {
    element: stage, boxOf, repaint,
    focusOn(number) { if (boxes[number]) buttonOf(boxes[number]).focus({ preventScroll: true }); },
    mark(number, name, on) { if (boxes[number]) boxes[number].classList.toggle(name, on); },
    press(number, on) {
      if (boxes[number]) buttonOf(boxes[number]).setAttribute("aria-pressed", String(on));
    },
    show(kind, on) {
      if (on) hidden.delete(kind); else hidden.add(kind);
      repaint();
    },
    colourBy(mode) {
      const column = { "heat-scored": 4, "heat-smoothed": 5 }[mode] || 0;
      colours = column ? "role" : mode;
      drawHeat(column);
      repaint();
    },
    haunt(box) {
      ghost.hidden = !box || !size || !drawn(box);
      if (!ghost.hidden) place(ghost, box);
    },
    note: size ? (picture ? "" : "There is no screenshot of this page: boxes only.")
      : "This page was read as static HTML: no browser laid it out, so there are no boxes to draw. " +
        "Its texts and their reasons are beside.",
    cut: first.blocks > first.items.filter((item) => !item.name).length
      ? `The page has ${count(first.blocks)} blocks; those that were kept and the first others are shown.` : "",
  };
}
