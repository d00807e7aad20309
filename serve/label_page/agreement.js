// Agreement of two labellers: Cohen's kappa for every role, and the blocks they label differently.

import { count, el, share } from "./dom.js";
import { label } from "./kinds.js";

const kappa = (value) => (value === null ? "–" : value.toFixed(2));
const table = (head, rows) => el("table", {}, el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col", textContent: name })))),
  el("tbody", {}, ...rows));

function pairParts(pair, open) {
  const [one, other] = pair.labellers;
  const roles = Object.entries(pair.of_role).map(([role, value]) => el("tr", {},
    el("td", { textContent: label(role) }), el("td", { className: "number", textContent: kappa(value) })));
  const differing = pair.disagreements.map((each) => {
    const button = el("button", { type: "button", className: "found", textContent: each.text.slice(0, 200) || "(no text)" });
    button.addEventListener("click", () => open(each.page, each.block));
    return el("tr", {}, el("td", {}, button, el("br"), el("small", { textContent: each.url })),
      el("td", { textContent: label(each.roles[0]) }), el("td", { textContent: label(each.roles[1]) }));
  });
  const parts = [
    el("h2", { textContent: `${one} and ${other}` }),
    el("p", { textContent: `${count(pair.pages)} pages labelled by both, ${count(pair.blocks)} blocks, ${share(pair.same)} with the same role; ` +
      `Cohen's kappa over all roles: ${kappa(pair.kappa)}.` }),
    table(["Role", "Kappa"], roles)];
  if (differing.length) parts.push(el("h2", { textContent: `Disagreements between ${one} and ${other}` }), table(["Block", one, other], differing));
  if (pair.more) parts.push(el("p", { textContent: `${count(pair.more)} more are not shown.` }));
  return parts;
}

export function fillAgreement(root, pairs, open, close) {
  const back = el("button", { type: "button", className: "quiet", textContent: "Back to the page" });
  back.addEventListener("click", close);
  const none = el("p", {}, "No page has been finished by two labellers yet. A share of the pages is assigned to every labeller; ",
    el("code", { textContent: "miolo serve --overlap" }), " sets it.");
  root.replaceChildren(back, ...(pairs.length ? pairs.flatMap((pair) => pairParts(pair, open)) : [none]));
}
