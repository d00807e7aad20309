"""No text of a page becomes markup in HTML, Markdown or TEI, or a control code in a terminal."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace

import lxml.etree as etree
import miolo
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from miolo.cli.console import print_error
from miolo.output.formats import FORMATS, format_extraction
from miolo.output.metadata import known
from miolo.output.write.markdown import to_markdown
from miolo.output.write.terminal import printable, printable_line
from payloads import CANARY, MARKUP, SCHEMES, VECTORS, everything

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f"


# Elements and attributes of clean HTML.
TAGS = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code table thead tbody tr td th caption "
    "figure figcaption section em strong del ins mark cite q abbr var sub sup span a img br hr "
    "input".split()
)
ATTRIBUTES = {
    "p": {"class"},
    "a": {"href"},
    "img": {"src", "alt"},
    "td": {"colspan", "rowspan", "align"},
    "th": {"colspan", "rowspan", "align"},
    "ol": {"start"},
    "li": {"id"},
    "code": {"class"},
    "span": {"class"},
    "section": {"class"},
    "input": {"type", "checked", "disabled"},
}

# The raw HTML that written Markdown may contain: a few elements without attributes.
ELEMENT = re.compile("</?(?:sub|sup|em|strong|del|code)>|<br>")


def reader(*, plugins: bool) -> MarkdownIt:
    """A renderer that accepts all that Markdown allows: raw HTML and addresses of any scheme."""
    rules = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    rules.validateLink = lambda url: True
    return (
        rules.use(footnote_plugin).use(deflist_plugin).use(dollarmath_plugin) if plugins else rules
    )


READERS = reader(plugins=False), reader(plugins=True)
READER = READERS[0]


def tokens(markdown: str) -> Iterator[Token]:
    for rules in READERS:
        for token in rules.parse(markdown):
            yield token
            yield from token.children or ()


def page_of(source: str) -> miolo.Snapshot:
    return miolo.Snapshot.from_html(source, url="https://site.example/a/b")


def holds_only_what_is_allowed(markup: str) -> None:
    for tree in (
        BeautifulSoup(markup, "html.parser"),
        BeautifulSoup(f"<body>{markup}", "html5lib").body,
    ):
        assert tree is not None
        for element in tree.find_all(True):
            assert element.name in TAGS
            assert set(element.attrs) <= ATTRIBUTES.get(element.name, set())
            for name in ("href", "src"):
                url = str(element.get(name, "https:"))
                assert url.startswith(("https:", "http:", "mailto:", "#fn-")), url


def is_safe_markdown(body) -> None:
    tree = body.soup
    addresses = {str(e["href"]) for e in tree.find_all("a", href=True)}
    addresses |= {str(e["src"]) for e in tree.find_all("img")}
    addresses = {READER.normalizeLink(url) for url in addresses}
    for token in tokens(body.markdown):
        assert not token.type.startswith("html") or ELEMENT.fullmatch(token.content), token
        if token.type != "footnote_ref":
            assert {token.attrGet(name) for name in ("href", "src")} <= {None, *addresses}


@pytest.mark.parametrize("vector", VECTORS)
def test_known_vectors_are_text_or_nothing(vector):
    body = everything(page_of(vector))
    holds_only_what_is_allowed(body.html)
    is_safe_markdown(body)


@given(MARKUP)
def test_any_page_gives_safe_html_and_markdown(source):
    body = everything(page_of(source))
    holds_only_what_is_allowed(body.html)
    is_safe_markdown(body)


@given(MARKUP)
def test_a_browser_reads_the_tree_that_was_written(source):
    """The HTML5 parser has nothing to repair: its tree is that of a parser that never repairs."""
    body = everything(page_of(source))
    plain = BeautifulSoup(body.html, "html.parser")
    browser = BeautifulSoup(f"<body>{body.html}", "html5lib").body
    assert browser is not None
    assert plain.decode_contents() == browser.decode_contents()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_addresses_lead_to_the_web_or_nowhere(scheme):
    body = everything(page_of(f"<p><a href='{scheme}{CANARY}'>x</a><img src='{scheme}y'>"))
    for link in body.links:
        assert link.url.startswith("https:")
    holds_only_what_is_allowed(body.html)


ODD = st.text(st.sampled_from("ab1 *_`[]()!<>&;|\\~#+-=.\"'\n"), max_size=25)


@given(st.lists(ODD, min_size=1, max_size=4), st.sampled_from(("p", "li", "td", "h2", "dd")))
def test_markdown_shows_the_characters_of_the_page(texts, tag):
    page = BeautifulSoup("<body></body>", "lxml")
    assert page.body is not None
    for text in texts:
        element = page.new_tag(tag)
        element.string = text
        page.body.append(element)
    body = everything(page_of(str(page)))
    shown = BeautifulSoup(READER.render(body.markdown), "html.parser")
    assert {element.name for element in shown.find_all(True)} <= TAGS
    assert shown.find(["a", "img", "s", "code", "strong", "em"]) is None
    expected = BeautifulSoup(body.html, "html.parser").get_text()
    if tag != "dd":  # a parser without definition lists shows their marker as text
        assert "".join(shown.get_text().split()) == "".join(expected.split())


def test_code_that_holds_fences_stays_code():
    fence = "a\n```\n&lt;b&gt;\n````\n\nend"
    body = everything(page_of(f"<blockquote><pre>{fence}</pre></blockquote><p><code>x`y</code>"))
    code = [token.content for token in tokens(body.markdown) if token.type == "fence"]
    assert set(code) == {"a\n```\n<b>\n````\n\nend\n"}
    is_safe_markdown(body)


def test_numbers_on_a_page_do_not_inflate_the_output():
    cells = "<td colspan=99999>x</td>" * 50
    page = f"<table><tr>{cells}</tr></table><ol start=999999999999><li>one</li></ol>"
    body = everything(page_of(page))
    assert len(body.markdown) < 60_000
    assert "1. one" in body.markdown


def hostile_article() -> miolo.Extraction:
    title = f"<img src=x onerror={CANARY}> [go](javascript:{CANARY})\n# more {ESCAPES}"
    story = "Words that make a paragraph of an article, and some more of them. " * 12
    page = page_of(f"<h1>x</h1><p>{story}</p><pre>=1+1 {ESCAPES}</pre>")
    article = miolo.extract_snapshot(page, "nce")
    metadata = replace(article.metadata, title=title, authors=("=cmd", "@x"))
    return replace(article, deferred_metadata=known(metadata))


@pytest.mark.parametrize("form", list(FORMATS))
def test_no_output_controls_a_terminal(form):
    assert printable(format_extraction(hostile_article(), form)) == format_extraction(
        hostile_article(), form
    )


def test_a_title_is_one_line_of_text_in_markdown_and_html():
    article = hostile_article()
    heading, *rest = READER.parse(format_extraction(article, "markdown"))[1:]
    assert [child.type for child in heading.children or ()] == ["text"]
    assert "# more" in heading.content
    assert rest[0].type == "heading_close"
    page = BeautifulSoup(format_extraction(article, "html"), "html.parser")
    assert page.find("img") is None
    assert page.h1 is not None
    holds_only_what_is_allowed(format_extraction(article, "html").removeprefix("<article>")[:-10])


def test_structured_outputs_are_well_formed_whatever_they_contain():
    article = hostile_article()
    content = json.loads(format_extraction(article, "json"))
    assert printable(content["title"]) == printable(article.title)
    tei = etree.fromstring(format_extraction(article, "tei").encode())
    assert tei.findtext(".//{*}title") == printable(article.title)
    (row,) = csv.DictReader(io.StringIO(format_extraction(article, "csv")))
    assert row["authors"] == "=cmd; @x"  # data is not altered for spreadsheets


def test_messages_are_one_line_without_control_characters(capsys):
    print_error(f"page\r\nmiolo: forged {ESCAPES} \u202etxt.exe")
    output = capsys.readouterr().err
    assert output.count("\n") == 1
    assert not set(output[:-1]) & set("\x1b\r\x9b\x07\x7f\u202e")
    assert output.startswith("miolo: page miolo: forged")


@given(st.text(max_size=60))
def test_printable_keeps_everything_that_can_be_shown(text):
    assert len(printable(text)) == len(text)
    assert printable(printable(text)) == printable(text)
    assert not set(printable_line(text)) & set(map(chr, range(32)))


UNSAFE = {
    "note": (
        "<p id=back>Loaves<sup><a href=#n1>1</a></sup></p>"
        "<ol class=footnotes><li id=n1>javascript:alert(1) &quot;Loaf&quot; "
        "<a href=#back>^</a></ol>"
    ),
    "bracket in a formula": (
        "<p><math><mo>[</mo><mn>0</mn><mo>,</mo><mn>1</mn></math> ](javascript:alert(1))</p>"
    ),
    "dollar in an address": (
        "<p><a href='https://ok.example/$'>costs $</a> loaf ](javascript:alert(1))</p>"
    ),
    "dollar in an alternative text": (
        "<p><img src=/a.png alt='$'> ](javascript:alert(1)) <math><mi>x</mi></math></p>"
    ),
}


@pytest.mark.parametrize("page", UNSAFE)
@pytest.mark.parametrize("plugins", [False, True])
def test_text_of_notes_formulas_and_addresses_is_no_link(page, plugins):
    body = everything(page_of(UNSAFE[page]))
    written = reader(plugins=plugins).render(body.markdown)
    links = BeautifulSoup(written, "html.parser").find_all("a")
    assert not [link for link in links if "javascript" in str(link.get("href"))]


@pytest.mark.parametrize("width", range(20, 60))
def test_wrapped_code_is_no_markup(width):
    text = "&lt;iframe srcdoc=x> &lt;/p> [^1]: ~~~ # - 1. end"
    body = everything(
        page_of(f"<p>Some text and an <code>element {text}</code> or <code>{text}</code></p>")
    )
    written = to_markdown(body.document(), wrap=width)
    code = BeautifulSoup(reader(plugins=False).render(written), "html.parser").find_all("code")
    assert [each.get_text().split()[-1] for each in code] == ["end", "end"]
