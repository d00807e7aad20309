// The report on a learned site: its templates, as trees with signs.

import { at, count, el } from "./dom.js";

const data = JSON.parse(at("data").textContent);
const many = (number, what) => `${count(number)} ${what}${number === 1 ? "" : "s"}`;

const list = (urls, title) => el("details", {}, el("summary", {}, title),
  el("ul", {}, ...urls.map((url) => el("li", {}, url))));

function line([level, label, kind, name]) {
  const indent = "  ".repeat(level);
  if (kind === "plain") return el("span", { className: label.startsWith('"') ? "text" : "" }, indent, label);
  return el("span", { className: name ? "wild named" : "wild" }, indent, el("b", {}, label),
    ...(name ? [el("i", {}, name)] : []));
}

function pattern(wrapper, number) {
  const wild = wrapper.nodes.filter((node) => node[2] !== "plain").length;
  const places = Object.entries(wrapper.places).map(([name, path]) => `${name} at ${path}`);
  return el("details", { open: !number },
    el("summary", {}, `Its tree by the ${wrapper.labels} of elements`),
    el("p", {}, [many(wrapper.nodes.length, "node"), many(wild, "sign"), ...places].join(" · ")),
    el("pre", { tabIndex: 0 }, ...wrapper.nodes.map(line)));
}

// A template has one tree for each way of labelling elements.
const section = (wrappers, index, all) => el("section", {},
  el("h2", {}, `Template ${index + 1} of ${all.length}`),
  list(wrappers[0].urls, `Learned from ${many(wrappers[0].urls.length, "page")}`), ...wrappers.map(pattern));

const templates = [...Map.groupBy(data.wrappers, (wrapper) => wrapper.template).values()];
const accepted = data.accepted === null ? [] :
  [`${Math.round(100 * data.accepted)} % of the last ${many(data.recent, "page")} matched a pattern`];
document.querySelector("h1").textContent = data.title;
document.querySelector(".facts").textContent = [
  many(data.pages, "page"), many(templates.length, "template"),
  `${many(data.contents, "distinct subtree")}, ${count(data.template)} of them part of the template`,
  ...accepted].join(" · ");
document.querySelector("main").append(...templates.map(section));
if (data.alone.length) {
  document.querySelector("main").append(el("section", {}, el("h2", {}, "Pages without a template"),
    list(data.alone, many(data.alone.length, "page"))));
}
