"""Pages as MHTML and pages that other programs saved are read as what they are."""

import asyncio
import base64
import email
import quopri
from email.message import EmailMessage

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_server import answering
from miolo.renderer.archives.archive import Archive
from miolo.renderer.network.source_kinds import MAX_HEADER_BYTES
from miolo.renderer.page import mhtml as mhtml_source
from miolo.renderer.page.mhtml import MhtmlSource

GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
URL = "https://example.org/story/one"
MODES = ["always", "never"]

PAGE = """<!doctype html><html><head><link rel=stylesheet href="cid:style@a">
<link rel=stylesheet href="https://cdn.test/b.css"><title>Caf\u00e9</title></head><body>
<h1>Caf\u00e9</h1><p>The tide comes in twice a day.</p><img src="cid:picture@a" width=7>
<iframe src="cid:frame@a"></iframe><div><template shadowmode="open"><b>in the shadow</b></template>
</div><script>document.body.textContent = 'a script ran'</script></body></html>"""


def part(kind: str, body: str | bytes, location: str = "", name: str = "", how: str = "base64"):
    raw = body.encode() if isinstance(body, str) else body
    coded = base64.encodebytes(raw) if how == "base64" else quopri.encodestring(raw)
    head = f"Content-Type: {kind}\r\nContent-Transfer-Encoding: {how}\r\n"
    head += f"Content-Location: {location}\r\n" if location else ""
    head += f"Content-ID: <{name}>\r\n" if name else ""
    return f"{head}\r\n".encode() + coded


def mhtml(*parts: bytes, head: str = f"Snapshot-Content-Location: {URL}\r\n") -> bytes:
    start = f"From: <Saved>\r\n{head}MIME-Version: 1.0\r\n"
    start += 'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="--b"\r\n\r\n'
    return start.encode() + b"".join(b"----b\r\n%s\r\n" % each for each in parts) + b"----b--\r\n"


SAVED = mhtml(
    part("text/html", PAGE, URL, how="quoted-printable"),
    part("text/css", "h1 {color: rgb(1, 2, 3)}", "cid:style@a", how="quoted-printable"),
    part("text/css", "p {color: rgb(4, 5, 6)}", "https://cdn.test/b.css"),
    part("image/gif", GIF, name="picture@a"),
    part("text/html", "<p>in the frame", name="frame@a"),
)


def texts(snapshot: miolo.Snapshot) -> str:
    return " ".join(" ".join(snapshot.text).split())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("given_as", ["file", "bytes", "text", "archive"])
def test_a_page_is_read_at_its_own_address(stage, tmp_path, mode, given_as):
    options = miolo.RenderOptions(browser=mode)
    path = tmp_path / "a page.mht"
    path.write_bytes(SAVED)
    if given_as == "file":
        snapshot = stage.run(stage.renderer.render_file(path, options))
    elif given_as == "archive":

        async def render() -> miolo.Snapshot:
            with miolo.open_archive(path) as archive:
                async with miolo.Renderer(options, replay=archive) as renderer:
                    return await renderer.render(next(archive.pages()))

        snapshot = stage.run(render())
    else:
        content = SAVED if given_as == "bytes" else SAVED.decode()
        snapshot = stage.run(stage.renderer.render_html(content, options=options))
    assert snapshot.page.url == URL
    assert snapshot.page.title == "Caf\u00e9"
    assert "in the shadow" in texts(snapshot)
    assert "MIME-Version" not in texts(snapshot)
    assert "a script ran" not in texts(snapshot)
    if mode == "always":
        assert "in the frame" in texts(snapshot)
        colors = set(snapshot.color.tolist())
        assert {0x010203FF, 0x040506FF} <= colors
        assert snapshot.page.warnings == ()


@pytest.mark.parametrize("name", ["client-rendered", "frame-same-origin", "shadow-open"])
def test_a_page_that_chromium_saved_reads_as_the_page_itself(stage, tmp_path, name):
    url = stage.url(name)

    async def save() -> str:
        # The test's own context has no network in a browser whose pages are filtered.
        unfiltered = miolo.RenderOptions(egress=miolo.EgressPolicy("always"))
        engine = await stage.renderer._ready_engine(unfiltered)
        context = await engine.browser.new_context(viewport={"width": 1280, "height": 1024})
        page = await context.new_page()
        await page.goto(url, wait_until="networkidle")
        session = await context.new_cdp_session(page)
        saved = await session.send("Page.captureSnapshot", {"format": "mhtml"})
        await context.close()
        return saved["data"]

    path = tmp_path / "page.mhtml"
    path.write_text(stage.run(save()), newline="")
    live = miolo.extract_snapshot(stage.render(name))
    for mode in MODES:
        options = miolo.RenderOptions(browser=mode)
        snapshot = stage.run(stage.renderer.render_file(path, options))
        assert snapshot.page.url == live.url
        article = miolo.extract_snapshot(snapshot)
        if mode == "always":
            assert (article.text, article.title) == (live.text, live.title)
        assert live.text[:80] in article.text


def test_what_a_page_lacks_is_not_fetched(stage):
    with answering({"/a.css": "", "/b.png": ""}) as (url, requests):
        page = f"<link rel=stylesheet href={url}/a.css><img src={url}/b.png><p>Text"
        options = miolo.RenderOptions(egress=miolo.EgressPolicy("always"))
        content = mhtml(part("text/html", page), head=f"Snapshot-Content-Location: {url}/\r\n")
        snapshot = stage.run(stage.renderer.render_html(content, options=options))
        assert texts(snapshot) == "Text"
        assert [warning.code for warning in snapshot.page.warnings] == ["not-archived"]
        assert requests == []


def test_the_started_part_is_the_page():
    parts = part("text/html", "<p>frame", name="f"), part("text/html", "<p>page", name="p")
    content = mhtml(*parts).replace(b"type=", b'start="<p>";\r\n\ttype=')
    assert "page" in miolo.Snapshot.from_html(content).text


def test_a_single_part_and_a_truncated_file_are_read():
    single = b"MIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n<p>caf\xc3\xa9"
    assert "caf\u00e9" in miolo.Snapshot.from_html(single).text
    cut = SAVED[: SAVED.index(b"twice")]
    assert "The tide comes in" in texts(miolo.Snapshot.from_html(cut))


words = st.text("abc -\n=\u00e9", max_size=80)


@given(
    bodies=st.lists(st.tuples(words, st.sampled_from(["base64", "quoted-printable"])), max_size=5)
)
def test_parts_are_those_of_the_standard_library(bodies):
    parts = [part("text/plain", body, f"{URL}/{n}", how=how)
             for n, (body, how) in enumerate(bodies)]  # fmt: skip
    content = mhtml(part("text/html", "<p>page", URL), *parts)
    source = MhtmlSource(content, "a.mhtml")
    ours = [source.read(entry.place).body for entry in source.entries()][1:]
    message = email.message_from_bytes(content)
    theirs = [each.get_payload(decode=True) for each in message.walk() if not each.is_multipart()]
    assert ours == theirs[1:]


def test_nested_parts_are_found():
    message = EmailMessage()
    message.set_content("as text")
    message.add_alternative("<p>page <img src=cid:a>", subtype="html")
    html = message.get_payload(1)
    html.add_related(GIF, "image", "gif", cid="<a>")
    with Archive(MhtmlSource(message.as_bytes(), "a.eml")) as archive:
        page = archive.find(next(archive.pages()))
        assert page is not None
        assert b"cid:" not in page.body
        picture = archive.find(page.body.decode().partition("src=")[2].partition(">")[0].strip())
        assert picture is not None
        assert picture.body == GIF


@pytest.mark.parametrize(
    "content",
    [
        mhtml(part("text/plain", "only text")),
        mhtml(*[part("text/html", "<p>")] * (mhtml_source.MAX_PARTS + 1)),
        b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=0\r\n\r\n"
        + b"".join(
            b"--%d\r\nContent-Type: multipart/related; boundary=%d\r\n\r\n" % (n, n + 1)
            for n in range(mhtml_source.MAX_DEPTH + 1)
        ),
        mhtml(b"X: " + b"a" * MAX_HEADER_BYTES + b"\r\n\r\nbody"),
        mhtml(b"Content-Type: text/html" + b';a="' * 1000 + b"\r\n\r\nbody"),
        b"MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\nbody",
    ],
    ids=["no-page", "parts", "nested", "header", "type", "no-boundary"],
)
def test_files_beyond_the_limits_are_refused(content):
    with pytest.raises(miolo.ArchiveError):
        miolo.Snapshot.from_html(content)


SINGLE_FILE = (
    "<!DOCTYPE html> <html lang=en><!--\n Page saved with SingleFile \n url: {} \n"
    " saved date: Mon Jan 01 2024 --><meta charset=utf-8><title>T</title>"
    "<p>Text <a href=/x>link</a>"
)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("as_file", [True, False])
def test_a_page_of_single_file_has_the_address_that_it_names(stage, tmp_path, mode, as_file):
    options, content = miolo.RenderOptions(browser=mode), SINGLE_FILE.format(URL)
    path = tmp_path / "a.html"
    path.write_text(content)
    work = (
        stage.renderer.render_file(path, options)
        if as_file
        else stage.renderer.render_html(content, options=options)
    )
    snapshot = stage.run(work)
    assert snapshot.page.url == URL
    assert snapshot.frames[0].base_url == URL


def test_a_given_address_is_that_of_the_page():
    other = "https://other.test/"
    renderer = miolo.Renderer(miolo.RenderOptions(browser="never"))
    for content in (SAVED, SINGLE_FILE.format(URL)):
        assert asyncio.run(renderer.render_html(content, url=other)).page.url == other
