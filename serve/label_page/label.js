// The labelling queue: it shows a page, keys assign roles, and Enter opens the next page.

import { fillAgreement } from "./agreement.js";
import { createDesk } from "./desk.js";
import { at, el } from "./dom.js";
import { CUSTOM, LETTER_OF, PAGE_KINDS, fillHelp, fillHints, letterOf, roleOf, useCustomRoles } from "./keys.js";
import { ROLE_GROUPS, label } from "./kinds.js";
import { createMap } from "./map.js";
import { createList } from "./pages.js";
import { createRows } from "./rows.js";

const MOST_SKIPS = 40, PAGE_STEP = 12;

const map = createMap(at("desk"));
const rows = createRows(at("rows"), () => {
  map.choose(rows.range(), rows.at);
  at("role").value = page.state.roles[rows.at];
  at("comment").value = page.state.comments[rows.at] || "";
});
const list = createList((filters) => desk.listed(filters), (number) => inTurn(open)(number));
let desk = null, page = null, ahead = null, blind = false, review = false, opening = false;

function fail(error) {
  at("failure").hidden = !error;
  at("failure").textContent = error ? error.message : "";
}

// Says at the end which pages are left, since others have begun them and can still finish them.
function showHeld({ done, pages }) {
  const held = pages - done;
  at("title").textContent = held ? "All pages but those reserved are finished" : "All pages are finished";
  at("held").hidden = !held;
  at("held").textContent = `${held === 1 ? "1 page is" : `${held} pages are`} reserved for another name. Reload this page in half an hour: what is not finished by then is yours.`;
}

// Shows the state of saving (the number of unsaved actions) and the labeller's progress.
function showSaving({ waiting, late, refused, progress }) {
  if (refused) fail(refused);
  if (progress) {
    const rate = progress.seconds === null ? "" : ` · ${Math.round(progress.seconds)} s each`;
    at("progress").replaceChildren(el("b", { textContent: `${progress.done} of ${progress.pages}` }), ` pages done${rate}`);
  }
  if (waiting === undefined) return;
  at("saving").textContent = late ? `${waiting} not saved yet: ${late.message}` : waiting ? "Saving…" : "Saved";
  at("saving").classList.toggle("late", Boolean(late));
}

function view(name) {
  for (const each of ["start", "work", "pages", "agreement", "finished"]) at(each).hidden = each !== name;
  at("buttons").hidden = name === "start";
  at("hints").hidden = name !== "work"; // its keys work there
  at("done").disabled = name !== "work";
}

function paintFacts() {
  const { kind, suggested_kind: suggested, note } = page.state;
  at("kind").replaceChildren(
    el("option", { value: "", textContent: suggested ? `as suggested: ${suggested}` : "not chosen" }),
    ...PAGE_KINDS.map((name, digit) => el("option", { value: name, textContent: `${digit} ${name}` })));
  at("kind").value = kind;
  at("note").value = note;
  const { offered } = page, taken = page.state.applied.filter(Boolean).length;
  at("uncertain").classList.toggle("blind", page.blind && !page.state.reviews);
  at("uncertain").textContent = page.blind && !page.state.reviews ? "Without suggestions, to score the model: give every text its role" : `${page.state.reviews ? `labelled by ${page.state.reviews}` : `${rows.uncertain()} uncertain`}${taken ? ` · ${taken} applied` : ""}`;
  at("apply").hidden = !offered;
  at("apply").textContent = `Apply ${offered} ${offered === 1 ? "label" : "labels"} of this template`;
}

// The offers depend on the pages that were finished before, and on the labels of this one.
async function countOffers() {
  const shown = page;
  await desk.flush();
  const { offered } = await desk.offered(shown.page);
  shown.offered = offered;
  if (shown === page) paintFacts();
}

// Labels of an earlier rendering whose blocks this one has no more.
function paintUnmatched() {
  const { unmatched } = page.state;
  at("unmatched").hidden = !unmatched.length;
  at("unmatched").replaceChildren(
    el("summary", { textContent: `The page has changed: labels without a block: ${unmatched.length}` }),
    el("ul", {}, ...unmatched.map(([text, role]) => el("li", { textContent: `${label(role)}: ${text}` }))));
}

function show(next) {
  if (!Object.keys(CUSTOM).length && next.custom_roles.length) offerCustomRoles(next.custom_roles);
  page = { ...next, blind: next.state.blind, before: [] };
  view("work");
  at("title").textContent = page.title || page.url;
  at("address").textContent = page.url + (page.total > page.blocks.length ? ` · the first ${page.blocks.length} of ${page.total} blocks` : "");
  document.title = `${page.title || page.url} – Labels – Miolo`;
  at("work").classList.toggle("bare", !map.show(page));
  page.blocks.forEach((_, number) => map.paint(number, page.state.roles[number]));
  rows.show(page);
  paintFacts();
  paintUnmatched();
  countOffers().catch(() => {});
  at("work").dataset.page = page.page;
  at("rows").focus({ preventScroll: true });
}

function offerCustomRoles(roles) {
  useCustomRoles(roles);
  at("role").append(el("optgroup", { label: "Custom roles" }, ...roles.map(({ name }) => roleOption(name))));
  fillHelp(at("help"));
}

const roleOption = (role) => el("option", { value: role, textContent: `${LETTER_OF[role]} ${label(role)}` });

// Reserves the page to label after the current one and returns its number.
const following = async () => (await desk.next([...desk.pages().slice(-MOST_SKIPS), page.page])).page;

// Loads the next page while the current one is labelled.
function readAhead() {
  ahead = following().then((number) => (number === null ? null : desk.page(number, blind)));
  ahead.catch(() => {});
}

// The page that was read ahead; null if another labeller has got it since then. It is also shown
// if the service does not answer.
async function readPage() {
  const next = await Promise.resolve(ahead).catch(() => null);
  ahead = null;
  return next && (await following().catch(() => next.page)) === next.page ? next : null;
}

async function open(number, block = null) {
  await whileOpening(async () => {
    await desk.flush();
    show(await desk.page(number, blind));
    if (block !== null) rows.go(block, false);
    readAhead();
  });
}

async function whileOpening(work) {
  opening = true;
  at("work").classList.add("waiting");
  try {
    await work();
  } finally {
    opening = false;
    at("work").classList.remove("waiting");
  }
}

async function openNext() {
  fail(null);
  const next = await readPage();
  if (next) {
    show(next);
    readAhead();
    return;
  }
  for (;;) {
    await desk.flush();
    const { page: number, ...more } = await desk.next([]);
    showSaving(more);
    if (number === null) {
      page = null;
      showHeld(more.progress);
      at("address").textContent = "";
      document.title = "Labels – Miolo";
      view("finished");
      at("finished").focus();
      return;
    }
    try {
      await open(number);
      return;
    } catch (error) {
      // The snapshot is damaged or missing, and the service no longer offers it.
      if (error.status !== 410) throw error;
    }
  }
}

// Actions run one after another: an undo is complete before the next key is handled.
let turn = Promise.resolve();
const inTurn = (work) => (...values) => {
  turn = turn.then(() => work(...values)).catch(fail);
};

function keepBefore() {
  const { roles, by_hand: byHand, applied } = page.state;
  page.before.push({ ...page.state, roles: [...roles], by_hand: [...byHand], applied: [...applied], comments: [...page.state.comments] });
}

// Saves an action on the current page, and keeps the labels before it for undo.
function act(action) {
  keepBefore();
  desk.act({ page: page.page, ...action });
}

function giveRole(role, [first, last]) {
  act({ field: "role", value: role, first, last });
  for (let number = first; number <= last; number++) {
    page.state.roles[number] = role;
    page.state.by_hand[number] = true;
    page.state.applied[number] = false;
    map.paint(number, role);
    rows.paint(number);
  }
  rows.go(Math.min(last + 1, page.blocks.length - 1), false);
  paintFacts();
}

function setKind(kind) {
  act({ field: "kind", value: kind });
  page.state.kind = kind;
  paintFacts();
}

// Without suggestions every block begins as boilerplate, which would score the model as one that
// must find nothing.
function finish() {
  const isEmpty = page.blind && !page.state.reviews && !page.state.kind && page.state.roles.every((role) => role === "boilerplate");
  if (isEmpty && !page.asked) {
    page.asked = true;
    opening = false;
    at("uncertain").textContent = "All blocks are boilerplate: finish again if the page has no text";
    return;
  }
  act({ field: "done", value: "1" });
  return whileOpening(openNext);
}

// Gives blocks the roles that were corrected on other pages of the template.
async function apply() {
  await desk.flush();
  const { blocks: [first], state, ...more } = await desk.apply(page.page);
  showSaving(more);
  if (first === undefined) return;
  keepBefore();
  showState({ first }, state);
  at("rows").focus();
}

async function undo() {
  const unsaved = page && desk.undoWaiting(page.page);
  if (unsaved) return showState(unsaved, page.before.pop());
  const { undone, state, ...more } = await desk.undo();
  showSaving(more);
  if (!undone) return;
  if (!page || state.page !== page.page) return open(state.page, undone.first);
  page.before.pop();
  showState(undone, state);
}

function showState({ first = 0 }, state) {
  page.state = state;
  rows.repaint();
  state.roles.forEach((role, number) => map.paint(number, role));
  rows.go(first, false);
  paintFacts();
  countOffers().catch(() => {});
}

// The service knows what was finished before, so this works after a reload too.
async function goBack() {
  await desk.flush();
  const { page: number } = await desk.previous(page && page.page);
  return number === null ? null : open(number);
}

function closePanel() {
  view(page ? "work" : "finished");
  at(page ? "rows" : "finished").focus();
}

async function showPages() {
  await desk.flush();
  await list.fill();
  view("pages");
  list.focus();
}

async function showAgreement() {
  await desk.flush();
  const reopen = inTurn((number, block) => open(number, block));
  fillAgreement(at("agreement"), await desk.agreement(), reopen, closePanel);
  view("agreement");
  at("agreement").focus();
}

function writeNote({ shiftKey }) {
  const field = at(shiftKey && page.blocks.length ? "comment" : "note");
  field.focus();
  field.select();
}

function arrow(event, step) {
  if (!event.altKey) rows.move(step, event.shiftKey);
  else if (step < 0) rows.widen();
  else rows.narrow();
}

const PRESSED = {
  ArrowUp: (event) => arrow(event, -1),
  ArrowDown: (event) => arrow(event, 1),
  PageUp: (event) => rows.move(-PAGE_STEP, event.shiftKey),
  PageDown: (event) => rows.move(PAGE_STEP, event.shiftKey),
  Home: (event) => rows.go(0, event.shiftKey),
  End: (event) => rows.end(event.shiftKey),
  " ": (event) => rows.jumpUncertain(event.shiftKey ? -1 : 1),
  Enter: finish,
};

const COMMANDS = { j: (event) => rows.jumpRun(event.shiftKey), w: writeNote, z: apply };
// These work without a page to label, too.
const ALWAYS = { u: undo, v: showAgreement, "/": showPages, backspace: goBack, "?": () => at("help").showModal() };

function action(event) {
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) return key === "z" ? undo : null;
  if (key === "escape" && !(at("pages").hidden && at("agreement").hidden)) return closePanel;
  if (ALWAYS[key] && !event.altKey) return ALWAYS[key];
  if (!page || at("work").hidden) return null;
  const letter = letterOf(event);
  const role = roleOf(letter, event.shiftKey);
  if (role && page.blocks.length) {
    return () => giveRole(role, (event.altKey && rows.wider()) || rows.range());
  }
  if (!event.altKey && PAGE_KINDS[event.key]) return () => setKind(PAGE_KINDS[event.key]);
  return PRESSED[event.key] || COMMANDS[letter] || null;
}

// Controls that a key is meant for: text and menus take all but Escape, buttons Enter and Space.
function isForControl({ key, target }) {
  if (target.closest("dialog[open]")) return true;
  if (target.closest("input, select")) return key !== "Escape" || !target.closest(".panel");
  return ["Enter", " "].includes(key) && Boolean(target.closest("button, a, summary"));
}

document.addEventListener("keydown", (event) => {
  // Keys are ignored until the next page is visible, since they are not meant for it.
  if (!desk || opening || event.isComposing || isForControl(event)) return;
  const work = action(event);
  if (!work) return;
  event.preventDefault();
  // Holding Enter down does not finish pages.
  if (event.key === "Enter") {
    if (event.repeat) return;
    opening = true;
  }
  // The key's action is looked up again when it runs, since the page may be finished by then.
  inTurn(() => { const now = action(event); return now && now(event); })();
});

for (const pane of ["rows", "desk"]) at(pane).addEventListener("click", (event) => rows.click(event));
at("role").addEventListener("change", inTurn(() => { giveRole(at("role").value, rows.range()); at("rows").focus(); }));
at("kind").addEventListener("change", () => { setKind(at("kind").value); at("rows").focus(); });
for (const field of ["note", "comment"]) at(field).addEventListener("keydown", (event) => {
  if (event.key === "Enter" || event.key === "Escape") {
    event.preventDefault();
    at("rows").focus();
  }
});
at("note").addEventListener("change", () => {
  act({ field: "note", value: at("note").value });
  page.state.note = at("note").value;
});
at("comment").addEventListener("change", () => {
  const { value } = at("comment"), block = rows.at;
  act({ field: "comment", value, first: block, last: block });
  page.state.comments[block] = value;
  rows.paint(block);
});
const buttons = { back: goBack, undo, apply: () => page && apply(), "show-pages": showPages, "close-pages": closePanel, "show-agreement": showAgreement, "show-help": () => at("help").showModal(), done: () => page && finish() };
for (const [name, work] of Object.entries(buttons)) at(name).addEventListener("click", inTurn(work));
window.addEventListener("beforeunload", (event) => { if (desk && desk.waiting) event.preventDefault(); });

async function begin(labeller, token) {
  localStorage.setItem("miolo-labeller", labeller);
  desk = createDesk(labeller, token, review, showSaving);
  try {
    await whileOpening(openNext);
  } catch (error) {
    fail(error);
    if (error.status !== 401) return;
    desk = null;
    view("start");
    at("token-line").hidden = false;
    at("token").focus();
  }
}

at("start").addEventListener("submit", (event) => {
  event.preventDefault();
  blind = at("blind").checked;
  review = at("review").checked;
  // A reload goes on under the same name.
  const chosen = { labeller: at("labeller").value.trim(), ...(blind && { blind: 1 }), ...(review && { review: 1 }) };
  history.replaceState(null, "", `?${new URLSearchParams(chosen)}`);
  begin(at("labeller").value.trim(), at("token").value.trim());
});

at("role").append(...Object.entries(ROLE_GROUPS).map(([group, roles]) => el("optgroup", { label: group },
  ...roles.map(roleOption))));
fillHints(at("hints"));
fillHelp(at("help"));
const parameters = new URLSearchParams(location.search);
at("labeller").value = parameters.get("labeller") || localStorage.getItem("miolo-labeller") || "";
at("blind").checked = blind = parameters.get("blind") === "1";
at("review").checked = review = parameters.get("review") === "1";
view("start");
if (parameters.get("labeller")) begin(parameters.get("labeller"), "");
else at("labeller").select();
