"""Pages are recorded, and rendered again from the recording without a network."""

import json
import zipfile
from pathlib import Path

import miolo
import numpy as np
import pytest
from local_server import Handler, serving
from memory_source import MemorySource
from miolo.renderer.archives.archive import Archive
from miolo.renderer.archives.open_archive import open_archive, save_archive
from miolo.renderer.network.exchange import Exchange
from miolo.renderer.network.policy import EgressPolicy
from newsroom import PAGES, NewsSite
from stage import codes

ARRAYS = (
    "parent", "tag", "box", "visible", "display", "position", "clips", "keeps_lines",
    "font_size", "font_weight", "color", "background", "paint_order", "html_chars", "frame",
)  # fmt: skip
LARGE = 9 << 20
HTML = (("Content-Type", "text/html"),)


def assert_same(one: miolo.Snapshot, two: miolo.Snapshot) -> None:
    assert one.page.content_hash == two.page.content_hash
    assert (one.page.url, one.page.status) == (two.page.url, two.page.status)
    assert one.text == two.text
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), name)


def replay(stage, archive: Archive, url: str, switches=(), **options) -> miolo.Snapshot:
    async def render() -> miolo.Snapshot:
        async with miolo.Renderer(switches=switches, replay=archive) as renderer:
            return await renderer.render(
                url, miolo.RenderOptions(**{"egress": miolo.EgressPolicy("named"), **options})
            )

    return stage.run(render())


@pytest.fixture(scope="module")
def recording(stage):
    """The recording of a page that scripts build; its site is closed."""
    exchanges: list[Exchange] = []
    with NewsSite() as site:
        url = site.url(PAGES["client-rendered"])
        snapshot = stage.render(url, exchanges)
    return url, snapshot, exchanges


def archived(folder: Path, exchanges: list[Exchange], name: str = "a.warc.gz") -> Archive:
    save_archive(folder / name, exchanges)
    return open_archive(folder / name)


@pytest.mark.parametrize("name", ["a.warc.gz", "a.har", "a.wacz"])
def test_an_archived_page_renders_to_the_same_snapshot(stage, recording, tmp_path, name):
    url, snapshot, exchanges = recording
    with archived(tmp_path, exchanges, name) as archive:
        assert list(archive.pages()) == [url]
        again = replay(stage, archive, url)
    assert_same(snapshot, again)
    assert again.page.warnings == ()


class Talk(Handler):
    """Two hosts whose pages request resources from each other in many ways."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        requests = self.server.__dict__["requests"]
        requests.append(f"{self.command} {self.path}")
        posted = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        path = self.path.partition("?")[0]
        other = f"http://localhost:{self.server.server_port}"
        origin = self.headers.get("Origin") or "*"
        bodies = {
            "/": START.replace("OTHER", other),
            "/frame": "<p>in the frame <script src=/frame.js></script>",
            "/frame.js": "document.write('written by its script')",
            "/worker.js": "importScripts('/tool.js');"
            "fetch('/data').then(r => r.text()).then(t => postMessage(tool + t))",
            "/tool.js": "tool = 'worker got '",
            "/data": "data",
            "/poll": f"poll {len([a for a in requests if a.endswith('/poll')])} ",
            "/post": f"posted {posted} ",
            "/busted": "busted ",
            "/large": "<h1>Large</h1><script>fetch('/large.txt').then(r => r.text())</script>",
            "/large.txt": "x" * LARGE if path == "/large.txt" else "",
        }
        kinds = {
            ".js": "text/javascript",
            "/": "text/html",
            "/frame": "text/html",
            "/large": "text/html",
        }
        kind = kinds.get(path) or kinds.get(path[-3:], "text/plain")
        headers = {
            "Content-Type": kind,
            "Set-Cookie": "source=by-header",
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Headers": "content-type",
        }
        moved = {"/moved": "/data", "/start": "/"}.get(path)
        if moved:
            headers["Location"] = moved
        self.send(bodies.get(path, ""), 302 if moved else 200, headers)

    do_POST = do_OPTIONS = do_GET


START = """<!doctype html><body><h1>Talk</h1><p id=out></p><iframe src="OTHER/frame"></iframe>
<script>
const show = async (answer) => out.append(await (await answer).text());
const json = {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{"a": 1}'};
(async () => {
  await show(fetch('/poll')); await show(fetch('/poll'));
  await show(fetch('OTHER/post', json));
  await show(fetch('/busted?_=' + Date.now()));
  await show(fetch('/moved'));
  out.append(' cookie ' + document.cookie + ' ');
  new Worker('/worker.js').onmessage = (event) => out.append(event.data + ' end');
})();
</script>"""


@pytest.fixture
def talk():
    """Address of the first host, and the list of requests to both."""
    with serving(Talk) as server:
        yield server


REPLIES = (
    "poll 1 poll 2 posted {\"a\": 1} busted data cookie source=by-header worker got data end"
)  # fmt: skip


@pytest.mark.parametrize("switches", [(), ("--site-per-process",)])
def test_all_requests_of_a_page_are_replayed(stage, talk, tmp_path, switches):
    base, requests = talk
    exchanges: list[Exchange] = []

    async def record() -> miolo.Snapshot:
        async with miolo.Renderer(
            miolo.RenderOptions(egress=miolo.EgressPolicy("named")), switches=switches
        ) as renderer:
            return await renderer.render(f"{base}/start", into=exchanges)

    snapshot = stage.run(record())
    text = " ".join(" ".join(snapshot.text).split())
    assert "".join(REPLIES.split()) in "".join(text.split())
    assert "in the frame written by its script" in text
    before = len(requests)
    with archived(tmp_path, exchanges) as archive:
        again = replay(stage, archive, f"{base}/start", switches)
        assert list(archive.pages()) == [f"{base}/"]
    assert_same(snapshot, again)
    assert len(requests) == before


LEAVING = """<!doctype html><link rel=preconnect href="{0}"><link rel=prefetch href="{0}/p">
<link rel=dns-prefetch href="{0}"><link rel=stylesheet href="{0}/s.css"><h1>Stays at home</h1>
<img src="{0}/i.png"><iframe src="{0}/frame"></iframe><script src="{0}/s.js"></script>
<script>
fetch('{0}/data').catch(() => document.body.append('refused'));
navigator.sendBeacon('{0}/beacon', 'x');
new WebSocket('{1}/socket'); new EventSource('{0}/events'); new Worker('/worker.js');
new SharedWorker('data:text/javascript,fetch("{0}/shared")');
open('{0}/popup');
</script>"""


def test_nothing_reaches_the_network(stage, talk):
    base, requests = talk
    leaving = LEAVING.format(base, base.replace("http", "ws")).encode()
    worker = f"fetch('{base}/data'); new WebSocket('{base.replace('http', 'ws')}/w')".encode()
    script = (("Content-Type", "text/javascript"),)
    archive = Archive(
        MemorySource(
            [
                Exchange("https://home.test/", 200, HTML, leaving),
                Exchange("https://home.test/worker.js", 200, script, worker),
            ]
        )
    )
    snapshot = replay(stage, archive, "https://home.test/")
    assert "refused" in snapshot.text
    assert "not-archived" in codes(snapshot)
    with Archive(MemorySource([])) as empty, pytest.raises(miolo.NavigationError) as caught:
        replay(stage, empty, f"{base}/")
    assert caught.value.cause == "NOT_IN_ARCHIVE"
    assert requests == []


def test_the_exchanges_of_a_failed_page_are_recorded(stage):
    exchanges: list[Exchange] = []
    with pytest.raises(miolo.NavigationError):
        stage.render("not-found", exchanges)
    assert exchanges[0].status == 404
    assert exchanges[0].body
    with (
        Archive(MemorySource(exchanges)) as archive,
        pytest.raises(miolo.NavigationError) as caught,
    ):
        replay(stage, archive, stage.url("not-found"))
    assert caught.value.status == 404


def test_the_received_part_of_an_endless_response_is_recorded(stage):
    exchanges: list[Exchange] = []
    snapshot = stage.render("never-ends", exchanges, limits=miolo.Limits(seconds=6))
    assert "unrecorded" in codes(snapshot)
    with Archive(MemorySource(exchanges)) as archive:
        assert_same(snapshot, replay(stage, archive, stage.url("never-ends")))


def test_a_body_of_any_length_is_kept_while_recording(stage, talk, tmp_path):
    base, _ = talk
    exchanges: list[Exchange] = []
    limits = miolo.Limits(response_bytes=20 << 20)
    stage.render(f"{base}/large", exchanges, limits=limits)
    assert [len(e.body) for e in exchanges if e.url.endswith("/large.txt")] == [LARGE]
    with archived(tmp_path, exchanges) as archive:
        again = replay(stage, archive, f"{base}/large")
    assert "not-archived" in codes(again)  # too large to be handed to a page


def test_archives_recorded_by_playwright_are_replayed(stage, tmp_path):
    path = tmp_path / "page.har.zip"
    url = stage.url("client-rendered")

    async def record() -> None:
        # The test's own context has no network in a browser whose pages are filtered.
        unfiltered = miolo.RenderOptions(egress=EgressPolicy("always"))
        engine = await stage.renderer._ready_engine(unfiltered)
        context = await engine.browser.new_context(
            record_har_path=path,
            record_har_content="attach",
            viewport={"width": 1280, "height": 1024},
        )
        page = await context.new_page()
        await page.goto(url)
        await page.wait_for_selector("article")
        await page.wait_for_load_state("networkidle")
        await context.close()

    stage.run(record())
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("har.har"))["log"]["creator"]["name"] == "Playwright"
    with open_archive(path) as archive:
        assert list(archive.pages()) == [url]
        again = replay(stage, archive, url)
    assert_same(stage.render("client-rendered"), again)
