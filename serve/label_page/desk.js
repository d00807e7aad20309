// Requests to the service. A labeller's actions are kept in the browser's storage until the service
// has saved them.

const RETRY_MS = 2000;

// Maximum number of actions in one request; see `MAX_ACTIONS` in the service.
const MOST_AT_ONCE = 16;

export class DeskError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function createDesk(labeller, token, showSaving) {
  const store = `miolo-labels:${labeller}`;
  const waiting = JSON.parse(localStorage.getItem(store) || "[]");
  let sending = null, atOnce = MOST_AT_ONCE;

  async function call(address, body) {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const options = body ? { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } } : { headers };
    const response = await fetch(address, options).catch(() => { throw new DeskError(0, "The service does not respond: is it still running?"); });
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw new DeskError(response.status, (answer.error && answer.error.message) || response.statusText);
    return answer;
  }

  function keep() {
    localStorage.setItem(store, JSON.stringify(waiting));
    showSaving({ waiting: waiting.length });
  }

  async function send() {
    while (waiting.length) {
      const actions = waiting.slice(0, atOnce);
      try {
        const answer = await call("label/actions", { labeller, actions });
        waiting.splice(0, actions.length);
        atOnce = MOST_AT_ONCE;
        keep();
        showSaving(answer);
      } catch (error) {
        if (error.status === 404 || error.status === 422) {
          // A retry would be refused again. Actions are sent one by one, and a refused action is
          // dropped and reported, so that it does not block the others.
          if (actions.length === 1) {
            waiting.shift();
            showSaving({ refused: error });
          }
          atOnce = 1;
          keep();
        } else {
          showSaving({ waiting: waiting.length, late: error });
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
      }
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
      keep();
      flush();
    },
    async undo() {
      await flush();
      return call("label/undo", { labeller });
    },
    next: (skip) => call(`label/next?${who({ skip: skip.join(",") })}`),
    page: (number, blind) => call(`label/pages/${number}?${who({ blind })}`),
    agreement: () => call("label/agreement"),
  };
}
