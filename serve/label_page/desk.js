// Requests to the service. A labeller's actions are kept in the browser's storage until the service
// has saved them.

import { ServiceError, ask } from "./service.js";

const RETRY_MS = 2000;

// Maximum number of actions in one request; see `MAX_ACTIONS` in the service.
const MOST_AT_ONCE = 16;

export function createDesk(labeller, token, review, showSaving) {
  // Each action has its own entry, so that two windows of a labeller do not overwrite each other's.
  // An action that both send counts once.
  const store = `miolo-labels:${encodeURIComponent(labeller)}:`;
  let waiting = Object.keys(localStorage).filter((key) => key.startsWith(store))
    .map((key) => JSON.parse(localStorage.getItem(key))).sort((a, b) => a.at - b.at).map((entry) => entry.action);
  let sending = null, attempt = null, late = null, atOnce = MOST_AT_ONCE;

  const call = (address, body) => ask(address, token, body);

  function keep(action) {
    localStorage.setItem(store + action.key, JSON.stringify({ at: performance.timeOrigin + performance.now(), action }));
    showSaving({ waiting: waiting.length });
  }

  // An action that was undone after it was sent is another object, which is sent again.
  function drop(actions) {
    waiting = waiting.filter((action) => !actions.includes(action));
    const left = new Set(waiting.map((action) => action.key));
    for (const { key } of actions) if (!left.has(key)) localStorage.removeItem(store + key);
    showSaving({ waiting: waiting.length });
  }

  // Sends the first actions; returns the error if the service does not save them now.
  async function sendSome() {
    const actions = waiting.slice(0, atOnce);
    try {
      const answer = await call("label/actions", { labeller, review, actions });
      atOnce = MOST_AT_ONCE;
      drop(actions);
      showSaving(answer);
    } catch (error) {
      if (error.status !== 404 && error.status !== 422) return error;
      // A retry would be refused again. Actions are sent one by one, and a refused action is
      // dropped and reported, so that it does not block the others.
      atOnce = 1;
      if (actions.length === 1) {
        drop(actions);
        showSaving({ refused: error });
      }
    }
    return null;
  }

  async function send() {
    while (waiting.length) {
      late = null;
      attempt = sendSome();
      late = await attempt;
      if (!late) continue;
      showSaving({ waiting: waiting.length, late });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  const flush = () => (sending = sending || send().finally(() => { sending = null; }));

  const who = (more) => new URLSearchParams({ labeller, ...more }).toString();
  if (waiting.length) flush();
  return {
    flush,
    get waiting() { return waiting.length; },
    // Pages with unsaved actions. The service may not know yet that they are done.
    pages: () => [...new Set(waiting.map((action) => action.page))],
    act(action) {
      waiting.push({ key: crypto.randomUUID(), ...action });
      keep(waiting.at(-1));
      flush();
    },
    // Undoes the last action on a page if the service has not saved it yet. The action remains
    // in the queue as undone, since an attempt without an answer may have saved it.
    undoWaiting(page) {
      const last = waiting.findLastIndex((action) => !action.undone);
      if (last < 0 || waiting[last].page !== page) return null;
      waiting[last] = { ...waiting[last], undone: true };
      keep(waiting[last]);
      return waiting[last];
    },
    // Undoes the last saved action.
    async undo() {
      while (waiting.length && !late) await attempt;
      try {
        if (waiting.length) throw late;
        return await call("label/undo", { labeller, review });
      } catch (error) {
        throw error.status ? error : new ServiceError(0, "", "Cannot undo while the service does not answer.");
      }
    },
    offered: (page) => call(`label/pages/${page}/offered?${who({})}`),
    apply: (page) => call("label/apply", { labeller, review, page }),
    next: (skip) => call(`label/next?${who({ review, skip: skip.join(",") })}`),
    page: (number, blind) => call(`label/pages/${number}?${who({ blind, review })}`),
    previous: (page) => call(`label/previous?${who(page ? { page } : {})}`),
    listed: (filters) => call(`label/pages?${who(filters)}`),
    agreement: () => call("label/agreement"),
  };
}
