// The list of all pages, with search and filters; every page can be opened from it.

import { at, count, el, share } from "./dom.js";
import { PAGE_KINDS } from "./keys.js";

const STATES = ["open", "begun", "done", "done by another", "reviewed", "changed", "commented"], SOON = 250; // milliseconds

export function createList(fetchPages, open) {
  const root = at("listed"), fields = { words: at("words"), state: at("state"), kind: at("of-kind") };
  const option = (name) => el("option", { value: name, textContent: name });
  fields.state.append(...STATES.map(option));
  fields.kind.append(...PAGE_KINDS.map(option));
  let turn = 0, timer = 0;

  // What a review changed, and the number of notes and comments.
  const review = (changed, comments) => [changed === null ? "" : changed ? `changed ${count(changed)}` : "accepted",
    comments ? `${count(comments)} ${comments === 1 ? "comment" : "comments"}` : ""].filter(Boolean).join(", ");

  function row({ page, url, state, kind, confidence, changed, comments }) {
    const button = el("button", { type: "button", className: "found", textContent: url });
    button.addEventListener("click", () => open(page));
    return el("tr", {}, el("td", {}, button), el("td", { textContent: state }), el("td", { textContent: kind || "–" }),
      el("td", { textContent: review(changed, comments) || "–" }),
      el("td", { className: "number", textContent: confidence === null ? "–" : share(confidence) }));
  }

  async function fill() {
    const mine = ++turn;
    const given = Object.entries(fields).map(([name, field]) => [name, field.value.trim()]).filter(([, value]) => value);
    const { pages, count: all } = await fetchPages(Object.fromEntries(given));
    if (mine !== turn) return;
    const head = ["Page", "State", "Kind", "Review", "Confidence"].map((name) => el("th", { scope: "col", textContent: name }));
    root.replaceChildren(el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...pages.map(row)));
    at("matching").textContent = `${count(all)} ${all === 1 ? "page" : "pages"}${pages.length < all ? `, of which the ${count(pages.length)} least certain are listed: search for others` : ""}`;
  }

  fields.words.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => fill().catch(() => {}), SOON); });
  for (const name of ["state", "kind"]) fields[name].addEventListener("change", () => fill().catch(() => {}));
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  return { fill, focus: () => fields.words.focus() };
}
