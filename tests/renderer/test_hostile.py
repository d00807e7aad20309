"""Pages that fail, hang, navigate away or are not pages: typed outcomes within the deadline."""

import asyncio
from time import monotonic

import miolo
import pytest
from local_server import answering
from miolo.renderer.browser.capture import cut_document
from miolo.renderer.browser.protocol import ProtocolSession
from newsroom import MARKS, PAGES
from patience import patient
from stage import codes

SECONDS = patient(1.5)
LONG_SECONDS = patient(15)
LIMITS = miolo.Limits(seconds=SECONDS, response_bytes=4 << 20)


def squeeze(snapshot) -> str:
    return "".join("".join(snapshot.text).split())


@pytest.mark.parametrize(
    ("route", "error"),
    [
        ("not-found", miolo.NavigationError),
        ("server-error", miolo.NavigationError),
        ("redirect-loop", miolo.NavigationError),
        ("basic-auth", miolo.NavigationError),
        ("no-content", miolo.NavigationError),
        ("pdf", miolo.NotHTMLError),
        ("image", miolo.NotHTMLError),
        ("json", miolo.NotHTMLError),
        ("download", miolo.NotHTMLError),
        ("hangs", miolo.PageTimeoutError),
        ("no-body", miolo.PageTimeoutError),
    ],
)
def test_content_that_cannot_be_a_page_is_a_typed_error(stage, route, error):
    start = monotonic()
    with pytest.raises(error) as caught:
        stage.render(route, limits=LIMITS)
    assert monotonic() - start < SECONDS + patient(3)
    assert "\n" not in str(caught.value)
    assert caught.value.url == stage.url(route)


@pytest.mark.parametrize("browser", ["always", "never"])
@pytest.mark.parametrize("url", ["http://", "http://a.invalid:99999/", "http://256.1.1.1/"])
def test_a_url_that_a_browser_cannot_read_has_a_cause(stage, url, browser):
    with pytest.raises(miolo.NavigationError) as caught:
        stage.render(url, browser=browser)
    assert str(caught.value) == f"{url} cannot be opened: ERR_INVALID_URL"


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "chrome://version", "javascript:alert(1)", "ftp://x/", "", "http://[",
        "http://a b/", "http:///x", "http://h:99999/", f"http://{'h' * 300}/",
        f"http://{'h.' * 200}/", "http://ü\u2488.example/", "http://\ud800/",
    ],
)  # fmt: skip
def test_invalid_urls_and_other_schemes_are_refused(stage, url):
    for visit in (stage.renderer.render, stage.renderer.fetch):
        with pytest.raises(miolo.NavigationError):
            stage.run(visit(url))


@pytest.mark.parametrize(
    "url", ["about:blank", "about:srcdoc", "data:text/html,other", "view-source:http://a.invalid/"]
)
def test_given_html_needs_an_address_that_a_page_can_have(stage, url):
    with pytest.raises(miolo.NavigationError):
        stage.html("<p>text", url)


@pytest.mark.parametrize(
    "route",
    ["never-ends", "truncated", "busy-script", "busy-script-early", "self-navigation", "no-text"],
)
def test_a_hostile_page_is_captured_in_time(stage, route):
    start = monotonic()
    snapshot = stage.render(route, limits=LIMITS)
    # This includes the second visit, without scripts, of a page whose snapshot is empty.
    assert monotonic() - start < SECONDS + patient(3)
    if route in MARKS:
        assert "".join(MARKS[route].split()) in squeeze(snapshot)


def test_a_document_that_breaks_off_is_not_waited_for(stage):
    start = monotonic()
    snapshot = stage.render("truncated", limits=miolo.Limits(seconds=LONG_SECONDS))
    assert "".join(MARKS["truncated"].split()) in squeeze(snapshot)
    assert codes(snapshot) == {"broken-off"}
    causes = {
        "truncated-at-once": "ERR_CONTENT_LENGTH_MISMATCH",
        "false-gzip": "ERR_CONTENT_DECODING_FAILED",
    }
    for route, cause in causes.items():
        with pytest.raises(miolo.NavigationError) as caught:
            stage.render(route, limits=miolo.Limits(seconds=LONG_SECONDS))
        assert caught.value.cause == cause
    assert monotonic() - start < LONG_SECONDS / 2


XHTML = b"<html xmlns='http://www.w3.org/1999/xhtml'><body><p>Tides <b>rise</p></body></html>"


@pytest.mark.parametrize("kind", ["text/xml", "application/xhtml+xml"])
@pytest.mark.parametrize(("body", "text"), [(b"", ""), (XHTML, "Tides")])
def test_what_the_browser_writes_about_xml_is_no_text_of_the_page(stage, kind, body, text):
    with answering({"/page": (200, {"Content-Type": kind}, body)}) as (origin, _):
        snapshot = stage.render(f"{origin}/page")
    assert squeeze(snapshot) in (text, f"{text}rise" * bool(text))
    assert ("broken-off" in codes(snapshot)) == bool(body)


@pytest.fixture(params=["address", "html", "file"])
def read_plain(request, stage, tmp_path):
    """Reads markup without a browser, from each kind of source."""

    def read(source: str, **limits) -> miolo.Snapshot:
        options = {"browser": "never", "limits": miolo.Limits(**limits)}
        if request.param == "html":
            return stage.html(source, **options)
        if request.param == "file":
            (tmp_path / "page.html").write_text(source)
            work = stage.renderer.render_file(
                tmp_path / "page.html", miolo.RenderOptions(**options)
            )
            return stage.run(work)
        with answering({"/": source}) as (url, _):
            return stage.render(url, **options)

    return read


def test_limits_apply_without_a_browser(read_plain):
    source = "<div>" * 300 + "<p>x" * 5000
    few = read_plain(source, nodes=1000)
    assert (len(few), codes(few) - {"as-served"}) == (1000, {"too-many-nodes"})
    assert (few.end <= 1000).all()
    shallow = read_plain(source, depth=100)
    assert (shallow.depth.max(), codes(shallow) - {"as-served"}) == (99, {"too-deep"})
    assert codes(read_plain(source)) <= {"as-served"}


def test_reading_without_a_browser_has_a_deadline(read_plain):
    with pytest.raises(miolo.PageTimeoutError):
        read_plain("<p>text", seconds=1e-9)


def test_nodes_and_bytes_are_limited(stage):
    few = stage.html("<i>x</i>" * 60_000, limits=miolo.Limits(seconds=20, nodes=1000))
    assert len(few) == 1000
    assert "too-many-nodes" in codes(few)
    assert (few.end <= 1000).all()
    limits = miolo.Limits(seconds=LONG_SECONDS, response_bytes=1 << 20)
    with answering({"/": "<p>Ships in port.\n" * 2_000_000}) as (url, _):
        try:
            found = codes(stage.render(f"{url}/", limits=limits))
        except miolo.TooLargeError:
            found = {"too-large"}
    # The renderer does not wait for the response that it has stopped.
    assert "too-large" in found
    assert "deadline" not in found


def test_nodes_beyond_the_limit_are_not_waited_for(stage):
    start = monotonic()
    snapshot = stage.render(
        "wide-without-end", limits=miolo.Limits(seconds=LONG_SECONDS, nodes=1000)
    )
    assert monotonic() - start < LONG_SECONDS / 2
    assert (len(snapshot), codes(snapshot)) == (1000, {"too-many-nodes"})


def test_nodes_outside_the_document_do_not_stop_its_loading(stage):
    limits = miolo.Limits(seconds=4, nodes=1000)
    snapshot = stage.render("detached-without-end", limits=limits)
    assert "deadline" in codes(snapshot)
    assert "too-many-nodes" not in codes(snapshot)


def test_the_cut_is_repeated_if_it_is_ended_with_the_scripts_of_the_page():
    replies = {
        "Page.createIsolatedWorld": 2 * [{"executionContextId": 1}],
        "Runtime.evaluate": [
            miolo.RenderError("protocol error: Execution was terminated"),
            {"result": {"value": True}},
        ],
    }

    class Session(ProtocolSession):
        def __init__(self) -> None:
            """Without a wire: the replies are known."""
            self.target = "1"

        def post(self, method, **params) -> None:
            pass

        async def send(self, method, **params) -> dict:
            reply = replies[method].pop(0)
            if isinstance(reply, Exception):
                raise reply
            return reply

    assert asyncio.run(cut_document(Session(), limit=1000, count=2000))


def test_screenshot_pixels_are_limited(stage):
    limits = miolo.Limits(screenshot_pixels=1280 * 500)
    snapshot = stage.html("<p style='height: 60000px'>", screenshot=True, limits=limits)
    assert snapshot.screenshot
    assert "screenshot" in codes(snapshot)


def test_navigation_by_script_is_distinguished_from_a_redirect(stage):
    snapshot = stage.render("navigates-away")
    assert "left" in codes(snapshot)
    assert "".join(PAGES["navigates-away"].paragraphs[0].split()) in squeeze(snapshot)
    assert snapshot.page.url == stage.url("navigates-away")
    followed = stage.render("meta-refresh")
    assert followed.page.url != stage.url("meta-refresh")
    assert "left" not in codes(followed)


def test_a_refresh_to_an_address_that_cannot_be_opened_is_an_error(stage):
    with pytest.raises(miolo.NavigationError) as caught:
        stage.render("refresh-to-nowhere")
    assert caught.value.url == stage.url("refresh-to-nowhere")
    assert "leads to nowhere.invalid:80, which" in str(caught.value)
    assert caught.value.cause == "ERR_NAME_NOT_RESOLVED"
    with pytest.raises(miolo.NavigationError) as caught:
        stage.render("refresh-to-not-found")
    assert caught.value.status == 404


def test_a_page_that_its_scripts_empty_is_restored_with_a_warning(stage):
    for kind in ("empty-with-scripts", "wipes-itself"):
        snapshot = stage.render(kind)
        assert "".join(PAGES[kind].paragraphs[-1].split()) in squeeze(snapshot)
    assert "wiped" in codes(stage.render("empty-with-scripts"))
    assert "scripts-off" in codes(stage.render("empty-with-scripts", restore=False))


@pytest.mark.parametrize("fetch", [False, True])
def test_a_given_page_whose_script_leads_away_is_rendered_without_scripts(stage, tmp_path, fetch):
    source = "<script>location.replace('https://nowhere.invalid/x')</script><p>The given text."
    (tmp_path / "page.html").write_text(source)
    given = stage.html(source, fetch=fetch)
    file = stage.run(stage.renderer.render_file(tmp_path / "page.html"))
    for snapshot in (given, file):
        assert snapshot.text.count("The given text.") == 1
        assert [warning.code for warning in snapshot.page.warnings] == ["left"]


def test_given_html_fetches_nothing(stage, site):
    # The URL is the site's own: at any other, Chromium itself would refuse access to loopback.
    before, home = len(site.requests), site.url("/given")
    source = f"""<link rel=stylesheet href="{site.url("/a.css")}"><img src="{site.url("/b.png")}">
    <iframe src="{site.url("/c")}"></iframe><script src="{site.url("/d.js")}"></script>
    <script>fetch("{site.url("/e")}").catch(() => 0);
    navigator.sendBeacon("{site.url("/f")}");
    new WebSocket("{site.url("/g").replace("http", "ws")}");
    new Image().src = "{site.url("/h.png")}"</script><p>text</p>"""
    snapshot = stage.html(source, home)
    assert "text" in snapshot.text
    assert len(site.requests) == before
    stage.html(source, home, fetch=True)
    assert len(site.requests) > before
