"""The decision tree for advertisements: its columns, judgements, rules and file."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.errors import ArchiveError
from miolo_research.adeater.columns import image_columns, image_matrix
from miolo_research.adeater.images import NUMBERS, PageImages
from miolo_research.adeater.model import AdModel, path_conditions, rule_text, shipped_ad_model
from miolo_research.adeater.training import AdSetting, LabelledImages, train_ads, tree_of
from sklearn.tree import DecisionTreeClassifier

WORDS = [f"{field}:{word}" for field in ("alt", "link") for word in ("a", "b", "a b")]


def page_images(numbers, phrases) -> PageImages:
    nodes = np.arange(len(phrases))
    table = np.array(numbers, np.float32).reshape(-1, len(NUMBERS))
    return PageImages(nodes, nodes, nodes, table, tuple(map(frozenset, phrases)))


@st.composite
def image_sets(draw, min_size=0, max_size=12) -> PageImages:
    size = draw(st.integers(min_size, max_size))
    value = st.sampled_from([-1.0, 0.0, 1.0, 60.0, 468.0])
    numbers = draw(st.lists(st.tuples(*[value] * 5), min_size=size, max_size=size))
    phrase_sets = st.sets(st.sampled_from(WORDS))
    return page_images(numbers, draw(st.lists(phrase_sets, min_size=size, max_size=size)))


@given(
    st.lists(st.lists(image_sets(max_size=4), max_size=3), max_size=4),
    st.integers(1, 4),
    st.integers(1, 3),
)
def test_columns_are_phrases_of_enough_images_on_enough_sites(sites, count, spread):
    kept = []
    for phrase in sorted(WORDS):
        on = [
            [phrase in phrase_set for page in site for phrase_set in page.phrases] for site in sites
        ]
        if sum(map(sum, on)) >= count and sum(map(any, on)) >= spread:
            kept.append(phrase)
    assert image_columns(sites, count, spread) == (*NUMBERS, *kept)
    only = tuple(phrase for phrase in kept if phrase.startswith("alt:"))
    assert image_columns(sites, count, spread, ("alt",)) == (*NUMBERS, *only)


@given(image_sets(), st.permutations([*NUMBERS[:3], *WORDS]))
def test_rows_hold_numbers_and_marks_in_the_order_of_the_columns(images, columns):
    rows = image_matrix([images], columns).toarray()
    assert rows.dtype == np.float32
    assert rows.shape == (len(images), len(columns))
    for row, numbers, phrase_set in zip(rows, images.numbers, images.phrases, strict=True):
        expected = {**dict(zip(NUMBERS, numbers, strict=True)), **dict.fromkeys(WORDS, 0)}
        expected |= dict.fromkeys(phrase_set, 1)
        assert row.tolist() == [expected[column] for column in columns]


@given(image_sets(min_size=4, max_size=30), st.randoms(use_true_random=False), st.integers(1, 3))
def test_judgement_matches_scikit_learn(images, chance, min_size):
    columns = (*NUMBERS, *WORDS)
    ad = np.array([chance.random() < 0.4 for _ in range(len(images))])
    ad[:2] = True, False
    rows = image_matrix([images], columns)
    tree = DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=min_size, random_state=0
    ).fit(rows, ad)
    verdict = tree_of(tree, columns).judge(images)
    assert verdict.ad.tolist() == tree.predict(rows).tolist()
    assert verdict.share == pytest.approx(tree.predict_proba(rows)[:, 1])
    assert verdict.leaf.tolist() == tree.apply(rows).tolist()


@given(image_sets(min_size=4, max_size=30))
def test_an_image_meets_the_conditions_of_its_rule_and_of_no_other(images):
    model = train(images)
    rows = image_matrix([images], model.columns).toarray()
    for row, leaf in zip(rows, model.judge(images).leaf.tolist(), strict=True):
        values = dict(zip(model.columns, row.tolist(), strict=True))
        met = [
            other
            for other in np.flatnonzero(model.column < 0).tolist()
            if all(low < values[c] <= high for c, low, high in path_conditions(model._path(other)))
        ]
        assert met == [leaf]


def train(images: PageImages, **setting) -> AdModel:
    ad = np.arange(len(images)) % 3 == 0
    return train_ads([LabelledImages(images, ad)], AdSetting(min_count=1, **setting))


BANNERS = page_images(
    [[60, 468, 7.8, 0, 0]] * 6 + [[90, 120, 1.3, 1, 1]] * 6,
    [{"link:click"}] * 6 + [{"alt:boat"}, {"link:click"}, *[set()] * 4],
)
LABELS = np.arange(12) < 6


def test_a_planted_rule_is_found_and_described():
    model = train_ads([LabelledImages(BANNERS, LABELS)], AdSetting(min_count=1))
    assert model.judge(BANNERS).ad.tolist() == LABELS.tolist()
    (ads, others) = model.rules()
    assert ads.endswith(": an advertisement, as were 6 of 6 training images")
    assert others.endswith(": not an advertisement, as were 6 of 6 training images")


def test_training_is_deterministic_and_needs_both_kinds():
    pages = [LabelledImages(BANNERS, LABELS)]
    first, second = (train_ads(pages, AdSetting(min_count=1)) for _ in range(2))
    assert first.rules() == second.rules()
    for ad in (np.zeros(12, bool), np.ones(12, bool)):
        with pytest.raises(ValueError, match="other images"):
            train_ads([LabelledImages(BANNERS, ad)])
    with pytest.raises(ValueError, match="other images"):
        train_ads([])


def test_phrases_of_one_site_can_be_left_out():
    pages = [LabelledImages(page_images(BANNERS.numbers * 0, BANNERS.phrases), LABELS, "one")]
    assert train_ads(pages, AdSetting(min_count=1)).columns == ("link:click",)
    assert train_ads(pages, AdSetting(min_count=1, min_sites=2)).columns == ()


def test_rules_are_described_in_words():
    path = [
        ("height", 100.0, False),
        ("link:click here", 0.5, True),
        ("height", 20.0, True),
        ("link on site", 0.5, False),
        ("width", -0.5, False),
        *((f"alt:{word}", 0.5, False) for word in "abcde"),
    ]
    assert rule_text(path_conditions(path)) == (
        "height > 20 and ≤ 100; “click here” in link; link off site or link on site unknown; "
        "width unknown; no “a” in alt, “b” in alt, “c” in alt and 2 more"
    )
    assert rule_text([]) == "any image"
    assert rule_text([("width", -0.5, float("inf"))]) == "width known"
    assert rule_text([("width", -float("inf"), 9.0)]) == "width ≤ 9 or unknown"


def test_a_saved_model_is_the_same_after_loading(tmp_path):
    model = train_ads([LabelledImages(BANNERS, LABELS)], AdSetting(min_count=1), {"date": "x"})
    model.save(tmp_path / "m.json")
    again = AdModel.load(tmp_path / "m.json")
    assert again.rules() == model.rules()
    assert again.provenance == {"date": "x"}
    again.save(tmp_path / "n.json")
    assert (tmp_path / "n.json").read_bytes() == (tmp_path / "m.json").read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        {"version": 9},
        {"columns": ["smell"]},
        {"left": [0, -1, -1]},
        {"right": [1, -1, -1]},
        {"left": [9, -1, -1]},
        {"column": [5, -1, -1]},
        {"column": [0.5, -1, -1]},
        {"threshold": [float("nan"), 0, 0]},
        {"ads": [1, 2]},
        {"ads": [6, 0, 0], "others": [6, 6, 0]},
        {"column": []},
        {"others": None},
        {"provenance": 3},
    ],
)
def test_a_broken_file_is_refused(change, tmp_path):
    path = tmp_path / "m.json"
    train_ads([LabelledImages(BANNERS, LABELS)], AdSetting(min_count=1)).save(path)
    assert len(AdModel.load(path)) == 3
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), "utf-8")
    with pytest.raises(ArchiveError, match=r"m\.json"):
        AdModel.load(path)


def test_the_shipped_model_is_consistent_and_states_its_provenance():
    model = shipped_ad_model()
    leaves = np.flatnonzero(model.column < 0)
    assert {"command", "date", "figures", "setting"} <= set(model.provenance)
    inner = np.flatnonzero(model.column >= 0)
    for counts in (model.ads, model.others):
        assert (counts[inner] == counts[model.left[inner]] + counts[model.right[inner]]).all()
    assert len(set(model.rules())) == len(leaves)
    seen = model.provenance["figures"]["seen in training"]
    assert (model.ads[0], model.ads[0] + model.others[0]) == (seen["ads"], seen["images"])
    assert Counter(model.columns).most_common(1)[0][1] == 1


def test_a_page_without_images_is_judged():
    verdict = shipped_ad_model().judge(page_images([], []))
    assert len(verdict.leaf) == len(verdict.share) == len(verdict.ad) == 0
