// Requests to the service. Inspections run one at a time and can be cancelled.

const MOST_TRIES = 6, LONGEST_WAIT = 60;

const MEANINGS = {
  EgressRefusedError: "The service may not visit this address",
  NavigationError: "The page cannot be reached",
  NotHTMLError: "This is not an HTML page",
  PageTimeoutError: "The page took too long",
  TooLargeError: "The page is too large",
  BrowserCrashedError: "The browser crashed on this page",
  PageBlockedError: "The site blocked access to the page",
  RobotsDisallowedError: "The site's robots.txt disallows this page",
  ElementNotFoundError: "The page has no such element",
  PageNotAcceptedError: "The page is of a template that was not learned",
  MissingSiteError: "This method needs a learned site",
  UnknownMethodError: "There is no such method",
  UnknownRoleError: "There is no such role or preset",
  401: "This service requires a token",
  413: "The request is too large",
  422: "Something that is given is invalid",
  429: "The service is busy",
  503: "The service is not ready or is shutting down",
  504: "The page took too long",
};

export class ServiceError extends Error {
  constructor(status, kind, message, retryAfter = 0) {
    super(message);
    Object.assign(this, { status, kind, retryAfter, title: MEANINGS[kind] || MEANINGS[status] || "The request failed" });
  }
}

// Errors of the service and of its framework: {"error": {kind, message}}, {kind, message} or {detail}.
async function failure(response) {
  const body = await response.json().catch(() => ({}));
  const error = (body && body.error && typeof body.error === "object" ? body.error : body) || {};
  const message = error.message || (typeof error.error === "string" && error.error) || error.detail || response.statusText;
  const text = typeof message === "string" ? message : JSON.stringify(message);
  return new ServiceError(response.status, String(error.kind || ""), text, Number(response.headers.get("Retry-After")));
}

function wait(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * seconds);
    signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}

// The answer to a request; with a body, which is sent as JSON, the request is a POST.
export async function ask(address, token, body, options = {}) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const sent = body ? { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } } : { headers };
  const response = await fetch(address, { ...sent, ...options }).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new ServiceError(0, "", "The service does not respond: is it still running?");
  });
  if (!response.ok) throw await failure(response);
  return response.status === 204 ? null : response.json();
}

export const methods = async (token) => (await ask("methods", token)).filter((method) => method.available);

// The text of the draft saved for a page, or null.
export const loadDraft = async (key, token) => (await ask(`drafts?key=${encodeURIComponent(key)}`, token)).text;

// `keepalive` lets the request complete after the page is left.
export const saveDraft = (key, text, token, keepalive) => ask("drafts", token, { key, text }, { keepalive });

// Retries the request after Retry-After seconds while the service is busy. `busy` is called with
// that number of seconds.
export async function inspect(request, token, signal, busy) {
  for (let tries = 1; ; tries++) {
    try {
      return await ask("inspect", token, request, { signal });
    } catch (error) {
      if (error.status !== 429 || tries === MOST_TRIES) throw error;
      const seconds = Math.min(LONGEST_WAIT, Math.max(1, error.retryAfter || 1));
      busy(seconds);
      await wait(seconds, signal);
    }
  }
}
