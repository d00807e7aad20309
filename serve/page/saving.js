// Saves corrections as they are made: in this browser at once, and on the service soon after.

import { keepDraft, localDraft } from "./browser.js";
import { el } from "./dom.js";
import { KINDS } from "./kinds.js";
import { loadDraft, saveDraft } from "./service.js";

const SOON = 400, LATER = 5000; // milliseconds
const SAVED_TEXT = 200; // characters, with which a correction is shown whose block is gone

// A page that was sent as HTML has no URL of its own, so its content identifies it.
const keyOf = (answer, isAddress) => (isAddress ? `url ${answer.url}` : `content ${answer.content}`);

export function createSaving(state, isAddress, token) {
  const [answer] = state.answers, key = keyOf(answer, isAddress);
  const element = el("span", { className: "saved" });
  let timer = 0, unsent = null;

  function draft() {
    const corrected = state.rows.filter((row) => state.corrections.has(row.first)).map((row) => (
      { role: state.corrections.get(row.first), text: (row.text || "").slice(0, SAVED_TEXT), keys: row.keys }));
    return { key, method: answer.method, saved: Date.now(), threshold: state.threshold,
      corrections: [...corrected, ...state.unmatched] };
  }

  async function send(keepalive = false) {
    clearTimeout(timer);
    if (!unsent) return;
    const sent = unsent;
    const failed = await saveDraft(key, JSON.stringify(sent), token(), keepalive).then(() => null, (error) => error);
    if (sent !== unsent) return;
    element.textContent = failed ? "Saved in this browser" : "Saved";
    element.title = failed ? `Not saved on the service: ${failed.message}` : "Saved in this browser and on the service";
    if (!failed) unsent = null;
    else if ([0, 429, 503].includes(failed.status)) timer = setTimeout(send, LATER);
  }

  function save() {
    unsent = draft();
    keepDraft(unsent);
    element.textContent = "Saving…";
    clearTimeout(timer);
    timer = setTimeout(send, SOON);
  }

  const leave = () => send(true);
  addEventListener("pagehide", leave);
  return {
    element,
    // Restores the latest draft of this page, from this browser or the service, and saves changes
    // from then on. Resolves to the number of corrections restored.
    async start() {
      const theirs = await loadDraft(key, token()).catch(() => null);
      const drafts = [await localDraft(key), parse(theirs)].filter(isDraft);
      const [latest] = drafts.sort((a, b) => b.saved - a.saved);
      const count = latest ? state.adopt(latest) : 0;
      state.listen(save);
      return count;
    },
    close() {
      removeEventListener("pagehide", leave);
      send();
    },
  };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// A draft from the service may be from another version of this web page.
function isDraft(draft) {
  const isCorrection = (each) => Boolean(each) && Object.hasOwn(KINDS, each.role) && typeof each.text === "string" && Array.isArray(each.keys);
  return Boolean(draft) && Number.isFinite(draft.saved) &&
    (draft.threshold === null || (draft.threshold >= 0 && draft.threshold <= 1)) &&
    Array.isArray(draft.corrections) && draft.corrections.every(isCorrection);
}
