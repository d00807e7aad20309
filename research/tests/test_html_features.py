from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from miolo import Snapshot
from miolo.features.block_sets import block_set, rendered_blocks
from miolo.features.links import link_mask
from miolo.features.readable import readable_texts
from miolo.features.words import count_words
from miolo_research.feature_extractor.features import (
    HTML_FEATURES,
    FeatureOptions,
    container_blocks,
    feature_blocks,
    html_features,
    judge_features,
    train_l_extractor,
)

tables = st.integers(0, 8).flatmap(
    lambda rows: arrays(np.float64, (rows, len(HTML_FEATURES)), elements=st.integers(0, 20))
).map(lambda table: np.column_stack([table[:, 0] + table[:, 1], table[:, 1:]]))  # fmt: skip

PAGE = """<body><div id=menu><ul><li><a href=/>Home</a><li><a href=/b>About us</a></ul></div>
<div id=story><h1>Head line</h1><p>One two three <a href=/x>four</a>.</p><ul><li>five</ul>
<div id=share><form><button>Share</button></form></div><img src=i.png></div></body>"""


def row(**counts: float) -> list[float]:
    return [counts.get(name.replace(" ", "_"), 0) for name in HTML_FEATURES]


def test_contents_of_blocks_are_counted():
    page = Snapshot.from_html(PAGE)
    table = html_features(page, block_set(page, ("div",), missing="drop"))
    assert table.tolist() == [
        row(words=3, linked_words=3, links=2, lists=1),
        row(words=8, linked_words=1, links=1, text_tags=1, lists=1, images=1, forms=2),
    ]


@pytest.mark.parametrize("kind", ["containers", "rendered", "tags"])
def test_counts_equal_a_naive_recount(kind):
    page = Snapshot.from_html(PAGE)
    blocks = feature_blocks(page, kind)
    table, readable, links = html_features(page, blocks), readable_texts(page), link_mask(page)
    for number, nodes in enumerate(blocks.nodes()):
        texts = [n for n in nodes.tolist() if readable[n]]
        linked = [n for n in texts if any(links[a] for a in page.ancestors(n))]
        assert table[number, 0] == sum(count_words(page.text[n]) for n in texts)
        assert table[number, 1] == sum(count_words(page.text[n]) for n in linked)
        assert table[number, 2] == links[nodes].sum()
        assert table[number, HTML_FEATURES.index("text tags")] == page.with_tag("h1")[nodes].sum()


def test_containers_hold_each_text_once():
    page = Snapshot.from_html(PAGE)
    blocks = container_blocks(page)
    ids = [page.attributes.get(root, "id") for root in blocks.roots.tolist()]
    assert ids == ["menu", "story", None]  # the last is the form
    assert blocks.texts(page) == ["Home About us", "Head line One two three four . five", "Share"]
    expected = {n for n in np.flatnonzero(readable_texts(page)).tolist() if page.text[n].strip()}
    assert expected <= set(np.flatnonzero(blocks.of >= 0).tolist())


@given(tables, st.booleans(), st.booleans(), st.integers(0, 3))
def test_verdicts_match_the_definition(table, linked, by_amount, clusters):
    options = FeatureOptions(linked=linked, by_amount=by_amount, clusters=clusters)
    judgement = judge_features(table, options)
    rest = table[:, 2:].sum(axis=1)
    words = table[:, 0] if linked else table[:, 0] - table[:, 1]
    whole = table[:, 0] + rest
    for block in range(len(table)):
        share = words[block] / whole[block] if whole[block] else 0
        assert judgement.share[block] == pytest.approx(share)
        assert judgement.kept[block] == (share > 0.5)
    assert not (judgement.chosen & ~judgement.kept).any()
    assert (judgement.winner >= 0) == judgement.kept.any()
    if judgement.winner >= 0:
        worth = judgement.share * (words if by_amount else 1)
        assert judgement.kept[judgement.winner]
        assert worth[judgement.winner] == worth[judgement.kept].max()
        assert judgement.chosen[judgement.winner]
        assert clusters or judgement.chosen.sum() == 1


@given(tables, st.integers(1, 3))
def test_blocks_equal_to_the_winner_are_in_its_cluster(table, clusters):
    twice = np.concatenate([table, table])
    judgement = judge_features(twice, FeatureOptions(clusters=clusters))
    assert (judgement.chosen[: len(table)] == judgement.chosen[len(table) :]).all()
    again = judge_features(twice, FeatureOptions(clusters=clusters))
    assert (again.chosen == judgement.chosen).all()


def test_a_lone_word_wins_only_in_the_literal_form():
    table = np.array([row(words=1), row(words=300, linked_words=6, links=3)])
    assert judge_features(table).winner == 1
    assert judge_features(table, FeatureOptions.literal()).winner == 0


def test_another_feature_can_be_chosen():
    table = np.array([row(words=50, links=1), row(words=2, images=9), row(images=1, words=3)])
    assert judge_features(table, FeatureOptions(desired="images")).winner == 1


@pytest.mark.parametrize(
    "wrong", [{"desired": "prose"}, {"threshold": 1.5}, {"clusters": -1}], ids=str
)
def test_options_are_checked(wrong):
    with pytest.raises(ValueError, match=r"desired|threshold"):
        FeatureOptions(**wrong)


def test_l_extractor_learns_what_content_looks_like():
    drawn = np.random.default_rng(5)
    texts = [row(words=drawn.integers(60, 400), links=drawn.integers(0, 4)) for _ in range(40)]
    menus = [row(words=n, linked_words=n, links=n) for n in drawn.integers(4, 60, 80)]
    table, content = np.array(texts + menus), np.arange(120) < 40
    model = train_l_extractor(table[::2], content[::2])
    assert (model.predict(table[1::2]) == content[1::2]).all()
    assert (model.predict(table) == (model.decide(table) > 0)).all()
    order = drawn.permutation(60)
    other = train_l_extractor(table[::2][order], content[::2][order])
    assert np.allclose(other.weights, model.weights, atol=1e-2)


def test_l_extractor_needs_both_kinds_of_blocks():
    with pytest.raises(ValueError, match="both content blocks and other blocks"):
        train_l_extractor(np.ones((3, len(HTML_FEATURES))), np.ones(3, bool))


def test_a_page_without_blocks_has_no_features():
    page = Snapshot.from_html("<p></p>")
    assert html_features(page, rendered_blocks(page)).shape == (0, len(HTML_FEATURES))
