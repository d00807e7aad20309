"""What pages do not load."""

import logging
import pickle
import re
from pathlib import Path
from urllib.parse import urlsplit

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_server import Handler, serving
from memory_source import MemorySource
from miolo.renderer.archives.archive import Archive
from miolo.renderer.network import blocking as host_lists
from miolo.renderer.network.blocking import read_block
from miolo.renderer.network.exchange import Exchange
from miolo.renderer.network.origins import host_of

LISTED = "securepubads.g.doubleclick.net"
PARAGRAPH = "The ferry crosses twice a day, and the town waits for it. " * 4
PAGE = f"""<!doctype html><title>The ferry</title>
<link rel=stylesheet href=/style.css>
<h1>The ferry</h1><p>{PARAGRAPH}
<img id=plain src=/a.png width=600 height=400 alt="A ferry">
<style>#fluid {{ width: 300px; height: auto }}</style>
<img id=fluid src=//other.test:PORT/b.png width=600 height=400 alt="">
<img id=unknown src=/d.png alt="A harbour">
<img id=shared crossorigin src=//other.test:PORT/c.png width=60 height=40 alt=x>
<video src=/film.mp4 width=320 height=200></video>
<script src=//{LISTED}:PORT/ad.js></script>
<script src=//cdn.other.test:PORT/widget.js></script>
<iframe src=//{LISTED}:PORT/frame></iframe><iframe src=//other.test:PORT/frame></iframe>
"""
FRAME = "<p>A frame <img src=/in-frame.png>"
SCRIPT = "document.write('<p>from ' + document.currentScript.src.split('/').pop())"
STYLE = "@font-face { font-family: own; src: url(/own.woff2) } h1 { font-family: own }"
FILES = {
    ".css": ("text/css", STYLE),
    ".js": ("text/javascript", SCRIPT),
    ".png": ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),
    ".mp4": ("video/mp4", "no film"),
    ".woff2": ("font/woff2", "no font"),
}


class Hosts(Handler):
    """Several hosts, and a proxy of the user's."""

    def do_GET(self) -> None:
        host, path = self.headers["Host"].partition(":")[0], urlsplit(self.path).path
        self.server.__dict__["requests"].append(f"{host}{path}")
        port = self.server.__dict__["server_port"]
        kind, body = FILES.get(Path(path).suffix, ("text/html", FRAME))
        if path == "/away":
            self.send("", 302, {"Location": f"http://{LISTED}:{port}/page"})
            return
        if path == "/page":
            body = PAGE.replace("PORT", str(port))
        self.send(body, headers={"Content-Type": kind, "Access-Control-Allow-Origin": "*"})


@pytest.fixture
def hosts():
    with serving(Hosts) as (url, requests):
        yield urlsplit(url).port, requests


async def resolve(host: str) -> list[str]:
    return ["127.0.0.1"]


# For a browser that resolves names itself.
RULES = "--host-resolver-rules=MAP *.test 127.0.0.1, MAP *.net 127.0.0.1"

OPEN = miolo.EgressPolicy("never", allowed=("127.0.0.1",))


def visit(
    stage,
    url: str,
    recorded: list[Exchange] | None = None,
    switches: tuple[str, ...] = (),
    **options,
) -> miolo.Snapshot:
    chosen = miolo.RenderOptions(**{"egress": OPEN, "wait": "load", **options})

    async def work() -> miolo.Snapshot:
        async with miolo.Renderer(chosen, resolve=resolve, switches=switches) as renderer:
            return await renderer.render(url, into=recorded)

    return stage.run(work())


def sizes(page: miolo.Snapshot) -> dict[str, tuple[int, int]]:
    """Sizes of the elements that have an ID."""
    named = {name: page.box[node] for node, name in page.attributes.with_attribute("id")}
    return {name: (round(box[2]), round(box[3])) for name, box in named.items()}


def test_hosts_are_refused_with_their_subdomains_and_without_a_warning(stage, hosts, caplog):
    port, requests = hosts
    caplog.set_level(logging.INFO, "miolo")
    page = visit(stage, f"http://home.test:{port}/page", block=("ads", "cdn.other.test"))
    seen = {each.partition("/")[0] for each in requests}
    assert seen == {"home.test", "other.test"}
    assert page.page.warnings == ()
    assert "A frame" in " ".join(page.text)
    (line,) = [record.getMessage() for record in caplog.records if "blocked" in record.message]
    assert LISTED in line
    assert "cdn.other.test" in line


@pytest.mark.parametrize("path", ["page", "away"])
def test_the_page_itself_is_loaded_and_so_is_its_own_site(stage, hosts, path):
    port, requests = hosts
    home = LISTED if path == "page" else "other.test"
    page = visit(stage, f"http://{home}:{port}/{path}", block="ads,trackers,other.test")
    assert page.page.url == f"http://{LISTED}:{port}/page"
    assert "from ad.js" in " ".join(page.text)
    assert f"{LISTED}/a.png" in requests
    # The host that was asked for is one of the page's own, too.
    assert ("cdn.other.test/widget.js" in requests) is (path == "away")


def test_without_a_filter_and_behind_a_proxy_of_the_users_the_browser_blocks(stage, hosts):
    port, requests = hosts
    freely = miolo.EgressPolicy("always")
    url = f"http://home.test:{port}/page"
    page = visit(stage, url, egress=freely, switches=(RULES,), block="other.test")
    assert {each.partition("/")[0] for each in requests} == {"home.test", LISTED}
    assert "from ad.js" in " ".join(page.text)
    requests.clear()
    url, proxy = f"http://{LISTED}:{port}/away", f"127.0.0.1:{port}"
    page = visit(stage, url, egress=freely, proxy=proxy, block="ads,other.test,images")
    assert {each.partition("/")[0] for each in requests} == {LISTED}
    assert not [each for each in requests if each.endswith(".png")]
    assert "from ad.js" in " ".join(page.text)
    assert sizes(page)["plain"] == (600, 400)


@pytest.mark.parametrize("switches", [(), ("--site-per-process",)])
def test_kinds_are_blocked_in_all_frames_and_boxes_keep_their_sizes(stage, hosts, switches):
    port, requests = hosts
    full = visit(stage, f"http://home.test:{port}/page", switches=switches)
    kinds = {".png", ".mp4", ".woff2"}
    assert kinds <= {Path(each).suffix for each in requests}
    requests.clear()
    url, block = f"http://home.test:{port}/page", "images,fonts,media"
    page = visit(stage, url, switches=switches, block=block)
    assert not kinds & {Path(each).suffix for each in requests}
    assert page.page.warnings == ()
    declared = {"plain": (600, 400), "fluid": (300, 200), "shared": (60, 40)}
    expected = {**declared, "unknown": (300, 150)}
    assert sizes(page) == expected
    assert sizes(full)["plain"] == (600, 400)
    assert page.text == full.text


def test_what_is_blocked_is_not_recorded_and_a_replay_is_the_same(stage, hosts):
    port, requests = hosts
    url, block = f"http://home.test:{port}/page", "ads,images,media,cdn.other.test"
    exchanges: list[Exchange] = []
    live = visit(stage, url, exchanges, block=block)
    recorded = {host_of(each.url) for each in exchanges}
    assert recorded == {"home.test", "other.test"}
    assert not [each.url for each in exchanges if each.url.endswith(".png")]
    before = len(requests)
    with Archive(MemorySource(exchanges)) as archive:
        again = replayed(stage, archive, url, block=block)
        assert again.page.warnings == ()
        assert again.text == live.text
        assert sizes(again) == sizes(live)
        unblocked = replayed(stage, archive, url)
        assert [each.code for each in unblocked.page.warnings] == ["not-archived"]
    assert len(requests) == before


def test_what_an_archive_has_is_loaded_from_it_whatever_is_blocked(stage, hosts):
    port, _ = hosts
    url = f"http://home.test:{port}/page"
    exchanges: list[Exchange] = []
    live = visit(stage, url, exchanges)
    with Archive(MemorySource(exchanges)) as archive:
        again = replayed(stage, archive, url, block="ads,images,other.test")
    assert again.text == live.text
    assert "from ad.js" in " ".join(again.text)


def replayed(stage, archive: Archive, url: str, **options) -> miolo.Snapshot:
    async def work() -> miolo.Snapshot:
        chosen = miolo.RenderOptions(wait="load", **options)
        async with miolo.Renderer(chosen, replay=archive) as renderer:
            return await renderer.render(url)

    return stage.run(work())


labels = st.sampled_from(("a", "b", "ads", "org", "co", "uk"))
names = st.lists(labels, min_size=1, max_size=5).map(".".join)


LIST = """\
[Adblock Plus 2.0]
! Title: a list
# localhost
127.0.0.1 localhost localhost.localdomain
0.0.0.0 0.0.0.0
0.0.0.0  Ads.Example.COM   more.example.com # two of them
::1 ip6-localhost
:: six.example
||rules.example^
||third.example^$third-party
||part.example^$script
||path.example/banner^
@@||kept.example^
page.example##.box
/banner/*
plain.example
*.wild.example
münchen.example
"""
FOUND = {
    "localhost.localdomain",
    *("ads.example.com", "more.example.com", "six.example", "rules.example", "third.example"),
    *("plain.example", "wild.example", "xn--mnchen-3ya.example"),
}


def test_lists_have_the_usual_forms(tmp_path):
    file = tmp_path / "list.txt"
    file.write_bytes(LIST.encode() + b"! caf\xe9\r\n" + b":" * 2_000_000 + b" a.example\n")
    (entry,) = read_block(file)
    assert not isinstance(entry, str)
    assert entry.hosts == FOUND
    assert entry.unused == 6
    assert read_block("./list.txt", tmp_path) == (entry,)
    assert pickle.loads(pickle.dumps(entry)).hosts == FOUND
    assert re.fullmatch(r"HostList\(9 hosts, [0-9a-f]{16}\)", repr(entry))


@given(st.text() | st.lists(st.text()) | st.from_regex(r"[\w.,:-]{0,400}", fullmatch=True))
def test_any_text_is_a_host_or_refused(value):
    text = value.replace("/", "") if isinstance(value, str) else [v.replace("/", "") for v in value]
    try:
        entries = read_block(text)
    except ValueError:
        return
    assert read_block(list(entries)) == entries


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("imges", "block: there is no choice 'imges'; did you mean 'images'?"),
        ("ads,", "block: '' is not ads, trackers, images, fonts, media, none, a path or the name"),
        ("none,ads", "none cannot be combined"),
        ("http://a.example/", "cannot be read: no such file"),
        ("a.example:80", "'a.example:80' is not ads"),
        ("*.a.example", r"'\*.a.example' is not ads"),
        ("no-such.txt", "there is no file no-such.txt"),
        (7, "must be a list"),
        ([7], "7 is not a name"),
        ("./none.txt", "none.txt cannot be read: no such file or directory"),
        (Path("/"), "/ cannot be read: it is not a file"),
        ("/dev/zero", "/dev/zero cannot be read: it is not a file"),
    ],
)
def test_a_wrong_entry_is_refused(block, message):
    with pytest.raises(ValueError, match=message):
        miolo.RenderOptions(block=block)


def test_a_wrong_list_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "hosts.txt"
    file.write_text("<!doctype html><p>Not found\n")
    with pytest.raises(ValueError, match="lists no hosts"):
        miolo.RenderOptions(block=(file,))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"write \./hosts.txt"):
        miolo.RenderOptions(block="hosts.txt")
    monkeypatch.setattr(host_lists, "MAX_FILE", 5)
    with pytest.raises(ValueError, match="larger than 5 bytes"):
        miolo.RenderOptions(block=(file,))
