"""Content Extractor and X-CEX on the local news site: unseen pages of one template."""

import miolo
import pytest
from miolo.extract.scoring import token_score
from newsroom import ARTICLES

LEARNED = 10


@pytest.fixture(scope="module", params=ARTICLES)
def template(request):
    return request.param


@pytest.fixture(scope="module")
def pages(stage, template):
    return stage.articles(ARTICLES[template])


@pytest.fixture(scope="module")
def learned_site(pages):
    return miolo.learn_site(pages[:LEARNED])


def scores(template, pages, learned_site, method):
    return [
        token_score(
            " ".join(article.paragraphs),
            miolo.extract_snapshot(page, method, site=learned_site).text,
        )
        for article, page in zip(ARTICLES[template], pages, strict=True)
    ]


def test_rendered_blocks_have_a_higher_recall_than_blocks_by_tags(template, pages, learned_site):
    as_rendered = scores(template, pages, learned_site, "x-cex:rendered")
    by_tags = scores(template, pages, learned_site, "x-cex")
    recall = sum(score.recall for score in as_rendered) / len(as_rendered)
    # Blocks by tags lose the text outside the listed tags: all text of a page without such tags.
    assert recall > max(0.75, sum(score.recall for score in by_tags) / len(as_rendered))
    assert sum(score.f1 for score in as_rendered) / len(as_rendered) > 0.7


def test_a_site_learned_without_the_part_is_an_error(pages):
    bare = miolo.learn_site(pages[:3], parts=("x-cex",))
    with pytest.raises(miolo.MissingSiteError, match="no data for the method content-extractor"):
        miolo.extract_snapshot(pages[0], "content-extractor", site=bare)
    with pytest.raises(ValueError, match="no part"):
        miolo.learn_site(pages[:3], parts=("telepathy",))
