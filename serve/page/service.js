// Requests to the service. Inspections run one at a time and can be cancelled.

const MOST_TRIES = 6, LONGEST_WAIT = 60;

const MEANINGS = {
  EgressRefusedError: "The service may not visit this address",
  NavigationError: "The page cannot be reached",
  NotHTMLError: "This address is not an HTML page",
  PageTimeoutError: "The page took too long",
  TooLargeError: "The page is too large",
  BrowserCrashedError: "The browser crashed on this page",
  PageBlockedError: "The site blocked access to the page",
  RobotsDisallowedError: "The site's robots.txt disallows this page",
  MissingSiteError: "This method needs a learned site",
  UnknownMethodError: "There is no such method",
  UnknownRoleError: "There is no such role or preset",
  401: "This service requires a token",
  413: "The request is too large",
  422: "The request is invalid",
  429: "The service is busy",
  503: "The service is not ready or is shutting down",
  504: "The page took too long",
};

export class ServiceError extends Error {
  constructor(status, kind, message) {
    super(message);
    Object.assign(this, { status, kind, title: MEANINGS[kind] || MEANINGS[status] || "The request failed" });
  }
}

// Errors of the service and of its framework: {"error": {kind, message}}, {kind, message} or {detail}.
async function failure(response) {
  const body = await response.json().catch(() => ({}));
  const error = (body && body.error && typeof body.error === "object" ? body.error : body) || {};
  const message = error.message || (typeof error.error === "string" && error.error) || error.detail || response.statusText;
  return new ServiceError(response.status, String(error.kind || ""), typeof message === "string" ? message : JSON.stringify(message));
}

function wait(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * seconds);
    signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}

async function fetchFromService(address, options) {
  try {
    return await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServiceError(0, "", "The service does not respond: is it still running?");
  }
}

const heads = (token) => (token ? { Authorization: `Bearer ${token}` } : {});

export async function methods(token) {
  const response = await fetchFromService("methods", { headers: heads(token) });
  if (!response.ok) throw await failure(response);
  return (await response.json()).filter((method) => method.available);
}

// The text of the draft saved for a page, or null.
export async function loadDraft(key, token) {
  const response = await fetchFromService(`drafts?key=${encodeURIComponent(key)}`, { headers: heads(token) });
  if (!response.ok) throw await failure(response);
  return (await response.json()).text;
}

// `keepalive` lets the request complete after the page is left.
export async function saveDraft(key, text, token, keepalive) {
  const response = await fetchFromService("drafts", { method: "POST", keepalive, body: JSON.stringify({ key, text }),
    headers: { "Content-Type": "application/json", ...heads(token) } });
  if (!response.ok) throw await failure(response);
}

// Retries the request after Retry-After seconds while the service is busy. `busy` is called with
// that number of seconds.
export async function inspect(request, token, signal, busy) {
  for (let tries = 1; ; tries++) {
    const response = await fetchFromService("inspect", { method: "POST", signal, body: JSON.stringify(request),
      headers: { "Content-Type": "application/json", ...heads(token) } });
    if (response.ok) return response.json();
    if (response.status !== 429 || tries === MOST_TRIES) throw await failure(response);
    const seconds = Math.min(LONGEST_WAIT, Math.max(1, Number(response.headers.get("Retry-After")) || 1));
    busy(seconds);
    await wait(seconds, signal);
  }
}
