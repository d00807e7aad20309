"""The methods style-tree, infodiscoverer and pagelets on whole pages."""

from __future__ import annotations

import miolo
import numpy as np
import pytest
from miolo.extract.pipeline import compose
from miolo_research.infodiscoverer.entropy import TermPages
from miolo_research.infodiscoverer.method import InfoDiscovererOptions, infodiscoverer
from miolo_research.pagelets.method import pagelets
from miolo_research.pagelets.regions import PageletPages
from miolo_research.style_tree.importance import StylePages
from miolo_research.style_tree.method import style_tree
from miolo_research.style_tree.report import html_report_of_style_tree

MENU = "<nav>" + "".join(f"<a href=/{w}>{w}</a>" for w in "home news sport".split()) + "</nav>"
FOOT = "<footer><p>Written by the people of the town and printed daily</p></footer>"

METHODS = {
    "style-tree": (StylePages, style_tree),
    "infodiscoverer": (TermPages, infodiscoverer),
    "pagelets": (PageletPages, pagelets),
}
each_method = pytest.mark.parametrize(("part", "method"), METHODS.values(), ids=list(METHODS))


def page(body, number=0):
    html = f"<html lang=en><body data-page={number}>{MENU}<main>{body}</main>{FOOT}"
    return miolo.Snapshot.from_html(html, url=f"https://example.org/{number}")


def story(number):
    paragraphs = [" ".join(f"word{number}x{part}x{i}" for i in range(12)) for part in range(3)]
    return "".join(f"<p>{each}</p>" for each in paragraphs)


def learn(part, pages):
    site_part = part()
    for each in pages:
        site_part.add(each)
    return site_part


def kept_text(snapshot, selection):
    return " ".join(t for t, kept in zip(snapshot.text, selection.kept, strict=True) if kept and t)


@each_method
def test_the_story_is_kept_and_the_template_is_not(part, method):
    pages = [page(story(n), n) for n in range(6)]
    site_part = learn(part, pages[:5])
    for snapshot in (pages[0], pages[5]):
        number = pages.index(snapshot)
        chosen = method(snapshot, site_part)
        text = kept_text(snapshot, chosen)
        assert all(f"word{number}x{part}x11" in text for part in range(3))
        assert "printed" not in text
        assert "sport" not in text
        assert ((chosen.scores >= 0) & (chosen.scores <= 1)).all()
        assert all(chosen.reasons[code] for code in chosen.reason.tolist())


@each_method
def test_identical_pages_are_template(part, method):
    pages = [page(story(1), n) for n in range(3)]
    chosen = method(pages[0], learn(part, pages))
    assert not chosen.kept.any()
    assert [warn.code for warn in chosen.warnings] == ["no-content"]


@each_method
def test_pages_with_nothing_in_common_are_kept(part, method):
    pages = [
        miolo.Snapshot.from_html(
            f"<div><p>only{n} this{n} page{n}</p></div>", url=f"https://e.org/{n}"
        )
        for n in range(3)
    ]
    for snapshot in pages:
        assert "page" in kept_text(snapshot, method(snapshot, learn(part, pages)))


@each_method
def test_two_pages_are_needed(part, method):
    for site_part in (learn(part, []), learn(part, [page(story(1))])):
        with pytest.raises(miolo.MissingSiteError, match="two or more pages"):
            method(page(story(2)), site_part)


@each_method
def test_odd_pages(part, method):
    site_part = learn(part, [page(story(n), n) for n in range(3)])
    odd = ("", "<img src=/x>", "<p> </p>", "text", "<div>" * 10_000 + "deep words")
    for body in odd:
        snapshot = miolo.Snapshot.from_html(body)
        learn(part, [snapshot, page(story(1))])
        chosen = method(snapshot, site_part)
        assert chosen.kept.shape == chosen.scores.shape == (len(snapshot),)
        assert np.isfinite(chosen.scores).all()


def test_infodiscoverer_can_search_for_the_boundary():
    pages = [page(story(n), n) for n in range(4)]
    site_part = learn(TermPages, pages)
    chosen = infodiscoverer(pages[0], site_part, InfoDiscovererOptions(threshold=None))
    assert "word0x2x11" in kept_text(pages[0], chosen)
    assert "printed" not in kept_text(pages[0], chosen)
    assert not infodiscoverer(pages[0], site_part, InfoDiscovererOptions(threshold=-1)).kept.any()


def test_global_pagelets_need_links_between_the_pages():
    apart = [page(story(n), n) for n in range(3)]
    joined = [page(story(n) + f"<a href=/{(n + 1) % 3}>next</a>", n) for n in range(3)]
    for pages, template in ((apart, False), (joined, True)):
        chosen = pagelets(pages[0], learn(PageletPages, pages), "global")
        assert ("printed" in kept_text(pages[0], chosen)) != template
    with pytest.raises(ValueError, match="must be 'local' or 'global'"):
        pagelets(apart[0], learn(PageletPages, apart), "both")  # pyright: ignore


@each_method
def test_rendered_pages_of_a_site(stage, part, method):
    from newsroom import ARTICLES

    articles = next(iter(ARTICLES.values()))[:5]
    pages = stage.articles(articles)
    site_part = learn(part, pages)
    article = compose(pages[0], method(pages[0], site_part), "it")
    assert article.title == articles[0].title
    assert len(article.text) > 500


def test_the_style_tree_is_shown(open_report):
    evil = "</script><script>window.owned=1</script>"
    pages = [page(story(n) + f"<p>{evil.replace('<', '&lt;')} {n}</p>", n) for n in range(4)]
    site_part = learn(StylePages, pages)
    opened = open_report(html_report_of_style_tree(site_part, pages[0], title=f"Ledger {evil}"))
    assert opened.locator("h1").text_content() == f"Ledger {evil}"
    assert opened.evaluate("window.owned") is None
    menu = opened.locator("details.noise", has_text="nav").last
    assert menu.get_attribute("open") is None
    assert opened.get_by_text("word0x0x0").is_visible()
    assert not opened.get_by_text("sport").is_visible()
    deep = [miolo.Snapshot.from_html("<div>" * 10_000 + f"{n}") for n in range(2)]
    assert "element node" in html_report_of_style_tree(learn(StylePages, deep))
