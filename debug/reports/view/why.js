// The explanation of a block: its role, its figures, the evidence behind its score, its ancestors.

import { count, el, extent, figure, isDrawn, share, spot, terms } from "./dom.js";
import { label } from "./kinds.js";

// A page may be thousands of levels deep.
const MOST_ANCESTORS = 60;

const identity = (state, item) => (state.answers[0].nodes[item.node] || {}).identity || "";

// Names of the kinds of evidence, and formats of their values. Lengths and ratios are logarithms.
const EVIDENCE = {
  length: ["length of the text", (words) => `${count(Math.round(Math.expm1(words)))} words`],
  characters: ["letters and punctuation"],
  links: ["links in the text", (linked) => `${share(linked)} linked`],
  phrases: ["phrases"],
  words: ["words"],
  element: ["element", (level) => (level < 7 ? `heading ${level}` : "no heading")],
  names: ["names of surrounding elements"],
  tree: ["place in the tree"],
  "similar blocks": ["similar blocks", (prose) => `${share(prose)} of the page's prose`],
  look: ["appearance", (larger) => `${Math.exp(larger).toFixed(2)} × the usual size`],
  place: ["place on the page", (at) => `after ${share(at)} of the page`],
  neighbours: ["blocks before and after", (prose) => `${share(prose)} of the page's prose`],
  declarations: ["page metadata", (like) => `${share(like)} like the title`],
  copies: ["repetition of the text", (earlier) => `${earlier > 0 ? share(earlier) : "none"} seen before`],
  pictures: ["nearby pictures", (far) => (far < 1 ? "directly below one" : far < 20 ? `${count(far)} blocks below one` : "none above")],
  site: ["other pages of the site"],
  alike: ["similar blocks nearby"],
  overlay: ["layer over the page"],
  story: ["another story below"],
  choice: ["call to action or choice of buttons"],
  listing: ["code listing between blocks of the text"],
  section: ["section under the heading"],
};

function inWords(kind, value) {
  const [name, written = String] = EVIDENCE[kind] || [kind];
  return [name, value === null ? "" : written(value)];
}

// Contributions with a smaller absolute value are combined in one row.
const LEAST_SHOWN = 0.05;

const withSign = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2);
const chance = (logOdds) => {
  const percent = 100 / (1 + Math.exp(-logOdds));
  return (percent < 1 ? "under 1 %" : percent > 99 ? "over 99 %" : `${percent.toFixed(0)} %`) + " text";
};

export function decision(state, row, side = 0) {
  const role = state.role(row, side), parts = [el("b", { textContent: row.name || label(role) })];
  // The headline is extracted but is not part of the text.
  const place = state.kept(row, side) ? "kept" : role === "title" ? "the headline" : "left out";
  const verdict = place + (state.corrections.has(row.first) ? ", by hand" : "");
  if (!row.name) parts.push(el("span", { className: "verdict", textContent: verdict }));
  return el("p", { className: "decision" }, el("span", { className: `swatch k-${role}` }), ...parts,
    el("span", { className: "tag", textContent: row.tag + identity(state, row) }));
}

export const figures = (row) => terms([
  ...(isDrawn(row.box) ? [["Position", spot(row.box)], ["Size", extent(row.box)]] : [["Position", "not on the picture"]]),
  ["Characters", count(row.chars)], ["Words", count(row.words)],
  ["Links", count(row.links)], ["Linked", share(row.density)],
  ["Score", figure(row.score)], ["Node", String(row.node)],
], "figures");

// A bar from the middle to the right, or to the left if the log-odds are negative.
function bar(logOdds, most) {
  const fill = el("span", { className: logOdds < 0 ? "push against" : "push" });
  fill.style.width = `${(50 * Math.abs(logOdds)) / most}%`;
  return el("span", { className: "track", aria: { hidden: "true" } }, fill);
}

// The table of a block's log-odds of being text: the log-odds before any evidence, the
// contribution of each kind of evidence, and the log-odds of the score. Figures are rounded, and
// the row of small contributions absorbs the rounding error, so that the rows add up.
function account({ base, moved, log_odds: total }) {
  const shown = moved.filter(([, , by]) => Math.abs(by) >= LEAST_SHOWN);
  const hundredths = (value) => Math.round(100 * value.toFixed(2));
  const rest = hundredths(total) - [base, ...shown.map(([, , by]) => by)].map(hundredths).reduce((a, b) => a + b);
  const rows = [["before any evidence", chance(base), base],
    ...shown.map(([kind, value, by]) => [...inWords(kind, value), by])];
  if (rest) rows.push(["other evidence", "", rest / 100]);
  const most = Math.max(...rows.map((row) => Math.abs(row[2])), Math.abs(total), 0.1);
  const line = ([name, written, by]) => el("tr", {}, el("th", { scope: "row", textContent: name }),
    el("td", { textContent: written }), el("td", { className: "by" }, bar(by, most)),
    el("td", { className: "sum", textContent: withSign(by) }));
  const heads = ["Evidence", "Value", "", "Log-odds"].map((name) => el(name ? "th" : "td", { textContent: name }));
  for (const head of heads) if (head.matches("th")) head.scope = "col";
  return el("table", { className: "moved" },
    el("caption", { textContent: "Evidence that makes the block more likely (right) or less likely (left) to be text. " +
      "The figures add up; each 0.7 doubles or halves the odds." }),
    el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows.map(line)),
    el("tfoot", {}, line(["total", chance(total), total])));
}

function reasons(state, row) {
  const parts = [];
  row.sides.forEach((item, side) => {
    if (!item) return;
    if (state.pair) parts.push(el("h2", { textContent: state.answers[side].method }), decision(state, row, side));
    parts.push(el("p", { className: "reason", textContent: item.reason }));
    if (item.base !== null) parts.push(account(item));
  });
  return parts;
}

function chain(state, node, haunt) {
  const { nodes, reasons: sentences } = state.answers[0], list = el("ol", { className: "chain" });
  for (let level = 0; nodes[node] && level < MOST_ANCESTORS; level++) {
    const row = nodes[node];
    const button = el("button", { type: "button" },
      el("span", { className: "tag", textContent: row.tag + row.identity }),
      el("small", { textContent: `${count(row.chars)} characters, ${count(row.words)} words, ` +
        `${count(row.links)} links, ${share(row.density)} linked, score ${figure(row.score)}, node ${node}` }),
      el("small", { textContent: row.reason >= 0 ? sentences[row.reason] : "" }));
    for (const kind of ["pointerenter", "focus"]) button.addEventListener(kind, () => haunt(row.box));
    for (const kind of ["pointerleave", "blur"]) button.addEventListener(kind, () => haunt(null));
    list.append(el("li", {}, button));
    node = row.parent;
  }
  if (node >= 0) list.append(el("li", { className: "empty", textContent: "more ancestors not shown" }));
  return list;
}

export const nothingChosen = () => el("p", { className: "empty", textContent:
  "Select a box or a paragraph to see its figures, the rule that decided, and its ancestors." });

// `more` are elements that the caller adds below the decision, such as a menu of roles.
export function whyOf(state, row, haunt, more) {
  const text = row.text ? [el("p", { className: "quote-of", textContent: row.text, dir: "auto", tabIndex: 0 })] : [];
  return [decision(state, row), ...text, ...more, ...reasons(state, row),
    el("h2", { textContent: "Figures" }), figures(row),
    el("h2", { textContent: "This element and its ancestors" }), chain(state, row.node, haunt)];
}

// The tooltip at the pointer, a short form of the explanation. It covers nothing beside the picture.
export function createTip(state) {
  const tip = el("div", { className: "tip", id: "tip", role: "tooltip", hidden: true });
  return {
    element: tip,
    hide() { tip.hidden = true; },
    show(row, x, y, desk) {
      const lines = row.sides.map((item, side) => item && el("p", { className: "reason" },
        ...(state.pair ? [el("b", { textContent: `${state.answers[side].method}: ` })] : []), item.reason));
      tip.replaceChildren(decision(state, row), figures(row), ...lines.filter(Boolean));
      tip.hidden = false;
      const { width, height } = tip.getBoundingClientRect();
      const edge = desk.getBoundingClientRect(), end = Math.min(edge.right, innerWidth);
      const right = x + 18 + width < end ? x + 18 : x - 18 - width;
      const below = y + 18 + height < innerHeight ? y + 18 : y - 18 - height;
      tip.style.left = Math.max(8, Math.min(right, end - width - 8)) + "px";
      tip.style.top = Math.max(8, Math.min(Math.max(below, edge.top + 8), innerHeight - height - 8)) + "px";
    },
  };
}
