"""Reused tabs save half the work, and each page is loaded as on a first visit."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import miolo
import pytest
from miolo.extract.job_run import extract_page
from miolo.renderer.browser.tab import Tab
from miolo.renderer.browser.tabs import MAX_IDLE, _clear
from miolo.renderer.network.policy import EgressPolicy

# Reports the state that it finds, then leaves as much state as it can, even while it is unloaded.
CURIOUS = """<!doctype html><link rel=stylesheet href=/style.css><p id=storage>waiting</p><script>
const leave = (when) => {
  localStorage.left = sessionStorage.left = when;
  document.cookie = 'left=' + when + '; max-age=3600';
  window.name = when;
  history.pushState(1, '', '#' + when);
};
(async () => {
  const databases = (await indexedDB.databases()).map((each) => each.name);
  storage.textContent = 'found: ' + [localStorage.left, sessionStorage.left, document.cookie,
    window.name, await caches.keys(), databases, history.length].join('|');
  leave('early');
  await caches.open('left');
  await new Promise((done) => { indexedDB.open('left').onsuccess = done; });
  addEventListener('pagehide', () => leave('late'));
})();
</script>"""

# A page with a frame of another host that exists for a moment, and a page that navigates to another
# host and back.
GONE = """<p>outside</p><script>
const frame = document.body.appendChild(document.createElement('iframe'));
frame.onload = () => frame.remove();
frame.src = '%s';
</script>"""
BOUNCE = "if (!location.search) location = '%s';"

FRESH = "found: ||served=1||||"


class Site(ThreadingHTTPServer):
    """Pages by their paths, and the requests for them."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: Counter[str] = Counter()
        self.cookies: list[str] = []

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.server_port}{path}"


class Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.requests[self.path.partition("?")[0]] += 1
        self.server.cookies += self.headers.get_all("cookie", [])
        kind, body = "text/html", CURIOUS
        if self.path.startswith("/style.css"):
            kind, body = "text/css", "p { color: green }"
        elif self.path.startswith("/framed"):
            body = f"<p>outside</p><iframe src={self.server.url('/inside', 'localhost')}></iframe>"
        elif self.path.startswith("/inside"):
            body = "<p>inside</p>"
        elif self.path.startswith("/gone"):
            body = GONE % self.server.url("/inside", "localhost")
        elif self.path.startswith("/bounced"):
            body = f"<p>back</p><script>{BOUNCE % self.server.url('/bounce', 'localhost')}</script>"
        elif self.path.startswith("/bounce"):
            body = f"<script>location = '{self.server.url('/bounced')}?again'</script>"
        elif self.path.startswith("/popup"):
            body = "<p>opens</p><script>open('/inside')</script>"
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("cache-control", "max-age=600")
        self.send_header("set-cookie", "served=1; max-age=3600")
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site():
    with Site() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture(params=["always", "named"], scope="module")
def open_renderer(request):
    options = miolo.RenderOptions(reuse=True, egress=EgressPolicy(request.param))
    with asyncio.Runner() as runner:
        ready = miolo.Renderer(options)
        ready.run = runner.run
        yield ready
        runner.run(ready.close())


@pytest.fixture
def renderer(open_renderer):
    yield open_renderer
    for tab in idle_tabs(open_renderer):
        open_renderer.run(tab.close())
    for tabs in open_renderer._tabs.values():
        tabs._idle.clear()


def idle_tabs(renderer) -> list[Tab]:
    return [tab for tabs in renderer._tabs.values() for tab in tabs.idle]


def idle(renderer) -> int:
    return len(idle_tabs(renderer))


def text_of(snapshot) -> str:
    return next(text for text in snapshot.text if text.startswith(("found", "waiting")))


def test_each_page_is_loaded_as_on_a_first_visit(renderer, site):
    first = renderer.run(renderer.render(site.url("/a")))
    assert text_of(first).startswith(FRESH)
    for path in ("/b", "/a", "/c"):
        page = renderer.run(renderer.render(site.url(path)))
        assert text_of(page) == text_of(first)
        assert page.page.url == site.url(path) + "#early"
    # A repeated URL is opened in another tab.
    assert site.requests["/a"] == 2
    assert site.requests["/style.css"] == 2
    assert site.cookies == ["served=1"] * len(site.cookies)
    assert idle(renderer) == 2


def test_pages_with_different_time_left_share_a_tab(renderer, site):
    for path in ("/a", "/b", "/c"):
        job = miolo.PageJob(site.url(path), renderer.options, deadline=20.0)
        result = renderer.run(extract_page(job, renderer))
        assert result.error is None
    assert site.requests["/style.css"] == 1
    assert idle(renderer) == 1


def test_a_page_without_reuse_has_a_tab_of_its_own(renderer, site):
    own = miolo.RenderOptions(egress=EgressPolicy("always"))
    for path in ("/a", "/b"):
        renderer.run(renderer.render(site.url(path), own))
    assert site.requests["/style.css"] == 2
    assert not idle(renderer)


def test_concurrent_pages_share_nothing(renderer, site):
    async def together():
        return await asyncio.gather(*(renderer.render(site.url(f"/{n}")) for n in range(4)))

    assert all(text_of(page).startswith(FRESH) for page in renderer.run(together()))
    assert idle(renderer) == 4


@pytest.mark.parametrize("path", ["/framed", "/popup", "/gone", "/bounced"])
def test_a_tab_used_by_other_origins_is_closed(renderer, site, path):
    renderer.run(renderer.render(site.url(path)))
    assert idle(renderer) == 0


def test_recorded_pages_and_pages_with_cookies_have_their_own_tab(renderer, site):
    renderer.run(renderer.record(site.url("/a"), []))
    cookies = ({"name": "mine", "value": "1", "url": site.url("/")},)
    chosen = miolo.RenderOptions(reuse=True, egress=EgressPolicy("always"), cookies=cookies)
    renderer.run(renderer.render(site.url("/a"), chosen))
    assert not idle(renderer)


def test_idle_tabs_are_limited_and_closed_at_the_end(renderer, site):
    async def together():
        pages = (renderer.render(site.url(f"/{n}")) for n in range(MAX_IDLE + 3))
        return await asyncio.gather(*pages)

    renderer.run(together())
    assert idle(renderer) == MAX_IDLE
    pools, network = list(renderer._tabs.values()), renderer._network
    assert len(network.own_ports) == (MAX_IDLE if renderer.options.is_filtered else 0)
    renderer.run(renderer.close())
    assert not any(tabs.idle for tabs in pools)
    assert not network.own_ports


def test_a_crashed_tab_is_not_used_again(renderer, site):
    renderer.run(renderer.render(site.url("/a")))
    (tab,) = idle_tabs(renderer)

    async def crash():
        session = await tab.engine.wire.attach(tab.target)
        session.post("Page.crash")
        await asyncio.sleep(0.5)

    renderer.run(crash())
    page = renderer.run(renderer.render(site.url("/b")))
    assert text_of(page).startswith(FRESH)


def test_clearing_a_tab_waits_for_the_blank_page():
    calls = []

    class Session:
        async def send(self, method: str, **params: object) -> None:
            calls.append(method)
            if method == "Page.resetNavigationHistory" and calls.count(method) < 4:
                raise miolo.RenderError("protocol error: Not attached to an active page")

    class Page:
        async def goto(self, url: str, wait_until: str) -> None:
            calls.append(url)

    tab = Tab(cast(Any, None))
    tab.page = cast(Any, Page())
    asyncio.run(_clear(tab, cast(Any, Session()), "https://example.org"))
    assert calls.count("Page.resetNavigationHistory") == 4
    # The last two commands are sent only when the blank page has been reached.
    assert calls[-2:] == ["Emulation.setScriptExecutionDisabled", "Runtime.evaluate"]
