"""What a person gives is read, or refused in the same words, by every entrance."""

import asyncio
import json
import plistlib
from pathlib import Path

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_server import Handler, answering, serving
from miolo.collect.batch.lists import read_list
from miolo.collect.frontier.normal_urls import without_tracking
from miolo.extract.sources import HTML, is_saved, parse_source
from miolo.renderer.archives.open_archive import save_archive
from miolo.renderer.network.exchange import Exchange
from miolo.renderer.network.source_kinds import source_kind
from miolo.renderer.network.written_addresses import whole_address
from services import serving_miolo

PARAGRAPHS = "<p>The harbour was rebuilt within a year, and the town lives on it again." * 30
PAGE = f"<!doctype html><title>Harbour</title><article><h1>Harbour</h1>{PARAGRAPHS}</article>"
URL = "https://example.org/story"
RSS = (
    '<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>'
    "<item><link>{0}/one?utm_source=feed</link></item><item><link>{0}/two</link></item>"
    "</channel></rss>"
)
MHTML = (
    f"From: <Saved>\r\nSnapshot-Content-Location: {URL}\r\nMIME-Version: 1.0\r\n"
    'Content-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n'
    f"Content-Location: {URL}\r\n\r\n{PAGE}\r\n--b--\r\n"
)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("example.org/story", URL),
        (f"  {URL}\n", URL),
        (f'"{URL}"', URL),
        ("'example.org/story'", URL),
        ("\u201cexample.org/story\u201d", URL),
        ("<example.org/story>", URL),
        ("\u00abhttps://example.org/story\u00bb", URL),
        ("data:text/html,<p>a", "data:text/html,<p>a"),
        ("page.mhtml", Path("page.mhtml")),
        ("a page.html", Path("a page.html")),
        ("file:///tmp/a%20page.html", Path("/tmp/a page.html")),
        ("file:///tmp/a page.html#part", Path("/tmp/a page.html")),
        ("file://localhost/tmp/a.html", Path("/tmp/a.html")),
        ("~/a.html", Path.home() / "a.html"),
        ("<p>A page", HTML("<p>A page")),
        ("ftp://example.org/a", "ftp://example.org/a"),
    ],
)
def test_what_people_write_is_read(text, source):
    assert parse_source(text) == source


@given(st.text())
def test_any_text_is_read_and_reading_is_idempotent(text):
    address = whole_address(text)
    assert whole_address(address) == address
    assert isinstance(parse_source(text), str | Path | HTML)


def test_an_existing_file_takes_precedence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("example.org", "'a'", "50%20off.html"):
        (tmp_path / name).write_text("<p>A word")
    assert parse_source("example.org") == Path("example.org")
    assert parse_source("'a'") == Path("'a'")
    assert parse_source(f"file://{tmp_path}/50%20off.html") == tmp_path / "50%20off.html"


def write_archive(path: Path, *urls: str) -> Path:
    headers = (("Content-Type", "text/html"),)
    save_archive(
        path, [Exchange(url, 200, headers, PAGE.encode(), dest="document") for url in urls]
    )
    return path


ARCHIVES = ("a.warc.gz", "a.wacz", "a.har", "a.har.gz", "a.mht")


@pytest.mark.parametrize(
    ("name", "browser"),
    [("a.wacz", "always"), ("a.mht", "auto"), *((name, "never") for name in ARCHIVES)],
)
def test_a_file_of_one_page_is_that_page(tmp_path, name, browser):
    path = tmp_path / name
    if name == "a.mht":
        path.write_text(MHTML, newline="")
    else:
        write_archive(path, URL)
    article = miolo.extract_url(path, options=miolo.RenderOptions(browser=browser))
    assert (article.url, article.title) == (URL, "Harbour")
    assert article.text.count("harbour was rebuilt") == 30


def test_an_archive_of_several_pages_says_how_it_is_used(tmp_path):
    path = write_archive(tmp_path / "a.wacz", URL, f"{URL}/2")
    assert not is_saved(path)
    with pytest.raises(miolo.NotHTMLError, match="several pages"):
        miolo.extract_url(path)


def document(name: str) -> bytes:
    if name == "zip":
        return b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml"
    return plistlib.dumps({"WebMainResource": {}}, fmt=plistlib.FMT_XML)


KINDS = [
    ("a.pdf", b"%PDF-1.7\n", "a PDF"),
    ("a.png", b"\x89PNG\r\n\x1a\n", "a picture"),
    ("a.webp", b"RIFF\0\0\0\0WEBPVP8 ", "a picture"),
    ("a.mp4", b"\0\0\0\x18ftypmp42", "a recording"),
    ("a.docx", document("zip"), "word processor"),
    ("a.webarchive", b"bplist00\xd1\x01\x02_\x10\x0fWebMainResource", "Safari web archive"),
    ("b.webarchive", document("plist"), "Safari web archive"),
    ("a.xml", RSS.format("https://a.test").encode(), "a feed"),
    ("a.atom", b'\xef\xbb\xbf<!-- c --><feed xmlns="http://www.w3.org/2005/Atom">', "a feed"),
    ("map.xml", b'<?xml version="1.0"?><urlset></urlset>', "a sitemap"),
    ("a.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03", "a compressed file"),
    ("a.json", b'{"items": [1]}', "JSON data"),
    ("a.svg", b'<svg xmlns="http://www.w3.org/2000/svg"></svg>', "a picture"),
    ("a.html", b"", "empty"),
    ("b.html", b" \r\n\t\n", "empty"),
]


@pytest.mark.parametrize(("name", "content", "noun"), KINDS, ids=[kind[0] for kind in KINDS])
def test_what_is_no_page_is_named_alike(tmp_path, name, content, noun):
    (tmp_path / name).write_bytes(content)
    messages = set()
    for browser in ("always", "auto", "never"):
        options = miolo.RenderOptions(browser=browser)
        for source in (tmp_path / name, HTML(content)):
            job = miolo.PageJob(source, options)
            error = asyncio.run(miolo.extract_page(job)).error
            assert isinstance(error, miolo.NotHTMLError)
            assert noun in str(error)
            messages.add(str(error).partition(" is ")[2])
    (message,) = messages
    assert ": " in message  # what to do instead


ENTRANCES = {"a.pdf": "application/pdf", "a.png": "image/png",
             "a.webarchive": "application/octet-stream", "a.html": "text/html"}  # fmt: skip


def test_every_entrance_says_the_same_of_what_is_no_page(run, tmp_path):
    pytest.importorskip("mcp", reason="mcp is not installed")
    from miolo.integrations.mcp import build_server

    files = {name: content for name, content, _ in KINDS if name in ENTRANCES}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "list.txt").write_text("".join(f"{tmp_path}/{name}\n" for name in files))
    answers = {
        f"/{name}": (200, {"Content-Type": ENTRANCES[name]}, each) for name, each in files.items()
    }
    local = miolo.RenderOptions(egress=miolo.EgressPolicy("always"), browser="never")
    tools, out = build_server(local), str(tmp_path / "out")
    run("batch", str(tmp_path / "list.txt"), "-o", out, "--browser", "never", "-m", "nce")
    lines = {page.url.rpartition("/")[2]: page.error for page in miolo.Collection(out).failures()}
    with serving_miolo("--allow", "127.0.0.1") as service, answering(answers) as (web, _):
        for name, content in files.items():
            file, page = tmp_path / name, {"url": f"{web}/{name}"} if content else {"html": ""}
            messages = [
                str(asyncio.run(miolo.extract_page(miolo.PageJob(file, local))).error),
                run("extract", str(file), "--browser", "never").stderr.decode(),
                run("batch", str(file), "-o", str(tmp_path / "no")).stderr.decode(),
                lines[name],
                service.post("/extract", **page).json()["error"]["message"],
                *([asyncio.run(answer_of(tools, f"{web}/{name}"))] if content else []),
            ]
            sentence = messages[0].partition(" is ")[2]
            assert ": " in sentence  # what to do instead
            assert [each for each in messages if sentence not in each] == []


async def answer_of(server, url):
    """Text of the answer of the tool `extract`."""
    import mcp

    async with mcp.Client(server) as client:
        return (await client.call_tool("extract", {"url": url})).content[0].text


class Site(Handler):
    def do_GET(self) -> None:
        host = f"http://127.0.0.1:{self.server.server_port}"
        path = self.path.partition("?")[0]
        self.server.__dict__["requests"].append(self.path)
        kinds = {"/feed": "text/xml", "/rss": "application/rss+xml", "/a.pdf": "application/pdf",
                 "/a.png": "image/png", "/a.webarchive": "application/octet-stream",
                 "/a.json": "application/ld+json"}  # fmt: skip
        body = RSS.format(host) if path in ("/feed", "/rss") else PAGE.replace("Harbour", path)
        self.send(body, headers={"Content-Type": kinds.get(path, "text/html")})


@pytest.fixture
def web():
    with serving(Site) as (url, requests):
        yield url, requests


@pytest.mark.parametrize(
    "text", ["page.html", "/tmp/a page.html", "file:///page.html", "<p>A page."]
)
def test_python_says_how_a_file_and_html_are_given(text):
    with pytest.raises(miolo.errors.NavigationError, match="in Python as a `Path`"):
        miolo.extract_url(text)


def test_a_crawl_starts_from_a_feed(run, web, tmp_path):
    url, _ = web
    words = ("-o", str(tmp_path), "--browser", "never", "-m", "nce", "--delay", "0", "--pages", "9")
    done = run("crawl", f"{url}/feed", *words, "--allow", "127.0.0.1")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert sorted(row["url"] for row in rows) == [f"{url}/one", f"{url}/two"]


def test_a_feed_is_a_list_of_pages(run, tmp_path):
    (tmp_path / "a.rss").write_text(RSS.format("https://a.test"))
    assert list(read_list(tmp_path / "a.rss")) == ["https://a.test/one", "https://a.test/two"]
    done = run("links", str(tmp_path / "a.rss"), "-f", "json")
    listed = [json.loads(line)["url"] for line in done.stdout.splitlines()]
    assert listed == ["https://a.test/one", "https://a.test/two"]
    (tmp_path / "a.xml").write_text("<sitemapindex><sitemap><loc>https://a.test/b</loc></sitemap>")
    with pytest.raises(miolo.EmptyInputError, match="https://a"):
        list(read_list(tmp_path / "a.xml"))


def test_a_list_may_have_anything_that_a_person_gives(run, web, tmp_path):
    url, requests = web
    host = url.removeprefix("http://")
    (tmp_path / "a page.mhtml").write_text(MHTML, newline="")
    (tmp_path / "b.html").write_text(PAGE)
    lines = [f'"{host}/a?utm_source=x"', f"{url}/a?fbclid=1", f"{url}/a", f"<{url}/b?id=2>",
             str(tmp_path / "a page.mhtml"), f"file://{tmp_path}/b.html"]  # fmt: skip
    (tmp_path / "list.txt").write_text("\n".join(lines))
    words = ("-o", str(tmp_path / "out"), "--browser", "never", "-m", "nce", "--delay", "0")
    done = run("batch", str(tmp_path / "list.txt"), *words, "--allow", "127.0.0.1")
    assert done.returncode == 0, done.stderr
    rows = (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    found = sorted(json.loads(line)["url"] for line in rows)
    assert found == sorted([f"{url}/a", f"{url}/b?id=2", URL, (tmp_path / "b.html").as_uri()])
    assert sorted(requests) == ["/a", "/b?id=2"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (f"{URL}?utm_source=a&gclid=b", URL),
        (f"{URL}?b=2&utm_medium=a&a=1", f"{URL}?b=2&a=1"),
        (f"{URL}?id=1", f"{URL}?id=1"),
        (f"{URL}?", f"{URL}?"),
        (f"{URL}#?utm_source=a", f"{URL}#?utm_source=a"),
        (f"{URL}?utm_source=a#top", f"{URL}#top"),
    ],
)
def test_tracking_parameters_are_left_out(url, expected):
    assert without_tracking(url) == expected


@given(st.binary(max_size=300))
def test_any_content_has_a_kind_or_none(content):
    kind = source_kind(content)
    assert kind is None or kind.advice
