"""The model of page kinds: its file, predictions and training."""

import miolo
import numpy as np
import pytest
from miolo.features.page_kind import PAGE_KIND_FEATURES
from miolo.models.kinds.model import ARTICLE, shipped_kind_model, train_kinds

WIDE = len(PAGE_KIND_FEATURES)
LONG = "A sentence about the harbour that goes on for a while, as sentences there do. " * 4
STORY = f"<title>T</title><body><article><h1>The harbour</h1>{f'<p>{LONG}</p>' * 9}</article>"
SHOP = (
    '<meta property="og:type" content="product"><script type="application/ld+json">'
    '{"@type": "Product", "offers": {"@type": "Offer"}}</script><div class="product product-page">'
    "<h1>Anchor</h1><div class=price>$ 99.00</div><form class=cart><select></select>"
    "<button class=add-to-cart>Add to cart</button></form><p>In stock</p></div>"
)
THREAD = "".join(
    f"<div class='post topic-post'><img class=avatar src=x>"
    f"<a class=username href=/u/{n}>user{n}</a><p>{LONG}</p>"
    "<button>Reply</button><span>3 likes</span></div>"
    for n in range(12)
)


def judge(html, url="about:blank"):
    return shipped_kind_model().judge(miolo.Snapshot.from_html(html, url=url))


@pytest.mark.parametrize(
    ("html", "url", "kind"),
    [
        (STORY, "https://paper.example/town/the-harbour-at-night", "article"),
        (STORY, "about:blank", "article"),
        (SHOP, "https://shop.example/products/anchor", "product"),
        (SHOP, "about:blank", "product"),
        (THREAD, "https://forum.example/t/the-harbour/12345", "forum"),
    ],
)
def test_the_shipped_model_recognises_clear_cases(html, url, kind):
    judgement = judge(html, url)
    assert judgement.kind == kind
    assert judgement.is_article is (kind == ARTICLE)
    assert sum(judgement.probabilities.values()) == pytest.approx(1)
    assert [w.code for w in judgement.warnings] == ([] if kind == ARTICLE else ["not-an-article"])


NAV = "<nav><a href=/>Home</a> <a href=/news>News</a> <a href=/about>About us</a></nav>"
LAYOUTS = {
    "plain": "<h1>{title}</h1>{text}",
    "article": "<title>{title}</title><article><h1>{title}</h1>{text}</article>",
    "div": "<title>{title}</title><div id=content><h2>{title}</h2><div>{text}</div></div>",
    "main": f"{NAV}<main><h1>{{title}}</h1>{{text}}</main><footer>Copyright 2024</footer>",
    "table": f"<table><tr><td>{NAV}<td><h1>{{title}}</h1>{{text}}</table>",
}
NEWS = (
    "The council voted on Tuesday to close the swimming hall for two years.",
    "Work is expected to start in March and to cost about four million euros.",
    "The hall opened in 1968 and is used by eleven schools and three clubs.",
    "The architects will present their plans at a meeting in the town hall.",
    "A spokesman for the largest club said its members would train elsewhere.",
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("url", ["about:blank", "https://example.com/page.html"])
def test_a_short_article_in_a_plain_layout_is_no_list(layout, count, url):
    text = "".join(f"<p>{paragraph}</p>" for paragraph in NEWS[:count])
    judgement = judge(LAYOUTS[layout].format(title="The hall closes", text=text), url)
    assert judgement.warnings == ()
    assert judgement.kind == ARTICLE or url != "about:blank"


@pytest.mark.parametrize("url", ["about:blank", "https://example.com/page.html"])
def test_a_plain_list_of_links_is_no_article(url):
    links = "".join(f"<li><a href=/{n}>{title}</a></li>" for n, title in enumerate(NEWS * 3))
    judgement = judge(f"<title>News</title>{NAV}<h1>News</h1><ul>{links}</ul>", url)
    assert judgement.kind == "listing"
    assert judgement.warnings


def test_the_warning_names_its_evidence():
    judgement = judge(SHOP, "https://shop.example/products/anchor")
    (warning,) = judgement.warnings
    assert "a product page" in warning.message
    assert all(str(each) in warning.message for each in judgement.evidence)
    assert [each.part for each in judgement.evidence] == sorted(
        (each.part for each in judgement.evidence), reverse=True
    )
    assert all(each.part > 0 for each in judgement.evidence)


def test_the_odds_follow_from_the_weights():
    model = shipped_kind_model()
    row = np.linspace(-3, 3, WIDE)
    judgement = model.judge_row(row)
    p = np.array([judgement.probabilities[kind] for kind in model.kinds])
    parts = model.weights @ model.standardise(row[None])[0] + model.bias
    assert np.log(p / p.min()) == pytest.approx(parts - parts[p.argmin()])


def test_missing_features_count_as_the_mean():
    model = shipped_kind_model()
    missing = model.probabilities(np.full((1, WIDE), np.nan))
    assert missing == pytest.approx(model.probabilities(model.mean[None]))


def pages(count=120, kinds=("article", "forum", "product"), seed=0):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(count, WIDE)).astype(np.float32)
    code = np.arange(count) % len(kinds)
    rows[np.arange(count), code] += 6
    rows[random.random(rows.shape) < 0.05] = np.nan
    rows[:, 20] = np.nan  # known for no page
    names = np.array(kinds)[code]
    return rows, names, np.ones(count)


@pytest.mark.parametrize("kinds", [("article", "forum"), ("article", "forum", "product")])
def test_training_learns_and_is_deterministic(kinds):
    examples = pages(kinds=kinds)
    model, again = (train_kinds(*examples, strength=1.0) for _ in range(2))
    assert np.array_equal(model.weights, again.weights)
    rows, names, _ = pages(kinds=kinds, seed=1)
    predicted = [model.judge_row(row).kind for row in rows]
    assert np.mean(np.array(predicted) == names) > 0.9


def test_training_needs_articles_and_others():
    for kinds in (("article",), ("forum", "product")):
        with pytest.raises(ValueError, match="requires articles"):
            train_kinds(*pages(kinds=kinds))
