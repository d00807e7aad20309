// Data about the whole page: warnings, facts, and fields with their sources.

import { el, terms, webLink } from "./dom.js";

const cell = (name, value) => (name === "Address" || name.endsWith("url") || name === "image" ? webLink(value) : value);

export function pageParts(answer) {
  const parts = [];
  if (answer.warnings.length) {
    const list = el("ul", { className: "warnings" });
    for (const [code, message] of answer.warnings) {
      list.append(el("li", {}, el("code", { textContent: code }), " ", message));
    }
    parts.push(el("h2", { textContent: "Warnings" }), list);
  }
  parts.push(el("h2", { textContent: "Page" }),
    terms(answer.facts.map(([name, value]) => [name, cell(name, value)])));
  if (answer.fields.length) {
    parts.push(el("h2", { textContent: "Fields and their sources" }),
      terms(answer.fields.map(([name, value, source]) => [name.replace("_", " "), cell(name, value), source])));
  }
  return parts;
}

export const warningsBadge = ({ warnings }) => el("span", { className: "badge",
  textContent: warnings.length, ariaLabel: `${warnings.length} ${warnings.length === 1 ? "warning" : "warnings"}` });
