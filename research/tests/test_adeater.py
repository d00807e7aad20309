"""The adeater method removes advertisements with their links and captions, and nothing else."""

from __future__ import annotations

import adverts
import numpy as np
import pytest
from miolo import Snapshot
from miolo.extract.pipeline import compose
from miolo_research.adeater.images import PageImages, page_images
from miolo_research.adeater.method import AdOptions, adeater
from miolo_research.adeater.model import AdModel
from miolo_research.adeater.training import AdSetting, LabelledImages, train_ads

HOME = "https://news.example.org/story"
TEXT = "<p>A paragraph of the story, which is long enough to be read by everybody.</p>"
ADVERT = '<a href="https://shop.example.com/click?z=1">{}<img src="/sale.gif" alt="Sale"></a>'
PICTURE = '<a href="/boats"><img src="/boat.png" alt="A boat"></a>'


@pytest.fixture(scope="module")
def model() -> AdModel:
    """A model with one rule: an image with the word "sale" is an advertisement."""
    nodes = np.arange(8)
    phrases = (frozenset(["alt:sale"]),) * 4 + (frozenset(),) * 4
    images = PageImages(nodes, nodes, nodes, np.zeros((8, 5), np.float32), phrases)
    return train_ads([LabelledImages(images, nodes < 4)], AdSetting(min_count=1))


def kept_images(html, model, options=None):
    page = Snapshot.from_html(html, url=HOME)
    selection = adeater(page, options, model)
    return page, selection, compose(page, selection, "adeater")


def test_advertisements_go_and_everything_else_stays(model):
    html = f"<h1>Boats</h1>{TEXT}{ADVERT.format('Buy now')}{PICTURE}<footer>Imprint</footer>"
    page, selection, article = kept_images(html, model)
    for form in (article.html, article.markdown):
        assert "boat.png" in form
        assert "sale.gif" not in form
        assert "click?z=1" not in form
    assert "Buy now" not in article.text
    assert "Imprint" in article.text
    kept = selection.kept[page.with_tag("img")]
    assert kept.tolist() == [False, True]


def test_reasons_name_the_rule_and_its_figures(model):
    html = f"{TEXT}{ADVERT.format('Buy now')}{PICTURE}<img src=c.png>"
    page, selection, _ = kept_images(html, model)
    reasons = [selection.reasons[code] for code in selection.reason]
    advert, picture, loose = page_images(page).nodes.tolist()
    assert reasons[advert].endswith(": an advertisement, as were 4 of 4 training images")
    assert "“sale” in alt" in reasons[advert]
    assert reasons[picture].endswith(": not an advertisement, as were 4 of 4 training images")
    assert reasons[loose] == "an image that is not linked is not judged"
    assert reasons[page.text.index("Buy now")] == "link or caption of an advertisement"
    assert selection.scores[[advert, picture, loose]].tolist() == [0, 1, 1]
    assert selection.scores.dtype == np.float32
    assert ((selection.scores >= 0) & (selection.scores <= 1)).all()


def test_a_figure_goes_only_with_all_its_images(model):
    caption = "<figcaption>Seen at the fair</figcaption>"
    alone = kept_images(f"{TEXT}<figure>{ADVERT.format('')}{caption}</figure>", model)[2]
    assert "Seen at the fair" not in alone.text
    both = kept_images(f"{TEXT}<figure>{ADVERT.format('')}{PICTURE}{caption}</figure>", model)[2]
    assert "Seen at the fair" in both.text
    assert "boat.png" in both.html
    assert "sale.gif" not in both.html


def test_a_link_goes_only_with_all_its_images(model):
    link = ADVERT.format("<img src='/boat.png' alt='A boat'>Both")
    article = kept_images(TEXT + link, model)[2]
    assert "Both" in article.text
    assert "boat.png" in article.html
    assert "sale.gif" not in article.html


def test_options(model):
    html = TEXT + ADVERT.format("Buy now")
    assert "sale.gif" in kept_images(html, model, AdOptions(threshold=1))[2].html
    loose = f"{TEXT}<img src='/sale.gif' alt='Sale'>"
    assert "sale.gif" in kept_images(loose, model)[2].html
    assert "sale.gif" not in kept_images(loose, model, AdOptions(linked_only=False))[2].html


def test_the_method_is_deterministic(model):
    first, second = (kept_images(TEXT + ADVERT.format("x"), model)[1] for _ in range(2))
    assert first.scores.tolist() == second.scores.tolist()
    assert first.reasons == second.reasons


@pytest.mark.parametrize("html", ["", "<p>", "<img>", TEXT, "<b>" * 10_000 + ADVERT.format("x")])
def test_nearly_empty_pages_give_a_selection(html):
    page = Snapshot.from_html(html, url=HOME)
    selection = adeater(page)
    assert len(selection.kept) == len(page)
    codes = {warning.code for warning in selection.warnings}
    assert ("no-images" in codes) == (not page.with_tag("img").any())
    assert compose(page, selection, "adeater").html is not None


def test_the_shipped_model_on_the_local_site(stage):
    """The model removes most advertisements and few other images, which is better than chance."""
    hits = ads = alarms = others = 0
    for path in adverts.PATHS[::4]:
        page = stage.render(path)
        selection = adeater(page)
        for node, label in page.attributes.with_attribute(adverts.LABEL):
            advert, removed = label == adverts.AD, not selection.kept[node]
            hits, ads = hits + (advert and removed), ads + advert
            alarms, others = alarms + (removed and not advert), others + (not advert)
    assert ads >= 20
    assert hits / ads > 0.6
    assert alarms / others < 0.1
