// Writes the article from its blocks when the reader has changed which of them are kept.

// Consecutive blocks of these shapes have no empty line between them.
const TIGHT = new Set(["li", "td", "th", "dt", "dd", "tr"]);
const LEVELS = { h1: 1, h2: 2, h3: 3, h4: 4, h5: 5, h6: 6 };

const isTitle = (state, row) => !row.name && state.role(row) === "title";
const titleOf = (state) => state.rows.filter((row) => isTitle(state, row)).map((row) => row.text).join(" ");
const textOf = (state) => state.rows.filter((row) => state.kept(row) && !isTitle(state, row));

function joinRows(rows, write) {
  let text = "", before = "";
  for (const row of rows) {
    if (text) text += TIGHT.has(before) && TIGHT.has(row.shape) ? "\n" : "\n\n";
    text += write(row);
    before = row.shape;
  }
  return text;
}

function inMarkdown({ shape, text }) {
  if (shape === "pre") {
    // The fence must be longer than any run of backticks in the text.
    const fence = "`".repeat(Math.max(3, 1 + Math.max(0, ...(text.match(/`+/g) || []).map((run) => run.length))));
    return `${fence}\n${text}\n${fence}`;
  }
  const safe = text.replace(/[\\`*_[\]<>#]/g, "\\$&");
  if (LEVELS[shape]) return `${"#".repeat(LEVELS[shape])} ${safe}`;
  if (shape === "li") return `- ${safe}`;
  return shape === "blockquote" ? `> ${safe}` : safe;
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeText = (text) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]);

function inHTML({ shape, text }) {
  const name = LEVELS[shape] || ["pre", "li", "blockquote"].includes(shape) ? shape : "p";
  return `<${name}>${escapeText(text)}</${name}>`;
}

function asHTML(title, body) {
  const parts = title ? [`<h1>${escapeText(title)}</h1>`] : [];
  let inList = false;
  for (const row of body) {
    if ((row.shape === "li") !== inList) parts.push((inList = !inList) ? "<ul>" : "</ul>");
    parts.push(inHTML(row));
  }
  if (inList) parts.push("</ul>");
  return `<article>\n${parts.join("\n")}\n</article>`;
}

export const FORMS = { text: "Text", markdown: "Markdown", html: "HTML", json: "JSON" };

export function written(state, form) {
  const title = titleOf(state), body = textOf(state);
  const text = joinRows(body, (row) => row.text);
  if (form === "text") return [title, text].filter(Boolean).join("\n\n");
  if (form === "markdown") {
    const head = title && `# ${title.replace(/[\\`*_[\]<>]/g, "\\$&")}`;
    return [head, joinRows(body, inMarkdown)].filter(Boolean).join("\n\n");
  }
  if (form === "html") return asHTML(title, body);
  const blocks = state.rows.filter((row) => !row.name).map((row) => ({
    text: row.text, tag: row.tag, node: row.node, score: row.score, role: state.role(row),
    kept: state.kept(row) }));
  const { url, method } = state.answers[0];
  return JSON.stringify({ title, text, url, method, blocks }, null, 1);
}
