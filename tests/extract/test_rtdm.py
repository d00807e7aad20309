"""The rtdm method on unseen pages of the local news site, which has three templates."""

import miolo
import pytest
from miolo.extract.scoring import token_score
from newsroom import ARTICLES

LEARNED = 8


@pytest.fixture(scope="module")
def pages(stage):
    return {name: stage.articles(stories) for name, stories in ARTICLES.items()}


@pytest.fixture(scope="module")
def partial_site(pages):
    """A site learned without the last pages of each template."""
    piles = [site_pages[:LEARNED] for site_pages in pages.values()]
    return miolo.learn_site(page for pile in piles for page in pile)


@pytest.mark.parametrize("template", ARTICLES)
def test_unseen_articles_are_read(partial_site, pages, template):
    right = []
    for article, page in zip(ARTICLES[template], pages[template], strict=True):
        if page in pages[template][:LEARNED]:
            continue
        read = miolo.extract_snapshot(page, "rtdm", site=partial_site)
        right.append(token_score(" ".join(article.paragraphs), read.text).f1)
        assert read.title == article.title
        assert read.method == "rtdm"
        assert all(read.why(node) for node in range(len(page)))
    assert min(right) > 0.75
    assert sum(right) / len(right) > 0.85


def test_fields_are_named_where_the_page_names_them(partial_site, pages):
    read = miolo.extract_snapshot(pages["semantic"][-1], "rtdm", site=partial_site)
    names = {passage.name: passage.text for passage in read.passages}
    assert {"title", "author", "date", "body"} <= set(names)
    assert read.date
    assert read.authors
    assert "html/body" in next(p.place for p in read.passages if p.name == "date")
