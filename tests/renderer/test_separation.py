"""Nothing that a page does reaches a later page, even one of the same origin."""

import asyncio
import contextlib
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import miolo
import pytest

WORDS = "The bakery on the corner has sold the same loaf for sixty years. " * 4

# What a page can leave behind, one script for each kind of state that the browser knows.
TRACES = {
    "cookie": "document.cookie = 'left=1; max-age=3600'",
    "local storage": "localStorage.left = 1",
    "session storage": "sessionStorage.left = 1",
    "window name": "window.name = 'left'",
    "history": "history.pushState(1, '', '#left')",
    "database": "await new Promise((done) => { indexedDB.open('left').onsuccess = done })",
    "cache storage": "await (await caches.open('left')).put('/b', new Response('left'))",
    "file system": "await (await navigator.storage.getDirectory()).getFileHandle('left', "
    "{create: true})",
    "bucket": "await navigator.storageBuckets.open('left', {persisted: true})",
    "shared worker": "new SharedWorker('/worker.js', 'left').port.start()",
    "service worker": "await navigator.serviceWorker.register('/worker.js')",
    "shared storage": "await sharedStorage.set('left', '1')",
    "lock": "navigator.locks.request('left', () => new Promise(() => {}))",
    "channel": "new BroadcastChannel('left').postMessage('left')",
    "credentials": """await new Promise((done) => {
        const request = new XMLHttpRequest();
        request.onloadend = done;
        request.open('GET', '/login', true, 'eve', 'left');
        request.send();
    })""",
    "replaced document": "await fetch('/b', {headers: {'x-own': 'left'}, cache: 'reload'})",
    "beacon": "addEventListener('pagehide', () => navigator.sendBeacon('/late', 'x'))",
    "kept request": "fetch('/late', {method: 'POST', body: 'x', keepalive: true})",
    "later request": "fetchLater('/late', {method: 'POST', body: 'x', activateAfter: 0})",
    "preload": "document.head.innerHTML += '<link rel=prefetch href=/b>'",
    "window": "open('/b', 'left')",
}

REPORT = """(async () => {
  const own = async (task) => { try { return await task() } catch { return 'none' } };
  const list = async (of) => { const all = []; for await (const each of of) all.push(each[0]);
    return all.join() };
  report.textContent = 'found: ' + (await Promise.all([
    document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), window.name,
    own(async () => (await indexedDB.databases()).map((each) => each.name).join()),
    own(async () => (await caches.keys()).join()),
    own(async () => list((await navigator.storage.getDirectory()).entries())),
    own(async () => (await navigator.storageBuckets.keys()).join()),
    own(async () => (await navigator.serviceWorker.getRegistrations()).length),
    own(async () => (await navigator.locks.query()).held.length),
    history.length])).join('|');
  report.className = 'done';
})()"""


class Site(ThreadingHTTPServer):
    """A page that leaves traces, and another that reports what reaches it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.traces: list[str] = []
        self.ending = threading.Event()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"


class Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        status, headers, body = 200, {"cache-control": "max-age=600"}, ""
        kind = "text/html"
        if self.path == "/login":
            headers["cache-control"] = "no-store"
            if not self.headers.get("authorization"):
                status, headers["www-authenticate"] = 401, "Basic realm=x"
        elif self.path == "/late":
            self.server.ending.wait(0.1)  # the answer comes when its page is gone
            headers["set-cookie"] = "who=left; path=/; max-age=999"
        elif self.path == "/worker.js":
            kind, body = "text/javascript", "self.name"
        elif self.path == "/a":
            script = "\n".join(
                f"try {{ {TRACES[name]} }} catch {{}}" for name in self.server.traces
            )
            body = f"<p>{WORDS}</p><script type=module>{script}</script>"
        else:
            sent = [f"{name}={self.headers.get(name)}" for name in SENT]
            body = f"<p>{' '.join(sent)}</p><p id=report></p><script>{REPORT}</script>"
        self.send_response(status)
        for name, value in {"content-type": kind, "etag": '"1"', **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body.encode())

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        pass


SENT = ("cookie", "authorization", "x-own", "if-none-match", "sec-ch-ua-arch", "referer")


@pytest.fixture(scope="module")
def site():
    with Site() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture(scope="module", params=["always", "named"])
def render(request, site):
    """Renders a page of the site, in one renderer for all."""
    with asyncio.Runner() as runner:
        renderer = miolo.Renderer(miolo.RenderOptions(egress=miolo.EgressPolicy(request.param)))

        def render(path: str, **more) -> str:
            chosen = replace(renderer.options, **more)
            return visible(runner.run(renderer.render(site.url(path), chosen)))

        yield render
        runner.run(renderer.close())


@pytest.fixture(scope="module")
def untouched(site, render):
    """What the second page reports if it is the only one."""
    report = render("/b", wait_for=".done")
    assert "found: |{}|{}|" in report
    return report


def visible(snapshot: miolo.Snapshot) -> str:
    return " ".join(text for text in snapshot.text if text.startswith(("found", "cookie=")))


@pytest.mark.parametrize("trace", TRACES)
def test_no_kind_of_state_reaches_the_next_page(site, render, untouched, trace):
    site.traces = [trace]
    render("/a")
    assert render("/b", wait_for=".done") == untouched


def test_all_kinds_of_state_together_do_not_reach_the_next_page(site, render, untouched):
    site.traces = list(TRACES)
    render("/a")
    assert render("/b", wait_for=".done") == untouched
