// The web page: it requests the inspection of a source and shows the answer.

import { keepAnswer, loadAnswer } from "./browser.js";
import { createCorrecting } from "./correcting.js";
import { at, el } from "./dom.js";
import { createInspector } from "./inspector.js";
import { createSaving } from "./saving.js";
import { inspect, methods, ServiceError } from "./service.js";
import { createState } from "./state.js";

const MOST_SCREENS = 30; // screens to scroll for lazily loaded content

// Options of a request and the fields that set them: the option's value for a field that is set, and
// what the field shows for a value.
const plain = [(field) => field.value.trim(), (value) => value];
const selector = [(field) => [field.value.trim()], ([value]) => value];
const OPTIONS = {
  deadline: ["deadline", (field) => field.valueAsNumber, (value) => value],
  viewport: ["width", (field) => [field.valueAsNumber, 800], ([width]) => width],
  device: ["device", ...plain], timezone: ["timezone", ...plain],
  within: ["within", ...selector], without: ["without", ...selector],
};
const form = at("ask"), inspector = at("inspector"), status = at("status"), failure = at("failure");
const welcome = inspector.firstElementChild;
let running = null, shown = null, saving = null, latestRequest = null;

const what = () => form.elements.what.value;
const token = () => at("token").value.trim();

function showStatus(text, busy = false) {
  status.textContent = text;
  status.classList.toggle("busy", busy);
}

function fail(error) {
  showStatus("");
  const title = el("p", {}, el("b", { textContent: error.title || "Something went wrong on this page" }));
  if (error.kind) title.append(el("code", { textContent: error.kind }));
  failure.replaceChildren(title, el("p", { textContent: error.message }));
  failure.hidden = false;
  if (error.status === 401) {
    at("token-field").hidden = false;
    at("token").focus();
  }
}

function requestOptions() {
  const request = what() === "url" ? { url: at("url").value.trim() } : { html: at("html").value, url: null };
  for (const [name, [field, read]] of Object.entries(OPTIONS)) {
    if (at(field).value.trim()) request[name] = read(at(field));
  }
  if (!at("javascript").checked) request.javascript = false;
  if (at("scroll").checked) request.scroll = MOST_SCREENS;
  return { ...request, preset: at("preset").value };
}

const chosenMethods = () => [...new Set([at("method").value, at("other").value].filter(Boolean))];

async function run(request) {
  if (running) running.abort();
  const mine = new AbortController();
  running = mine;
  settle();
  failure.hidden = true;
  const names = chosenMethods();
  showStatus("Rendering and extracting the page…", true);
  try {
    const answer = await inspect({ ...request, methods: names }, token(), mine.signal, (seconds) =>
      showStatus(`The service is busy; trying again in ${seconds} s…`, true));
    if (running !== mine) return;
    await show(answer, names, request);
    await keepAnswer({ answer, names, request });
  } catch (error) {
    if (running !== mine) return;
    if (error.name === "AbortError") showStatus("Cancelled.");
    else {
      clear();
      fail(error instanceof ServiceError ? error : { message: String(error) });
    }
  } finally {
    if (running === mine) running = null;
    settle();
  }
}

async function show(answer, names, request) {
  const answers = names.map((name) => answer.inspections[name]), state = createState(answers);
  if (saving) saving.close();
  saving = createSaving(state, Boolean(request.url), token);
  const count = await saving.start(), missing = state.unmatched.length;
  latestRequest = request;
  history.replaceState(null, "", request.url ? `?${new URLSearchParams({ url: request.url })}` : location.pathname);
  const picture = answer.picture ? el("img", { src: `data:image/png;base64,${answer.picture}` }) : null;
  if (picture) await picture.decode().catch(() => null);
  const correcting = createCorrecting(state, answer, showStatus, saving.element);
  if (shown) shown.close();
  shown = createInspector(inspector, state, answers[0].picture ? picture : null, correcting);
  document.body.classList.add("inspecting");
  document.title = `${answers[0].title || answers[0].url} – Miolo`;
  const kept = state.rows.filter((row) => state.kept(row)).length;
  showStatus(`${kept} of ${answers[0].blocks} blocks kept by ${names[0]}.` +
    (count ? ` Corrections restored: ${count}.` : "") +
    (missing ? ` The page has changed; corrections without a matching block: ${missing}, listed beside Clear.` : ""));
}

// Removes the result of an earlier page, which an error must not seem to be about. What the page
// says at first comes back, with its heading.
function clear() {
  if (saving) saving.close();
  if (shown) shown.close();
  saving = shown = latestRequest = null;
  inspector.replaceChildren(welcome);
  document.body.classList.remove("inspecting");
  document.title = "Miolo";
}

// Restores what was shown before a reload or on an earlier visit.
async function restore({ answer, names, request }) {
  form.elements.what.value = request.url ? "url" : "html";
  at("url").value = request.url || "";
  at("html").value = request.html || "";
  for (const [name, [field, , write]] of Object.entries(OPTIONS)) {
    at(field).value = request[name] ? write(request[name]) : "";
  }
  at("javascript").checked = request.javascript !== false;
  at("scroll").checked = Boolean(request.scroll);
  at("preset").value = request.preset;
  [at("method").value, at("other").value] = [names[0], names[1] || ""];
  offerSources();
  offerOthers();
  // The answer may be from another version of this web page.
  await show(answer, names, request).catch(() => showStatus("The last result cannot be shown again: inspect the page again."));
}

function settle() {
  at("go").disabled = Boolean(running);
  at("cancel").hidden = !running;
  inspector.classList.toggle("waiting", Boolean(running));
  inspector.setAttribute("aria-busy", String(Boolean(running)));
}

function offerSources() {
  const isURL = what() === "url";
  at("url").hidden = at("url").disabled = !isURL;
  at("paste").hidden = at("html").disabled = isURL;
}

function offerOthers() {
  for (const option of at("other").options) option.disabled = option.value === at("method").value;
  if (at("other").value === at("method").value) at("other").value = "";
}

// The options of a menu: methods and their variants, under the names of their groups.
function menu(entries) {
  const groups = new Map();
  for (const { name, group, about, variants } of entries) {
    if (!groups.has(group)) groups.set(group, el("optgroup", { label: group }));
    groups.get(group).append(...[name, ...variants].map((each) => el("option", { value: each, textContent: each, title: about })));
  }
  return [...groups.values()];
}

async function offerMethods() {
  try {
    const entries = await methods(token());
    at("method").replaceChildren(...menu(entries));
    at("other").append(...menu(entries));
    offerOthers();
  } catch (error) {
    fail(error);
  }
}

// The browser shows what is wrong with a field only where it is visible.
form.addEventListener("invalid", (event) => event.target.closest("details")?.setAttribute("open", ""), true);

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (!at("method").options.length) await offerMethods();
  if (at("method").options.length) run(requestOptions());
});
form.addEventListener("change", (event) => {
  if (event.target.name === "what") offerSources();
  if (event.target.matches("#method, #other, #preset")) {
    offerOthers();
    if (latestRequest) run({ ...latestRequest, preset: at("preset").value });
  }
});
at("cancel").addEventListener("click", () => running && running.abort());
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && running) running.abort();
});

function offerLast(last) {
  const { title, url } = last.answer.inspections[last.names[0]];
  at("last").textContent = `Continue with “${title || url}”`;
  at("last").hidden = false;
  at("last").addEventListener("click", () => restore(last));
}

// /?url=… is requested at once, /?fill=… when the form is submitted. A reload shows the last answer.
async function greet() {
  const parameters = new URLSearchParams(location.search), [visit] = performance.getEntriesByType("navigation");
  const address = parameters.get("url") || parameters.get("fill") || "";
  at("url").value = address;
  offerSources();
  await offerMethods();
  const last = await loadAnswer();
  const isSame = last && (last.request.url || "") === address;
  if (isSame && visit && visit.type !== "navigate") await restore(last);
  else if (parameters.get("url")) form.requestSubmit();
  else if (last) offerLast(last);
}

greet();
