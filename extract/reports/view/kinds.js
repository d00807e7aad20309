// Kinds of boxes in the order of the legend; their colours are in view.css.

export const KINDS = {
  body: ["body", "the article's text"],
  title: ["title", "the headline"],
  byline: ["byline", "who wrote it"],
  date: ["date", "when it was published"],
  caption: ["caption", "what pictures show"],
  comment: ["comment", "the comment area"],
  related: ["related", "teasers of other pages"],
  navigation: ["navigation", "menus and lists of links"],
  boilerplate: ["boilerplate", "what many pages say alike"],
  other: ["left out", "everything left out"],
  separator: ["separator", "nodes that the method marked"],
  overlays: ["overlay", "layers over the page"],
};

export const SIDES = {
  both: ["both", "kept by both methods"],
  left: ["only left", "kept by the first method alone"],
  right: ["only right", "kept by the second method alone"],
  neither: ["neither", "left out by both methods"],
};

// What a block can be, for a reader who corrects it.
export const ROLES = ["body", "title", "byline", "date", "caption", "comment", "related",
                      "navigation", "boilerplate"];

export const label = (kind) => (KINDS[kind] || [kind])[0];

// What a side is called, of two methods.
export function sideName(kind, [left, right]) {
  return { left: `only ${left.method}`, right: `only ${right.method}` }[kind] || SIDES[kind][0];
}
