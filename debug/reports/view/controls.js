// Controls for the boxes to show, their colours and the minimum score of a kept block, and the tabs.

import { count, el, rove } from "./dom.js";
import { KINDS, SIDES, sideName } from "./kinds.js";

export function createLegend(state, stage) {
  const holder = el("fieldset", { className: "legend" }, el("legend", { className: "unseen", textContent: "Boxes to show" }));
  let bySide = false;
  const off = new Set();

  function redraw() {
    const { title, separator, overlays } = KINDS, known = bySide ? { title, ...SIDES, separator, overlays } : KINDS;
    const totals = {};
    for (const row of state.rows) {
      const kind = bySide && !row.name ? state.side(row) : state.role(row);
      totals[kind] = (totals[kind] || 0) + 1;
    }
    const focused = holder.contains(document.activeElement) ? document.activeElement.dataset.kind : "";
    holder.replaceChildren(holder.firstChild);
    for (const [kind, [name, about]] of Object.entries(known)) {
      if (!totals[kind]) continue;
      const input = el("input", { type: "checkbox", checked: !off.has(kind), data: { kind } });
      input.addEventListener("change", () => {
        if (input.checked) off.delete(kind); else off.add(kind);
        stage.show(kind, input.checked);
      });
      holder.append(el("label", { className: `kind k-${kind}`, title: about }, input, SIDES[kind] ? sideName(kind, state.answers) : name, " ", el("b", { textContent: count(totals[kind]) })));
      if (kind === focused) input.focus();
    }
  }
  return { element: holder, redraw, bySide(on) { bySide = on; redraw(); } };
}

export function createColours(state, stage, legend) {
  const modes = [["role", "role"], ["score", "score"]];
  if (state.pair) modes.splice(1, 0, ["difference", "difference"]);
  if (state.answers[0].heat) modes.push(["heat-scored", "templateness, as scored"], ["heat-smoothed", "templateness, smoothed"]);
  const select = el("select", { id: "colours" }, ...modes.map(([value, textContent]) => el("option", { value, textContent })));
  const low = el("span", {}), high = el("span", {});
  const scale = el("span", { className: "scale", hidden: true }, low, el("i", {}), high);
  function choose() {
    const template = select.value.startsWith("heat");
    [low.textContent, high.textContent] = template ? ["content", "template"] : ["0", "1"];
    scale.hidden = !template && select.value !== "score";
    stage.colourBy(select.value);
    legend.bySide(select.value === "difference");
  }
  select.addEventListener("change", choose);
  if (state.pair) select.value = "difference";
  choose();
  return el("span", { className: "control" }, el("label", { htmlFor: "colours", textContent: "Colour by" }), select, scale);
}

export function createThreshold(state) {
  const start = state.answers[0].threshold;
  const slider = el("input", { type: "range", id: "threshold", min: 0, max: 1, step: 0.01, value: state.threshold === null ? start : state.threshold });
  const shown = el("span", { className: "value" });
  const back = el("button", { type: "button", className: "quiet", textContent: "Reset" });
  function redraw() {
    const own = state.threshold === null;
    shown.textContent = own ? "as decided" : `≥ ${state.threshold.toFixed(2)}`;
    slider.setAttribute("aria-valuetext", own ? "as the method decided" : `score of at least ${state.threshold.toFixed(2)}`);
    back.disabled = own;
  }
  slider.addEventListener("input", () => { state.setThreshold(Number(slider.value)); redraw(); });
  back.addEventListener("click", () => {
    slider.value = start;
    state.setThreshold(null);
    redraw();
    slider.focus();
  });
  redraw();
  return el("span", { className: "control" }, el("label", { htmlFor: "threshold", textContent: "Minimum score" }), slider, shown, back);
}

export function createTabs(names, panels) {
  const list = el("div", { role: "tablist", ariaLabel: "Views" });
  const tabs = names.map(([name, text]) => el("button", { type: "button", role: "tab", id: `tab-${name}`,
    textContent: text, aria: { controls: name } }));
  function open(name) {
    tabs.forEach((tab, i) => {
      const chosen = names[i][0] === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      panels[i].hidden = !chosen;
    });
  }
  tabs.forEach((tab, i) => tab.addEventListener("click", () => open(names[i][0])));
  list.addEventListener("keydown", (event) => {
    const next = rove(event, tabs);
    if (!next) return;
    next.click();
    next.focus();
  });
  list.append(...tabs);
  panels.forEach((panel, i) => {
    panel.id = names[i][0];
    panel.tabIndex = 0;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${names[i][0]}`);
  });
  open(names[0][0]);
  return { element: list, tabs, open };
}
