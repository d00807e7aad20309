"""Guarantees of every extraction method."""

import miolo
import numpy as np
import pytest
from miolo import Learned, Snapshot
from miolo.extract.methods.registry import method_variants
from newsroom import ARTICLES

PAGES = 5

METHODS = method_variants()

HOSTILE = {
    "empty": "",
    "no text": "<body><div><img src=a.png></div><hr></body>",
    "one word": "<p>word",
    "white space": "<body>   <p> </p>\n</body>",
    "punctuation": "<p>!</p><p>...</p><p>—</p>",
    "frames of nothing": "<table><tr><td></td></tr></table><ul><li></ul>",
    "deep": "<div>" * 3000 + "deep down" + "</div>" * 3000,
    "wide": "<p>word <a href=/x>link</a></p>" * 500,
    "lone surrogates": "<p>\ud800 broken</p>",
}


@pytest.fixture(scope="module")
def pages(stage):
    return stage.articles(next(iter(ARTICLES.values()))[: PAGES + 1])


@pytest.fixture(scope="module")
def learned_site(pages):
    return miolo.learn_site(pages[:PAGES])


@pytest.fixture(scope="module")
def blank_site():
    return miolo.learn_site(
        Snapshot.from_html(f"<p>page {n}", url=f"https://ledger.example/{n}") for n in range(3)
    )


@pytest.mark.parametrize("method", METHODS)
def test_every_node_has_a_score_and_a_reason(method, pages, learned_site):
    for page in (pages[0], pages[PAGES]):
        selection = METHODS[method].select(page, Learned(learned_site))
        assert selection.kept.shape == selection.scores.shape == selection.reason.shape
        assert selection.kept.shape == (len(page),)
        assert selection.kept.dtype == bool
        assert ((selection.scores >= 0) & (selection.scores <= 1)).all()
        assert ((selection.reason >= 0) & (selection.reason < len(selection.reasons))).all()
        assert all(selection.reasons)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_snapshot_gives_the_same_extraction(method, pages, learned_site, tmp_path):
    page = pages[PAGES]
    page.save(tmp_path / "page.miolo")
    again = Snapshot.load(tmp_path / "page.miolo")
    learned_site.save(tmp_path / "site.json")
    restored = miolo.Site.load(tmp_path / "site.json")
    first = miolo.extract_snapshot(page, method, site=learned_site)
    second = miolo.extract_snapshot(page, method, site=learned_site)
    third = miolo.extract_snapshot(again, method, site=restored)
    for other in (second, third):
        assert other.text == first.text
        assert np.array_equal(other.scores, first.scores)
        assert list(other.reasons) == list(first.reasons)


STORY = "The ferry sails until midnight from the first Saturday in June, the harbour said. " * 4
PICTURED = f"""<title>Ferry sails late</title><body>
  <header><a href=/><img src=/logo.png></a> <a href=/a>Home</a> <a href=/b>Harbour</a></header>
  <main><h1>Ferry sails late</h1><p>{STORY}<br>{STORY}</p><figure><img src=/ferry.jpg></figure>
  <p>{STORY}</p></main>
  <footer><a href=/c><img src=/partner.png></a> <a href=/d>Imprint</a></footer></body>"""


@pytest.mark.parametrize("method", ["nce", "template"])
def test_pictures_and_breaks_among_the_text_are_in_the_markup(stage, method):
    article = miolo.extract_snapshot(stage.html(PICTURED), method)
    assert "ferry.jpg" in article.html
    assert "<br>" in article.html
    assert "logo.png" not in article.html
    assert "partner.png" not in article.html


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("method", METHODS)
def test_odd_pages_can_be_extracted(method, what, blank_site):
    page = Snapshot.from_html(HOSTILE[what].encode("utf-8", "surrogatepass"))
    try:
        article = miolo.extract_snapshot(page, method, site=blank_site)
    except miolo.PageNotAcceptedError:
        return
    assert len(article.scores) == len(page)
    assert article.text or article.warnings or article.records is not None
