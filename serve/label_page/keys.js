// Key bindings of the labelling page.

import { el } from "./dom.js";
import { KINDS, label } from "./kinds.js";

// The letters used in files of role labels.
export const LETTERS = {
  ".": "boilerplate", t: "title", k: "kicker", s: "standfirst", y: "byline", d: "dateline", b: "paragraph",
  h: "subheading", l: "list-item", q: "quotation", p: "pull-quote", x: "table", g: "code", e: "embed", c: "caption",
  r: "credit", n: "note", a: "author-bio", i: "side-box", o: "related", f: "call-to-action", m: "comment",
};
export const LETTER_OF = Object.fromEntries(Object.entries(LETTERS).map(([letter, role]) => [role, letter.toUpperCase()]));

// Custom roles of the collection by their keys, which are pressed with Shift.
export const CUSTOM = {};

export function useCustomRoles(roles) {
  for (const { name, base, key, description, colour } of roles) {
    CUSTOM[key] = { name, base, colour };
    KINDS[name] = [name, description || `a kind of ${label(base)}`];
    LETTER_OF[name] = `⇧${key.toUpperCase()}`;
  }
}

// The role that a key press assigns.
export const roleOf = (letter, shift) => (shift && letter !== "." ? (CUSTOM[letter] || {}).name : LETTERS[letter]);

// Paints a block in the colour of its role.
export function roleClass(element, role) {
  const { base, colour } = Object.values(CUSTOM).find(({ name }) => name === role) || { base: role };
  element.style.setProperty("--c", colour || "");
  return `k-${base}`;
}

// The digit keys, starting at 0, assign these kinds of page.
export const PAGE_KINDS = ["broken", "article", "listing", "forum", "product", "collection", "documentation", "service"];

const MOVES = [
  ["↑ ↓", "move; Shift extends the range"],
  ["J", "go to the next block with another role; Shift extends the range"],
  ["Space", "go to the next uncertain block; Shift+Space goes back"],
  ["Home End, Page ↑ ↓", "move further; Shift extends the range"],
  ["Alt+↑ Alt+↓", "select the whole element, and back"],
  ["Alt+letter", "assign the role to the whole element"],
  ["Enter", "finish the page and open the next"],
  ["Backspace", "go back to the previous page"],
  ["Z", "give blocks the roles that you corrected on other pages of this template"],
  ["U", "undo, also on finished pages"],
  ["0", "the page is broken: an error page, a login wall or similar"],
  ["1 – 7", PAGE_KINDS.slice(1).map((kind, i) => `${i + 1} ${kind}`).join(", ")],
  ["W, Shift+W", "write a note about the page, or a comment on the block; Enter saves it"],
  ["/", "list all pages, to search and open them"],
  ["V", "show the agreement of labellers"],
  ["Escape", "go back from the list or the agreement to the page"],
];

const HINTS = [["letter", "role"], ["Shift+↓", "range"], ["Alt+letter", "whole element"], ["J", "next role"],
  ["Space", "next uncertain"], ["0–7", "kind of page"], ["W", "note"], ["U", "undo"], ["Enter", "done"], ["/", "all pages"], ["?", "all keys"]];

const list = (rows) => el("dl", {}, ...rows.flatMap(([keys, about]) =>
  [el("dt", {}, el("kbd", { textContent: keys })), el("dd", { textContent: about })]));

export function fillHints(root) {
  root.replaceChildren(...HINTS.map(([keys, about]) => el("span", {}, el("kbd", { textContent: keys }), ` ${about}`)));
}

export function fillHelp(dialog) {
  const names = [...Object.values(LETTERS), ...Object.values(CUSTOM).map(({ name }) => name)];
  const roles = names.map((role) => [LETTER_OF[role], `${label(role)}: ${KINDS[role][1]}`]);
  const close = el("button", { type: "button", className: "quiet", textContent: "Close" });
  close.addEventListener("click", () => dialog.close());
  dialog.onclick = ({ target }) => { if (target === dialog) dialog.close(); };
  // The heading gets the focus: the button would scroll the dialog to its end.
  const heading = el("h2", { id: "help-title", textContent: "Keys", tabIndex: -1, autofocus: true });
  dialog.replaceChildren(heading,
    el("div", { className: "columns" }, list(roles), list(MOVES)), close);
}

// The letter of a key press. With Alt held, some keyboards produce other characters, so the
// physical key is used.
export function letterOf(event) {
  if (/^[a-z.]$/i.test(event.key)) return event.key.toLowerCase();
  if (!event.altKey) return "";
  return event.code === "Period" ? "." : (/^Key([A-Z])$/.exec(event.code) || ["", ""])[1].toLowerCase();
}
