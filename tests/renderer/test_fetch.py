"""Plain requests: their answers, the addresses they may reach, and their limits."""

import asyncio
import gzip
from contextlib import contextmanager, suppress
from itertools import repeat

import miolo
import pytest
from batches import LOOPBACK
from local_server import Handler, serving
from memory_source import MemorySource
from miolo.renderer.archives.archive import Archive
from miolo.renderer.network.client import fetch_live
from miolo.renderer.network.egress_proxy import Network
from miolo.renderer.network.exchange import Exchange
from miolo.renderer.network.fetch import GetRequest
from miolo.renderer.network.policy import EgressPolicy
from patience import patient

MIB = 1 << 20

# An endless response stops when the client disconnects; this limits it if the client does not.
MAX_PIECES = 100_000


GZIP = {"Content-Encoding": "gzip"}

# Status, headers and body by path; any other path is a page.
ANSWERS = {
    "large": lambda: (302, {"Location": "/"}, bytes(2 * MIB)),
    "letters": lambda: (302, {"Location": "/größe".encode().decode("latin-1")}, b""),
    "away": lambda: (302, {"Location": "file:///etc/hostname"}, b""),
    "nowhere": lambda: (302, {"Location": "http://[oops/"}, b""),
    "bomb": lambda: (200, GZIP, gzip.compress(bytes(200 * MIB), 1)),
    "layers": lambda: (200, {"Content-Encoding": "gzip, gzip, gzip"}, gzip.compress(bytes(MIB))),
    "members": lambda: (200, GZIP, gzip.compress(b"<p>First") + gzip.compress(bytes(9 * MIB), 1)),
    "packed": lambda: (200, GZIP, gzip.compress(b"<p>Unpacked")),
    "broken": lambda: (200, GZIP, b"no gzip at all"),
    "short": lambda: (200, {"Content-Length": "1000"}, b"not all"),
}
# What is sent as it is, and what follows it without end.
RAW = {
    "silent": (b"", b""),
    "drips": (b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 4096),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X-More: of the same\r\n" * 100),
    "early": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "noise": (b"\x00\xff not HTTP \r\n\r\n", b""),
}


class Curious(Handler):
    """Records its requests, and answers depending on the path."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.__dict__["requests"].append((self.path, dict(self.headers)))
        self.close_connection = True
        name = self.path.strip("/").partition("?")[0]
        if name in RAW:
            start, piece = RAW[name]
            with suppress(OSError):
                self.wfile.write(start)
                for more in repeat(piece, MAX_PIECES if piece else 0):
                    self.wfile.write(more)
            return
        status, headers, body = ANSWERS[name]() if name in ANSWERS else (200, {}, b"<p>Here")
        if name == "cookies":
            is_known = "seen=1" in self.headers.get("Cookie", "")
            body = b"welcome" if is_known else b""
            if not is_known:
                status, headers = 302, {"Location": "/cookies", "Set-Cookie": "seen=1"}
        self.send(body, status, headers)


@pytest.fixture(scope="module")
def host():
    """Address of a server, and the list of its requests."""
    with serving(Curious) as server:
        yield server


@contextmanager
def renderer(**chosen):
    """Yields a function that fetches with a renderer of its own."""
    with asyncio.Runner() as runner:
        own = miolo.Renderer(miolo.RenderOptions(**{"egress": LOOPBACK, **chosen}))
        yield lambda url, **more: runner.run(own.fetch(url, **more))
        runner.run(own.close())


@pytest.fixture(scope="module")
def fetch():
    with renderer() as ready:
        yield ready


def test_plain_files_are_fetched_whatever_their_status(stage):
    response = stage.run(stage.renderer.fetch(stage.url("/favicon.ico")))
    assert (response.status, response.mime, response.body[:4]) == (200, "image/png", b"\x89PNG")
    missing = stage.run(stage.renderer.fetch(stage.url("not-found")))
    assert missing.status == 404


def test_a_plain_request_needs_no_browser(host, monkeypatch):
    base, requests = host
    monkeypatch.setattr("miolo.renderer.browser.engine.Engine.start", None)
    with renderer() as fetched:
        assert fetched(f"{base}/file").body == b"<p>Here"
    assert "Miolo/" in requests[-1][1]["User-Agent"]
    network = Network()
    responses = asyncio.run(fetch_live(GetRequest(f"{base}/file", 5.0, MIB), network, LOOPBACK))
    assert responses[-1].body == b"<p>Here"
    assert not network.own_ports
    network.close()


def test_redirects_are_followed_and_kept(stage):
    chain: list[Exchange] = []
    end = stage.run(stage.renderer.fetch(stage.url("redirect-chain"), into=chain))
    assert end == chain[-1]
    assert {e.status for e in chain[:-1]} == {301, 302}
    with Archive(MemorySource(chain)) as archive:
        offline = miolo.Renderer(replay=archive)
        assert stage.run(offline.fetch(stage.url("redirect-chain"))) == end
        with pytest.raises(miolo.TooLargeError):
            stage.run(offline.fetch(stage.url("redirect-chain"), max_bytes=9))
        with pytest.raises(miolo.NavigationError):
            stage.run(offline.fetch(stage.url("/favicon.ico")))


@pytest.mark.parametrize(
    ("route", "error"),
    [("hangs", miolo.PageTimeoutError), ("redirect-loop", miolo.NavigationError)],
)
def test_a_fetch_is_bounded(stage, route, error):
    seconds = 2 if error is miolo.PageTimeoutError else patient(20)
    with pytest.raises(error):
        stage.run(stage.renderer.fetch(stage.url(route), seconds=seconds, max_bytes=50_000))


@pytest.mark.parametrize(
    ("path", "cause"),
    [
        *((path, "") for path in ("bomb", "drips", "headers", "early")),
        ("broken", "ERR_CONTENT_DECODING_FAILED"),
        ("layers", "ERR_CONTENT_DECODING_FAILED"),
        # Those of servers that break off are retried in batches.
        ("short", "ERR_CONTENT_LENGTH_MISMATCH"),
        ("silent", "ERR_EMPTY_RESPONSE"),
        ("noise", "ERR_INVALID_HTTP_RESPONSE"),
    ],
)
def test_a_hostile_server_causes_a_typed_error_with_its_cause(host, fetch, path, cause):
    with pytest.raises(miolo.RenderError) as caught:
        fetch(f"{host[0]}/{path}", seconds=3, max_bytes=MIB)
    assert caught.value.url == f"{host[0]}/{path}"
    assert getattr(caught.value, "cause", None) == cause or not cause


@pytest.mark.parametrize("private", ["never", "always"])
def test_a_failed_handshake_is_no_failed_connection(host, private):
    egress = EgressPolicy(private, LOOPBACK.allowed)
    with renderer(egress=egress) as fetched, pytest.raises(miolo.NavigationError) as caught:
        fetched(host[0].replace("http:", "https:"))
    assert (caught.value.cause, caught.value.unreachable) == ("ERR_SSL_PROTOCOL_ERROR", False)


def test_the_body_of_a_redirect_is_not_read(host, fetch):
    chain: list[Exchange] = []
    fetch(f"{host[0]}/large", max_bytes=MIB, into=chain)
    assert [(each.status, each.body) for each in chain] == [(302, b""), (200, b"<p>Here")]


def test_the_location_of_a_redirect_is_read_as_utf8(host, fetch):
    base, requests = host
    assert fetch(f"{base}/letters").url == f"{base}/gr%C3%B6%C3%9Fe"
    assert requests[-1][0] == "/gr%C3%B6%C3%9Fe"


@pytest.mark.parametrize("path", ["away", "nowhere"])
def test_redirects_to_other_schemes_and_invalid_urls_are_refused(host, fetch, path):
    url = f"{host[0]}/{path}"
    with pytest.raises(miolo.NavigationError) as caught:
        fetch(url)
    assert (caught.value.cause, caught.value.url) == ("ERR_UNSAFE_REDIRECT", url)


def test_cookies_of_redirects_are_sent_on_and_then_dropped(host, fetch):
    base, requests = host
    for _ in range(2):
        requests.clear()
        assert fetch(f"{base}/cookies").body == b"welcome"
        assert [headers.get("Cookie") for _, headers in requests] == [None, "seen=1"]


def test_plain_requests_send_what_the_options_set(host):
    base, requests = host
    with renderer(user_agent="Reader/1", locale="de-DE", headers={"X-Key": "k"}) as fetched:
        fetched(f"{base}/fragment#part")
    path, headers = requests[-1]
    assert path == "/fragment"
    assert (headers["User-Agent"], headers["Accept-Language"], headers["X-Key"]) == (
        "Reader/1",
        "de-DE",
        "k",
    )


@pytest.mark.parametrize(
    ("proxy", "cause"),
    [
        ("http://127.0.0.1:9", "ERR_PROXY_CONNECTION_FAILED"),
        ("socks5://127.0.0.1:9", "ERR_PROXY_CONNECTION_FAILED"),
        ("socks4://h:9", "ERR_NO_SUPPORTED_PROXIES"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_an_error(proxy, cause):
    chosen = {"egress": EgressPolicy("named"), "proxy": proxy}
    with renderer(**chosen) as fetched, pytest.raises(miolo.NavigationError) as caught:
        fetched("http://nowhere.invalid/")
    assert caught.value.cause == cause
