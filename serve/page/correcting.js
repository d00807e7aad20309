// Correction of labels by hand, and their export in the format that `miolo train` reads.

import { el } from "./dom.js";
import { KINDS, ROLE_GROUPS, ROLE_KEYS, label } from "./kinds.js";

const KEEP = "paragraph", LEAVE_OUT = "boilerplate";

// `saving` is the element that shows whether the corrections are saved.
export function createCorrecting(state, page, showStatus, saving) {
  const mode = el("button", { type: "button", className: "quiet correcting", textContent: "Click to correct",
    title: "Click a block to keep it or leave it out", aria: { pressed: "false" } });
  const undo = el("button", { type: "button", className: "quiet", textContent: "Undo" });
  const clear = el("button", { type: "button", className: "quiet", textContent: "Clear", title: "Remove all corrections" });
  const save = el("button", { type: "button", className: "quiet", textContent: "Export corrections" });
  const unmatched = el("details", { className: "unmatched" });
  const report = (row) => {
    const number = state.corrections.size, many = number === 1 ? "correction" : "corrections";
    showStatus(row ? `“${row.text.replace(/^["“„«]/, "").slice(0, 60).replace(/["”»]$/, "")}” is now ${label(state.role(row))}. ${number} ${many}.` : `${number} ${many}.`);
  };

  function toggle(row) {
    state.correct(row, state.kept(row) ? LEAVE_OUT : KEEP);
    report(row);
  }
  function takeBack() {
    const row = state.undo();
    report(row);
  }

  function redraw() {
    undo.disabled = !state.undoable;
    clear.disabled = !state.corrections.size && !state.unmatched.length;
    unmatched.hidden = !state.unmatched.length;
    unmatched.replaceChildren(el("summary", { textContent: `${state.unmatched.length} without a block` }),
      el("ul", {}, ...state.unmatched.map(({ role, text }) => el("li", { textContent: `${label(role)}: ${text}` }))));
    const number = state.corrections.size;
    save.textContent = number ? `Export ${number} ${number === 1 ? "correction" : "corrections"}` : "Export labels";
  }

  // The controls for correcting a block, shown below its decision.
  function panel(row) {
    if (row.name) return [];
    const role = state.role(row);
    const option = (kind) => el("option", { value: kind, textContent: label(kind), title: KINDS[kind][1], selected: kind === role });
    const select = el("select", { id: "role" }, ...Object.entries(ROLE_GROUPS).map(([group, roles]) =>
      el("optgroup", { label: group }, ...roles.map(option))));
    select.addEventListener("change", () => {
      state.correct(row, select.value);
      report(row);
      document.getElementById("role").focus();
    });
    const flip = el("button", { type: "button", className: "quiet", textContent: state.kept(row) ? "Leave out" : "Keep" });
    flip.addEventListener("click", () => toggle(row));
    const keys = ROLE_KEYS.map((kind, i) => `${i + 1} ${label(kind)}`).join(", ");
    return [el("div", { className: "correct" },
      el("div", { className: "line" }, el("label", { htmlFor: "role", textContent: "What it is" }), select, flip),
      el("p", { textContent: `Keys on a box or paragraph: K keeps or leaves out, U undoes; ${keys}.` }))];
  }

  function key(row, pressed) {
    if (pressed === "u" || pressed === "U") takeBack();
    else if (row.name) return false;
    else if (pressed === "k" || pressed === "K") toggle(row);
    else if (ROLE_KEYS[Number(pressed) - 1]) {
      state.correct(row, ROLE_KEYS[Number(pressed) - 1]);
      report(row);
    } else return false;
    return true;
  }

  function click(row) {
    if (mode.getAttribute("aria-pressed") !== "true" || row.name) return false;
    toggle(row);
    return true;
  }

  function exported() {
    const { method, url } = state.answers[0];
    // A block that only the second method has gets a label only if it was corrected.
    const hasLabel = (row) => !row.name && (row.sides[0] || state.corrections.has(row.first));
    const labels = state.rows.filter(hasLabel).map((row) => (
      { node: row.first, role: state.role(row), by_hand: state.corrections.has(row.first) }));
    return { format: "miolo-corrections", version: 2, method, url, labels, snapshot: page.snapshot };
  }

  function download() {
    const file = new Blob([JSON.stringify(exported())], { type: "application/json" });
    const { url, content } = state.answers[0];
    const host = URL.canParse(url) ? new URL(url).hostname.replace(/[^\w.-]/g, "") : "";
    const link = el("a", { href: URL.createObjectURL(file), download: `${host || "page"}-${content.slice(0, 8)}.corrections.json` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    showStatus(`${link.download} saved: pass it to miolo train.`);
  }

  mode.addEventListener("click", () => {
    const on = mode.getAttribute("aria-pressed") !== "true";
    mode.setAttribute("aria-pressed", String(on));
    document.body.classList.toggle("correcting-on", on);
  });
  undo.addEventListener("click", takeBack);
  clear.addEventListener("click", () => {
    state.clear();
    report(null);
  });
  save.addEventListener("click", download);
  document.body.classList.remove("correcting-on");
  state.listen(redraw);
  redraw();
  return { tools: [el("span", { className: "control" }, mode, undo, clear, unmatched, save, saving)], why: panel, key, click };
}
