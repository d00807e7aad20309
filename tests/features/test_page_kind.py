"""Features of the kind of a page: what they count, and their bounds on any page."""

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.blocks import text_blocks
from miolo.features.page_address import ADDRESS_FEATURES, address_features
from miolo.features.page_kind import PAGE_KIND_FEATURES, page_kind_features

LONG = "A sentence about the harbour that goes on for a while, as sentences there do. " * 4


def features(html, url="https://paper.example/town/the-harbour-story"):
    snapshot = miolo.Snapshot.from_html(html, url=url)
    row = page_kind_features(snapshot)
    assert row.dtype == np.float32
    assert row.shape == (len(PAGE_KIND_FEATURES),)
    assert not np.isinf(row).any()
    return dict(zip(PAGE_KIND_FEATURES, row.tolist(), strict=True))


def address(url):
    return dict(zip(ADDRESS_FEATURES, address_features(url).tolist(), strict=True))


@pytest.mark.parametrize(
    ("url", "feature", "value"),
    [
        ("https://a.org/", "home", 1),
        ("https://a.org/index.html", "home", 1),
        ("https://a.org/?p=12", "home", 0),
        ("https://a.org/2024/05/a-long-story.html", "dated", 1),
        ("https://a.org/2024/05/a-long-story.html", "hyphens", 2),
        ("https://a.org/2024/05/a-long-story.html", "depth", 3),
        ("https://a.org/story-1234567", "long_number", 1),
        ("https://forum.a.org/x", "forum word", 1),
        ("https://a.org/forum", "forum word", 0),
        ("https://a.org/products/anchor", "product word", 1),
        ("https://a.org/collections/all/products/anchor", "shop word", 1),
        ("https://docs.a.org/en/stable/x.html", "documentation word", 1),
        ("https://a.org/blog/x", "article word", 1),
    ],
)
def test_addresses(url, feature, value):
    assert address(url)[f"address {feature}"] == value


@pytest.mark.parametrize(
    "url",
    ["", "about:blank", "file:///tmp/x.html", "https://page.invalid/", "http://[", "https://"],
)
def test_an_address_without_information_is_missing(url):
    assert np.isnan(address_features(url)).all()
    assert np.isnan(features("<p>x", url)["address depth"])


def test_prices_and_baskets():
    by_name = features("<div>$ 9.99</div><div>12,50 €</div><button>Add to cart</button><p>9.99")
    assert by_name["prices"] == pytest.approx(np.log1p(2))
    assert by_name["words of basket"] == pytest.approx(np.log1p(1))
    # A price inside a paragraph belongs to a story.
    assert features(f"<p>{LONG} $ 9.99")["prices"] == 0


def test_declared_types():
    by_name = features(
        '<meta property="og:type" content="article"><div itemtype="https://schema.org/Product">x</div>'
        '<script type="application/ld+json">{"@type": ["NewsArticle", {broken</script>'
    )
    assert by_name["og:type article"] == 1
    assert by_name["schema.org type of article"] == pytest.approx(np.log(2))
    assert by_name["schema.org type of product"] == pytest.approx(np.log(2))


def test_named_parts_count_once_per_element():
    by_name = features("<div class='product-price productTitle'>x</div><i id=product_id>y</i>")
    assert by_name["parts named for product"] == pytest.approx(np.log1p(2))
    assert features("<div class=reproduction>x</div>")["parts named for product"] == 0


def test_the_run_of_long_paragraphs():
    run = f"<p>{LONG}</p><h2>Head</h2><p>{LONG}</p><figure>x</figure><p>{LONG}</p>"
    links = "".join(f"<p><a href=/{n}>Teaser {n}</a></p>" for n in range(9))
    by_name = features(f"{links}{run}{links}<p>{LONG}</p>")
    one = len(LONG.strip())
    assert by_name["long paragraphs"] == pytest.approx(np.log1p(4))
    assert by_name["longest run"] == pytest.approx(np.log1p(3 * one))
    assert by_name["run places"] == pytest.approx(np.log1p(5))
    assert 0 < by_name["link density"] < by_name["long share"] < 1


def test_values_of_what_a_page_does_not_have_are_missing():
    undefined = ("fullest parent", "text before run", "group item length")
    small = features("<h1>The harbour</h1><p>It is closed.</p>")
    assert np.isnan([small[name] for name in undefined]).all()
    links = "".join(f"<li><a href=/{n}>Teaser {n}</a></li>" for n in range(9))
    large = features(f"<ul>{links}</ul><div><p>{LONG}</p></div><p>{LONG}</p><p>{LONG}</p>")
    assert large["fullest parent"] == pytest.approx(2 / 3)
    assert 0 < large["text before run"] < 0.1
    assert large["group item length"] == pytest.approx(np.log1p(len("Teaser 1")))


def test_siblings_of_one_class_repeat():
    cards = "".join(f"<div class=c><img src=x><a href=/{n}>Teaser {n}</a></div>" for n in range(9))
    by_name = features(f"<section>{cards}</section><p>{LONG}</p>")
    assert by_name["largest group"] == by_name["pictured group"] == pytest.approx(np.log1p(9))
    apart = "".join(f"<div><a href=/{n}>Teaser {n}</a></div><hr>" for n in range(3))
    assert features(apart)["repeated groups"] == 0


def test_page_numbers_and_next_links():
    numbers = "".join(f"<li><a href=?p={n}>{n}</a></li>" for n in range(1, 6))
    by_name = features(f"<ul>{numbers}</ul><a rel='nofollow next' href=?p=2>more</a>")
    assert by_name["page numbers"] == pytest.approx(np.log1p(5))
    assert by_name["next link"] == 1


@given(
    st.recursive(
        st.sampled_from(["text", LONG, "$ 5", "3"]),
        lambda inner: st.builds(
            lambda tag, parts: f"<{tag} href=/x class={tag}>{''.join(parts)}</{tag}>",
            st.sampled_from(["div", "p", "a", "li", "h1", "pre", "article", "td"]),
            st.lists(inner, max_size=4),
        ),
        max_leaves=25,
    )
)
def test_shares_are_between_0_and_1_and_given_blocks_change_nothing(html):
    snapshot = miolo.Snapshot.from_html(html, url="https://a.org/x")
    row = page_kind_features(snapshot)
    again = page_kind_features(snapshot, text_blocks(snapshot))
    assert np.array_equal(row, again, equal_nan=True)
    named = dict(zip(PAGE_KIND_FEATURES, row.tolist(), strict=True))
    for name, value in named.items():
        if name.endswith(("share", "density")) and name != "wide share":
            assert 0 <= value <= 1 + 1e-6, name
        assert not value < 0, name  # NaN for what the page does not have
