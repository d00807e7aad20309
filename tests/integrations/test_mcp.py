"""The tools for language models, called by the client of the official SDK."""

import asyncio
import base64
import io
import os
import re
import sys
from pathlib import Path

import local_server
import pytest
from miolo import EgressPolicy, RenderOptions
from newsroom import ARTICLES, PAGES
from PIL import Image

mcp = pytest.importorskip("mcp", reason="mcp is not installed")
serving = pytest.importorskip("miolo.integrations.mcp")
AnswerLimits, build_server = serving.AnswerLimits, serving.build_server

ROOT = Path(__file__).resolve().parents[2]
LOCAL = RenderOptions(egress=EgressPolicy("always"))


def call(tool: str, server=None, **arguments):
    """Call a tool of a server in this process or of a command, and return its answer."""

    async def ask():
        async with mcp.Client(server or build_server(LOCAL)) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(ask())


def picture_of(content):
    """The picture in a tool's answer."""
    return Image.open(io.BytesIO(base64.b64decode(content.data)))


def test_extract_reads_a_rendered_page(site):
    page = PAGES["client-rendered"]
    # An address needs no scheme.
    answer = call("extract", url=f' "{site.url(page).removeprefix("http://")}" ')
    assert not answer.is_error
    assert answer.structured_content["url"] == site.url(page)
    assert answer.structured_content["title"] == page.title
    assert page.paragraphs[1] in answer.structured_content["text"]
    assert answer.structured_content["next_start"] is None


@pytest.mark.parametrize("way", ["", "hidden"])
def test_texts_that_the_page_does_not_show_are_marked(way):
    words = [f"On day {day} the council put off the vote on the bridge again, said the mayor. "
             for day in range(2, 9)]  # fmt: skip
    inside = "".join(f"<p>{2 * each}</p>" for each in words)
    page = f"<title>Bridge</title><div {way}><h1>Bridge</h1>{inside}</div>"
    with local_server.answering(lambda _: page) as (url, _):
        answer = call("extract", url=url).structured_content
    assert all(each in answer["text"] for each in words)
    assert len(answer["hidden"]) >= (len(words) if way else 0)
    assert bool(answer["hidden"]) == bool(way)


def test_what_is_known_of_a_page_can_be_said():
    shown = "innerWidth + ' ' + Intl.DateTimeFormat().resolvedOptions().timeZone"
    words = "The bridge is open again, and the mayor was the first to cross it on foot. " * 4
    page = (
        f"<title>Bridge</title><meta name=viewport content='width=device-width'><h1>Bridge</h1>"
        f"<main><p>{words}</main><p id=here><script>here.append('{words}' + {shown})</script>"
    )
    known = {"within": "p", "without": "main", "device": "Pixel 7", "timezone": "Asia/Brunei"}
    with local_server.answering(lambda _: page) as (url, _):
        text = call("extract", url=url, **known).structured_content["text"]
        wrong = call("extract", url=url, timezone="Mars/One")
    assert text.count(words.strip()) == 1
    assert text.strip().endswith("412 Asia/Brunei")
    assert "'Mars/One' is not the name of a time zone" in wrong.content[0].text


def test_a_long_text_comes_in_parts(site):
    url = site.url(ARTICLES["tables"][0])
    whole = call("extract", url=url).structured_content["text"]
    parts, start = [], 0
    while start is not None:
        server = build_server(LOCAL, AnswerLimits(chars=1000))
        part = call("extract", server, url=url, start=start).structured_content
        assert len(part["text"]) <= 1000
        parts.append(part["text"])
        start = part["next_start"]
    assert len(parts) > 1
    assert "".join(parts) == whole


@pytest.mark.parametrize("annotated", [False, True])
def test_a_picture_is_bounded_and_a_whole_one_has_no_note(annotated, site):
    server = build_server(LOCAL, AnswerLimits(height=100_000))
    whole = call("screenshot", server, url=site.url(ARTICLES["tables"][0]), annotated=annotated)
    assert len(whole.content) == 1
    server = build_server(LOCAL, AnswerLimits(width=640, height=300))
    answer = call("screenshot", server, url=site.url(ARTICLES["tables"][0]), annotated=annotated)
    picture, note = answer.content
    assert picture_of(picture).size == (640, 300)
    assert re.fullmatch(
        r"The picture shows the upper 300 of [\d,]+ px, of a page that is [\d,]+ px high\.",
        note.text,
    )


def test_compare_reports_what_changed(site):
    one, two = (site.url(page) for page in ARTICLES["tables"][:2])
    changes = call("compare", before=one, after=two).structured_content
    assert 0 < changes["similarity"] < 1
    assert ARTICLES["tables"][1].paragraphs[1][:40] in changes["changes"]
    same = call("compare", before=one, after=one).structured_content
    assert (same["similarity"], same["changes"]) == (1, "")


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("extract", {"url": "", "fromat": "text"}, "no argument 'fromat'; did you mean 'format'?"),
        ("extract", {"url": "", "format": "markdwn"}, "format: .* did you mean 'markdown'?"),
        ("extract", {"url": "", "start": "x", "preset": 3}, "preset: .*; start: must be a valid"),
        ("links", {}, "url: is required"),
        ("link", {"url": ""}, "there is no tool 'link'; did you mean 'links'?"),
    ],
)
def test_wrong_arguments_are_refused_with_a_sentence(tool, arguments, message):
    answer = call(tool, **arguments)
    assert answer.is_error
    (content,) = answer.content
    assert re.search(message.replace("?", r"\?"), content.text)
    assert "pydantic" not in content.text


def test_the_command_serves_on_standard_input_and_output(site):
    page = ARTICLES["tables"][0]
    host = site.url(page).split("/")[2]
    command = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "miolo", "mcp", "--allow", host],
        env={**os.environ, "PYTHONPATH": str(ROOT / ".dev")},
    )
    answer = call("extract", command, url=site.url(page))
    assert page.paragraphs[1] in answer.structured_content["text"]
