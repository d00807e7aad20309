"""The clean tree and everything written from it."""

import json
import pickle
from dataclasses import replace

import lxml.etree as etree
import miolo
import numpy as np
import pytest
from miolo.cli.shared_options import FORMS
from miolo.extract.methods.nce import nce
from miolo.extract.methods.selection import Selection
from miolo.extract.pipeline import compose
from miolo.output.formats import FORMATS, format_extraction
from miolo.output.schema import FIELDS

RICH = """<title>T</title><body><h2 id=x onclick=evil()>Head</h2>
<p>One <b>bold</b> <a href="/rel?a=1">link</a>, <a href="javascript:alert(1)">bad</a>.</p>
<ul><li>first<ul><li>inner</li></ul></li><li>second</li></ul><ol start=3><li>third</ol>
<blockquote>loose quote</blockquote><pre><code>if a:\n    b()</code></pre>
<table><tr><th>A<th>B</tr><tr><td colspan=2>wide</td></tr></table>
<figure><img src="data:image/gif;base64,x" data-src="/pic.jpg" alt="a pic">
<figcaption>caption</figcaption></figure>
<div>loose <i>text</i><br>second line<div>inner div</div>tail</div><script>evil()</script>"""


@pytest.fixture(scope="module")
def article():
    return whole_page()


def whole_page() -> miolo.Extraction:
    """The extraction of a method that keeps the whole page."""
    page = miolo.Snapshot.from_html(RICH, url="https://example.org/a/b")
    n = len(page)
    selection = Selection(
        kept=np.ones(n, bool),
        scores=np.ones(n, np.float32),
        reason=np.zeros(n, np.int32),
        reasons=("all is kept",),
        comments=np.zeros(n, bool),
    )
    return compose(page, selection, "all")


def test_lazy_formats_are_the_same_after_copying_and_pickling(article):
    assert "<script" not in article.html
    for copied in (
        replace(whole_page(), comments=("other",)),
        pickle.loads(pickle.dumps(whole_page())),
    ):
        assert (copied.html, copied.markdown) == (article.html, article.markdown)
        assert copied.links == (miolo.Link("link", "https://example.org/rel?a=1"),)


def test_an_extraction_holds_nothing_of_the_page_beyond_its_body():
    source = f"<p>{'kept words ' * 40}</p><nav hidden title='{'x' * 10**6}'>{'y' * 10**6}</nav>"
    article = miolo.extract_snapshot(miolo.Snapshot.from_html(source), "nce")
    assert "kept words" in article.html
    assert len(pickle.dumps(article)) < 20_000


def test_json_keeps_its_order_and_has_plain_values(article):
    loaded = json.loads(format_extraction(article, "json"))
    assert list(loaded) == list(FIELDS)
    assert loaded["links"] == [{"text": "link", "url": "https://example.org/rel?a=1"}]
    assert not {"body", "scores", "reason", "reasons", "template"} & set(loaded)


def test_formats_are_those_of_the_command_line(article):
    assert {*FORMATS, "md"} == set(FORMS)
    loaded = json.loads(format_extraction(article, "json"))
    assert loaded["text"] == article.text
    assert loaded["blocks"][0]["reason"]
    assert "\n" not in format_extraction(article, "json")
    assert format_extraction(article, "html").startswith("<article>")
    assert format_extraction(article, "markdown").startswith("# ") or not article.title


DECLARED_PAGE = """<html lang=en-GB><title>Bread rises | The Loaf</title>
<link rel=canonical href=/bread><meta property=og:site_name content="The Loaf">
<meta property=article:published_time content=2024-05-01T10:00:00Z>
<meta property=article:modified_time content=2024-05-02T10:00:00Z>
<meta property=article:section content=Food><meta property=article:tag content=bread>
<meta property=article:tag content=yeast><meta name=description content="On bread.">
<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Bread rises",
"isAccessibleForFree": false, "wordCount": 900}</script>
<body><h1>Bread rises</h1><p>Dough that is left alone in a warm place rises, and then falls.</p>"""
EXPECTED = {
    "title": "Bread rises", "date": "2024-05-01T10:00:00+00:00", "language": "en",
    "declared_language": "en-GB",
    "modified": "2024-05-02T10:00:00+00:00", "site_name": "The Loaf", "section": "Food",
    "tags": ["bread", "yeast"], "description": "On bread.", "paywalled": True, "truncated": True,
    "canonical_url": "https://loaf.example/bread", "url": "https://loaf.example/bread?utm=1",
}  # fmt: skip


def test_all_outputs_contain_the_declared_metadata():
    page = miolo.Snapshot.from_html(DECLARED_PAGE, url=EXPECTED["url"])
    article = miolo.extract_snapshot(page, "nce")
    loaded = json.loads(format_extraction(article, "json"))
    assert {name: loaded[name] for name in EXPECTED} == EXPECTED
    assert set(article.provenance) == set(EXPECTED) - {"url"}
    assert article.provenance["title"].startswith("h1 element, node ")
    assert article.provenance["title"].endswith(", node " + str(nce(page).title))
    tei = etree.fromstring(format_extraction(article, "tei").encode())
    assert [term.text for term in tei.iterfind(".//{*}term")] == ["Food", "bread", "yeast"]
    assert [date.text for date in tei.iterfind(".//{*}publicationStmt/{*}date")] == [
        EXPECTED["date"],
        EXPECTED["modified"],
    ]
    assert tei.find(".//{*}availability").get("status") == "restricted"
    assert tei.findtext(".//{*}availability/{*}p") == "restricted"
    assert tei.findtext(".//{*}abstract/{*}p") == "On bread."
    assert EXPECTED["canonical_url"] in [ptr.get("target") for ptr in tei.iterfind(".//{*}ptr")]
