// The state of one inspected page: the answers of one or two methods, a threshold, and corrections.

const BOILERPLATE = "boilerplate";

// Rows are the blocks of all answers in document order, followed by the marked nodes. A block is
// identified by its first text node, which is in no other block.
function rowsOf(answers) {
  const rows = new Map();
  answers.forEach((answer, side) => {
    answer.items.forEach((item, place) => {
      const key = item.name ? `${side}:${place}` : item.first;
      const row = rows.get(key) || { ...item, sides: [] };
      row.sides[side] = item;
      rows.set(key, row);
    });
  });
  const order = (row) => (row.name ? Infinity : row.first);
  const sorted = [...rows.values()].sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0));
  return sorted.map((row, number) => ({ ...row, number }));
}

export function createState(answers) {
  const rows = rowsOf(answers), listeners = [], done = [];
  const texts = answers.map((answer) => new Set(answer.text_roles));
  const state = {
    answers, rows, threshold: null, corrections: new Map(), unmatched: [],
    get pair() { return answers.length > 1; },
    get changed() { return state.threshold !== null || state.corrections.size > 0; },
    get undoable() { return done.length > 0; },
    listen(listener) { listeners.push(listener); },

    // The current role of a row for the method of one side, including any correction.
    role(row, side = 0) {
      const item = row.sides[side];
      if (row.name) return row.kind;
      if (state.corrections.has(row.first)) return state.corrections.get(row.first);
      return item ? item.kind : BOILERPLATE;
    },

    // Whether a row belongs to the text: by its corrected role, by the threshold, or as decided.
    kept(row, side = 0) {
      const item = row.sides[side];
      if (row.name) return false;
      if (state.corrections.has(row.first)) return texts[side].has(state.corrections.get(row.first));
      if (!item) return false;
      if (state.threshold === null || item.kind === "title" || item.score === null) return item.kept;
      return item.score >= state.threshold;
    },

    // The article is the text with its headline.
    inArticle(row, side = 0) { return state.kept(row, side) || state.role(row, side) === "title"; },

    // The methods that keep a row: "both", "left", "right" or "neither", and "title" for a headline
    // that neither keeps.
    side(row) {
      const [left, right] = [0, 1].map((side) => state.kept(row, side));
      if (left || right) return left ? (right ? "both" : "left") : "right";
      return [0, 1].some((side) => state.role(row, side) === "title") ? "title" : "neither";
    },

    setThreshold(value) {
      state.threshold = value;
      notify();
    },

    correct(row, role) {
      if (row.name || state.role(row) === role) return;
      done.push(new Map(state.corrections));
      state.corrections.set(row.first, role);
      notify();
    },

    clear() {
      if (state.corrections.size) done.push(new Map(state.corrections));
      state.corrections.clear();
      state.unmatched = [];
      notify();
    },

    // Undoes the last change. Returns the changed row, or null if several changed or none.
    undo() {
      if (!done.length) return null;
      const now = state.corrections;
      state.corrections = done.pop();
      const changed = rows.filter((row) => !row.name && now.get(row.first) !== state.corrections.get(row.first));
      notify();
      return changed.length === 1 ? changed[0] : null;
    },

    // Restores a saved draft of this page, perhaps of another rendering: blocks are matched by their
    // keys, from the most to the least exact, and corrections without a match are kept aside.
    // Returns the number of corrections restored.
    adopt({ method, corrections, threshold }) {
      const blocks = rows.filter((row) => row.keys).reverse();
      state.unmatched = corrections;
      for (let level = 0; blocks.length && level < blocks[0].keys.length; level++) {
        const free = blocks.filter((row) => row.keys[level] && !state.corrections.has(row.first));
        const places = new Map(free.map((row) => [row.keys[level], row]));
        state.unmatched = state.unmatched.filter(({ role, keys }) => {
          const row = keys[level] && places.get(keys[level]);
          if (!row || state.corrections.has(row.first)) return true;
          state.corrections.set(row.first, role);
          return false;
        });
      }
      if (method === answers[0].method) state.threshold = threshold;
      notify();
      return state.corrections.size;
    },
  };
  const notify = () => listeners.forEach((listener) => listener());
  return state;
}
