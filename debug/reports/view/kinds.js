// Kinds of boxes in the order of the legend. Their colours are in view.css.

const TEXT = {
  paragraph: "running text",
  subheading: "a heading within the text",
  "list-item": "an item of a list",
  quotation: "a longer quotation set off from the text",
  table: "a cell or row of a table",
  code: "program text",
  embed: "text of an embedded post or document",
};

const HEAD = {
  title: "the headline",
  kicker: "a short line above the headline",
  standfirst: "the introduction below the headline",
  byline: "who wrote it",
  dateline: "when or where it was written",
};

const BESIDE = {
  caption: "a description of a picture",
  credit: "the photographer or source of a picture",
  note: "a correction, a source, a footnote",
  "pull-quote": "a sentence of the text, repeated in large type",
  "author-bio": "about the author",
  "side-box": "a box of facts beside the text",
};

const SURROUNDINGS = {
  comment: "the comment area",
  related: "teasers of other pages",
  "call-to-action": "a request to subscribe, share or donate",
  boilerplate: "menus, footers and other content that many pages share",
};

const MARKS = {
  separator: ["separator", "nodes that the method marked"],
  overlays: ["overlay", "layers over the page"],
};

// Block roles in groups. A reader who corrects a block chooses one of them.
export const ROLE_GROUPS = {
  Text: Object.keys(TEXT),
  "Head of the article": Object.keys(HEAD),
  "Beside the text": Object.keys(BESIDE),
  Surroundings: Object.keys(SURROUNDINGS),
};

// Roles assigned by the keys 1 to 9, in this order.
export const ROLE_KEYS = ["paragraph", "subheading", "list-item", "title", "standfirst", "byline",
                          "dateline", "caption", "comment"];

const entriesOf = (group) => Object.entries(group).map(([role, about]) => [role, [role, about]]);

export const KINDS = {
  ...Object.fromEntries([HEAD, TEXT, BESIDE, SURROUNDINGS].flatMap(entriesOf)),
  ...MARKS,
};

export const SIDES = {
  both: ["both", "kept by both methods"],
  left: ["only left", "kept by the first method alone"],
  right: ["only right", "kept by the second method alone"],
  neither: ["neither", "left out by both methods"],
};

// Kinds whose boxes are drawn faintly when they are left out.
export const FAINT = new Set(["related", "call-to-action", "boilerplate", "neither"]);

export const label = (kind) => (KINDS[kind] || [kind])[0];

// The name of a side in a comparison of two methods.
export function sideName(kind, [left, right]) {
  return { left: `only ${left.method}`, right: `only ${right.method}` }[kind] || SIDES[kind][0];
}
