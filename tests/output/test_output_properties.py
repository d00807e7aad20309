"""Output is read back by parsers of Markdown and HTML, and compared word by word."""

import json
import re
from dataclasses import replace
from html import escape
from itertools import pairwise
from unicodedata import normalize

import lxml.etree as etree
import miolo
import yaml
from bs4 import BeautifulSoup, Tag
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin
from miolo.features.words import words
from miolo.output.body import Body
from miolo.output.metadata import Metadata, known
from payloads import everything

READER = (
    MarkdownIt("commonmark", {"html": True})
    .enable(["table", "strikethrough"])
    .use(footnote_plugin)
    .use(deflist_plugin)
    .use(tasklists_plugin)
    .use(dollarmath_plugin)
)

PIECES = "one two three 4 five_six *seven* [8] nine. <b> & $9 $x$ `c` # - | ~~".split()
WORDS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map(" ".join)
TEXT = WORDS.map(escape)
INLINE_TAGS = st.sampled_from(
    ("em", "strong", "b", "i", "del", "code", "sub", "sup", "a href=/x", "kbd", "mark", "span", "q")
)


def element(tag: str, inner: str) -> str:
    return f"<{tag}>{inner}</{tag.split()[0]}>"


INLINES = st.recursive(
    TEXT,
    lambda inner: st.one_of(
        st.builds(element, INLINE_TAGS, inner),
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=2).map("<br>".join),
    ),
    max_leaves=6,
)
CELL = st.one_of(st.just(""), TEXT)


def _list(tag: str, items: list[str]) -> str:
    return element(tag, "".join(element("li", item) for item in items))


def _table(rows: list[list[str]]) -> str:
    head, *body = rows
    cells = ["".join(element("th", cell or "h") for cell in head)]
    cells += ["".join(element("td", cell) for cell in row[: len(head)]) for row in body]
    return element("table", "".join(element("tr", row) for row in cells))


def _figure(caption: str, is_above: bool) -> str:
    parts = (f"<figcaption>{caption}</figcaption>", "<img src=/p.jpg alt=''><pre>code of it</pre>")
    return f"<figure>{''.join(parts if is_above else parts[::-1])}</figure>"


BLOCKS = st.recursive(
    st.one_of(
        st.builds(element, st.sampled_from(("p", "h2", "h5", "div")), INLINES),
        TEXT.map(lambda code: f"<pre>{code}\n  {code}</pre>"),
        st.lists(st.lists(CELL, min_size=2, max_size=3), min_size=2, max_size=4).map(_table),
        st.builds(_figure, INLINES, st.booleans()),
    ),
    lambda inner: st.one_of(
        st.builds(element, st.just("blockquote"), inner),
        st.builds(_list, st.sampled_from(("ul", "ol", "ol start=7")), st.lists(inner, max_size=3)),
        st.builds(lambda text, rest: _list("ul", [text + rest]), INLINES, inner),
        st.builds(lambda t, d: f"<dl><dt>{t}</dt><dd>{d}</dd></dl>", INLINES, inner),
        st.lists(inner, min_size=1, max_size=3).map("".join),
    ),
    max_leaves=8,
)


def body_of(source: str) -> Body:
    return everything(miolo.Snapshot.from_html(f"<body>{source}", url="https://site.example/a"))


def article_of(source: str) -> miolo.Extraction:
    return replace(miolo.extract_snapshot(miolo.Snapshot.from_html("<p>x")), body=body_of(source))


def read_words(markup: str) -> list[str]:
    """Words of HTML. Cells, items and lines separate words, and inline elements do not."""
    tree = BeautifulSoup(f"<body>{markup}", "html5lib")
    for inner in tree.find_all(
        ["br", "p", "div", "li", "td", "th", "dt", "dd", "tr", "figcaption", "h2", "h5", "pre"]
    ):
        inner.insert_before(" ")
        inner.insert_after(" ")
    return words(tree.get_text())


# List markers. The first line of an item may begin with the marker of a nested list.
LIST_MARKS = re.compile(r"^ *(?:(?:-|\d+\.) )+", re.MULTILINE)


@given(BLOCKS, st.integers(10, 60))
def test_the_words_of_every_format_are_those_of_the_page_in_order(source, wrap):
    article = article_of(source)
    expected = read_words(source)
    assert read_words(article.html) == expected
    shown = READER.render(article.markdown)
    assert read_words(shown) == expected
    options = miolo.WriteOptions(wrap=wrap)
    wrapped = READER.render(miolo.format_extraction(article, "markdown", options))
    assert re.sub(r"\s+", " ", wrapped) == re.sub(r"\s+", " ", shown)
    # Digits may be superscripts or subscripts.
    assert words(normalize("NFKC", LIST_MARKS.sub("", article.text))) == expected
    root = etree.fromstring(miolo.format_extraction(article, "tei").encode())
    text = "".join(root.find(".//{*}body").itertext())
    html = BeautifulSoup(article.html, "html5lib").get_text()
    assert "".join(words(text)) == "".join(words(html))


def grid(table: Tag) -> list[list[str]]:
    """Texts of a table's cells by row and column, as the HTML standard places them."""
    cell_of: dict[tuple[int, int], str] = {}
    rows = table.find_all("tr")
    for number, row in enumerate(rows):
        column = 0
        for cell in row.find_all(["td", "th"]):
            while (number, column) in cell_of:
                column += 1
            for below in range(min(int(str(cell.get("rowspan", 1))), len(rows) - number)):
                for beside in range(int(str(cell.get("colspan", 1)))):
                    text = cell.get_text().strip() if (below, beside) == (0, 0) else ""
                    cell_of[number + below, column + beside] = text
    width = 1 + max((column for _, column in cell_of), default=-1)
    return [
        [cell_of.get((number, column), "") for column in range(width)]
        for number in range(len(rows))
    ]


SPANS = st.tuples(st.sampled_from(["", "a", "b c", "1|2"]), st.integers(1, 2), st.integers(1, 3))


@given(st.lists(st.lists(SPANS, min_size=2, max_size=4), min_size=2, max_size=5))
def test_cells_are_where_they_are_painted(rows):
    head = "".join(f"<th>h{number}</th>" for number in range(24))
    cells = "".join(
        element(
            "tr",
            "".join(f"<td colspan={wide} rowspan={tall}>{text}</td>" for text, wide, tall in row),
        )
        for row in rows
    )
    source = f"<table><tr>{head}</tr>{cells}</table>"
    body = body_of(source)
    expected = grid(BeautifulSoup(source, "html5lib").table)
    if all(tall == 1 for row in rows for _, _, tall in row):
        expected = [row for row in expected if any(row)]
    for written in (body.html, READER.render(body.markdown)):
        table = grid(BeautifulSoup(written, "html5lib").table)
        width = len(expected[0])
        assert [row + [""] * (width - len(row)) for row in table] == expected


@given(
    BLOCKS,
    st.integers(1, 60),
    st.integers(0, 20),
    st.sampled_from((len, lambda text: len(text.split()))),
)
def test_chunks_cover_the_text_within_the_maximum_length(source, size, overlap, count):
    article = article_of(source)
    overlap = min(overlap, size - 1)
    chunks = article.chunks(size, count=count, overlap=overlap)
    assert all(count(chunk.text) <= size or len(chunk.text) == 1 for chunk in chunks)
    for before, chunk in pairwise(chunks):
        assert before.text.rstrip().endswith(chunk.text[: chunk.overlap].strip())
        assert chunk.text in article.text
    joined = "".join(chunk.text[chunk.overlap :] for chunk in chunks)
    assert "".join(joined.split()) == "".join(article.text.split())


def test_a_chunk_has_its_headings_blocks_and_boxes():
    story = "<p>Words that make a paragraph of an article, and some more of them.</p>" * 12
    source = f"<h1>Title of it</h1>{story}<h2>Part</h2>{story}<h3>Sub</h3>{story}"
    article = miolo.extract_snapshot(miolo.Snapshot.from_html(source, url="https://site.example/a"))
    chunks = article.chunks(300)
    assert {chunk.headings[1:] for chunk in chunks} == {(), ("Part",), ("Part", "Sub")}
    assert {chunk.headings[0] for chunk in chunks} == {"Title of it"}
    numbers = [number for chunk in chunks for number in chunk.blocks]
    kept = [number for number, block in enumerate(article.blocks) if block.kept]
    assert numbers == kept
    for chunk in chunks:
        assert chunk.url == "https://site.example/a"
        assert chunk.boxes == tuple(article.blocks[number].box for number in chunk.blocks)
        assert "".join(article.blocks[chunk.blocks[0]].text.split()) in "".join(chunk.text.split())


@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=3))
def test_front_matter_is_yaml_of_the_known_fields(title, tags):
    metadata = Metadata(title, tags=tuple(tags), date="2024-05-01", authors=("A: b",))
    article = replace(article_of("<p>Text"), deferred_metadata=known(metadata))
    written = miolo.format_extraction(article, "markdown", miolo.WriteOptions(front_matter=True))
    head = written.split("\n---\n", 1)[0].removeprefix("---\n")
    fields = yaml.safe_load(head)
    assert fields["authors"] == ["A: b"]
    assert fields["date"] == "2024-05-01"
    assert fields.get("title", "") == title.encode("utf-8", "replace").decode()
    assert list(fields.get("tags", [])) == [tag.encode("utf-8", "replace").decode() for tag in tags]


WRITTEN_FORMATS = ("markdown", "html", "text", "tei")

WHOLE = "".join(
    (
        "<h2>Head</h2><p>Claim<sup><a href='#fn1' id=r1>1</a></sup>, <span class=katex>"
        "<annotation encoding='application/x-tex'>a_1</annotation></span></p>",
        "<table><tr><td>a<td>b<tr><td>c<td></table><ul><li><input type=checkbox checked> done</ul>",
        "<script type='math/tex; mode=display'>\\int_0^1 x</script><pre class=lang-py>x = 1</pre>",
        "<figure><img src=/p.jpg alt=P><figcaption>Seen</figcaption></figure><hr>",
        "<iframe src=https://www.youtube.com/embed/abcdefghijk title=Film></iframe>",
        "<ol><li id=fn1>Source. <a href='#r1'>↩</a></ol>",
    )
)


def write_all(article: miolo.Extraction) -> dict[str, str]:
    return {form: miolo.format_extraction(article, form) for form in WRITTEN_FORMATS}


@given(BLOCKS)
@example(WHOLE)
def test_an_unchanged_soup_gives_the_same_article(source):
    article = article_of(source)
    assert write_all(article.replace_body(article.soup)) == write_all(article)


@given(st.lists(BLOCKS, min_size=1, max_size=4), st.data())
def test_elements_removed_from_the_soup_are_in_no_format(sources, data):
    number = data.draw(st.integers(0, len(sources) - 1))
    article, expected = (
        article_of("<hr>".join((*sources[:number], unwanted, *sources[number:])))
        for unwanted in ("<p>Unwanted <b>quux</b></p>", "")
    )
    soup = article.soup
    next(each for each in soup.find_all("p") if "quux" in each.get_text()).decompose()
    assert write_all(article.replace_body(soup)) == write_all(expected)


@given(BLOCKS, st.text(max_size=30), st.booleans())
def test_an_extraction_is_read_back_from_its_plain_values(source, title, blocks):
    article = miolo.extract_snapshot(
        miolo.Snapshot.from_html(f"<h1>{escape(title)}</h1>{source}", url="https://site.example/a")
    )
    values = article.to_dict(blocks=blocks)
    read = miolo.Extraction.from_dict(json.loads(json.dumps(values)))
    assert read.to_dict() == values
    assert ("blocks unknown" in repr(read)) == (not blocks)
    assert write_all(read) == write_all(article)
    # The representation is one line whatever the page contains.
    assert len(repr(article).splitlines()) == 1
    assert len(repr(article)) < 300


def emphasis_of_letters(html: str) -> list[tuple[str, frozenset[str]]]:
    """Each letter of a text with the kinds of emphasis around it."""
    # The reader writes the element `s` for deleted text.
    soup = BeautifulSoup(html.replace("s>", "del>") if "<s>" in html else html, "html5lib")
    return [
        (letter, frozenset(each.name for each in text.parents) & {"em", "strong", "del"})
        for text in soup.find_all(string=True)
        for letter in text
        if letter.isalpha()
    ]


EMPHASISED = st.lists(
    st.tuples(
        st.lists(st.sampled_from(("em", "strong", "del")), max_size=3, unique=True),
        st.text("ab 「」.(*", max_size=4),
    ),
    min_size=1,
    max_size=6,
)


@given(EMPHASISED)
@example([(["em", "strong"], "a"), (["em"], " b "), (["strong", "em"], "a")])
@example([(["strong"], "a "), (["strong", "em"], "b"), ([], "b")])
@example([(["em", "strong"], "a"), (["em"], "."), (["em", "strong"], ".a")])
def test_markdown_has_the_emphasis_of_the_page(parts):
    def wrapped(kinds: list[str], text: str) -> str:
        for kind in kinds:
            text = f"<{kind}>{text}</{kind}>"
        return text

    source = f"<p>{''.join(wrapped(kinds, text) for kinds, text in parts)}</p>"
    body = body_of(source)
    expected = emphasis_of_letters(source)
    assert emphasis_of_letters(body.html) == expected
    assert emphasis_of_letters(READER.render(body.markdown)) == expected
