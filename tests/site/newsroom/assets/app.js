// Builds the whole page from JSON, as a single-page application does.
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function html(tag, markup) {
  const element = document.createElement(tag);
  element.innerHTML = markup;
  return element;
}

const link = (target, ...children) =>
  h("a", { href: target.url }, ...(children.length ? children : [target.title]));
const items = (targets) => targets.map((target) => h("li", {}, link(target)));

function longDate(iso) {
  const options = { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" };
  return new Date(iso).toLocaleDateString("en-GB", options);
}

function masthead({ paper, sections }) {
  const strip = h(
    "div", { class: "strip" },
    h("span", {}, "Tuesday 14 May 2024"),
    h("span", {}, "Saltmere: 14°, light westerly"),
    h("a", { href: "/ledger/account" }, "Sign in"),
  );
  const home = { url: paper.home, title: "Home" };
  return h(
    "header", { class: "masthead" }, strip,
    h("a", { class: "nameplate", href: paper.home }, paper.name),
    h("p", { class: "motto" }, paper.motto),
    h("nav", {}, h("ul", {}, ...items([home, ...sections]))),
  );
}

function block({ kind, lines }) {
  if (kind === "list" || kind === "ordered") {
    const list = h(kind === "list" ? "ul" : "ol", {});
    list.append(...lines.map((line) => html("li", line)));
    return list;
  }
  if (kind === "quote") return h("blockquote", {}, html("p", lines[0]));
  return html(kind === "heading" ? "h2" : "p", lines[0]);
}

function article({ story, share }) {
  const head = h(
    "header", { class: "article-head" },
    h("p", { class: "kicker" }, story.section),
    h("h1", {}, story.title),
    h("p", { class: "standfirst" }, story.standfirst),
    h("p", { class: "byline" }, `By ${story.authors.join(" and ")} · `,
      h("time", { datetime: story.date }, longDate(story.date))),
    h("ul", { class: "share" },
      ...share.map((label) => h("li", {}, h("a", { href: "#share" }, label)))),
  );
  const picture = h(
    "figure", {},
    h("img", { src: story.picture, width: 960, height: 540, alt: "" }),
    h("figcaption", {}, story.caption),
  );
  const body = h("div", { class: "article-body" }, picture, ...story.blocks.map(block));
  return h("article", {}, head, body);
}

function comment({ author, date, text }) {
  return h(
    "li", { class: "comment" },
    h("div", { class: "comment-meta" }, h("b", {}, author), " ", h("time", {}, date)),
    h("p", {}, text),
    h("footer", {}, h("a", { href: "#reply" }, "Reply"), h("a", { href: "#report" }, "Report")),
  );
}

function comments(list) {
  return h(
    "section", { class: "comments", id: "comments" },
    h("h2", {}, `Comments (${list.length})`), h("ol", {}, ...list.map(comment)),
  );
}

function rail({ related, mostRead }) {
  const card = (target) => h("li", {}, link(
    target,
    h("img", { src: target.thumb, width: 96, height: 64, alt: "" }),
    h("span", {}, target.title),
  ));
  const form = h("form", { action: "/ledger/newsletter" },
    h("input", { type: "email", placeholder: "Your email" }), h("button", {}, "Sign up"));
  return h(
    "aside", { class: "rail" },
    h("section", { class: "related" },
      h("h2", {}, "Related stories"), h("ul", {}, ...related.map(card))),
    h("section", { class: "most-read" },
      h("h2", {}, "Most read"), h("ol", {}, ...items(mostRead))),
    h("section", { class: "newsletter" }, h("h2", {}, "The Morning Tide"),
      h("p", {}, "The day's news from the estuary in your inbox at six."), form),
  );
}

function colophon({ footer }) {
  const targets = footer.map((title) => ({ url: "/ledger/" + title.split(" ")[0], title }));
  return h(
    "footer", { class: "colophon" }, h("ul", {}, ...items(targets)),
    h("p", {}, "© 2024 The Estuary Ledger Press. Printed on the Old Quay, Saltmere."),
  );
}

async function start() {
  const data = await (await fetch("/api/story")).json();
  document.title = `${data.story.title} | ${data.paper.name}`;
  const main = h("main", {}, article(data), comments(data.comments));
  const page = h("div", { class: "page" }, main, rail(data));
  document.getElementById("app").append(masthead(data), page, colophon(data));
}

start();
