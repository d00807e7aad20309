"""Scores against oracles that remove matched tokens from lists one at a time."""

from fractions import Fraction

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.extract.scoring import (
    PageScore,
    score_set,
    scored_text,
    shingle_score,
    token_score,
)

LINE = "The gulls of the harbour eat whatever the boats bring home in the evening. "

# Few distinct words, so that texts share and repeat shingles. Each ideograph is a word.
texts = st.lists(st.sampled_from(("a", "b", "c", "É", "漢字", "—")), max_size=12).map(" ".join)
scores = st.builds(
    PageScore,
    st.floats(0, 1, allow_subnormal=False),
    st.floats(0, 1, allow_subnormal=False),
    st.booleans(),
)
measures = pytest.mark.parametrize("measure", [shingle_score, token_score])


def naive_tokens(text: str) -> list[str]:
    """Words of the texts above, where each ideograph is a word and the dash is none."""
    return text.replace("—", " ").replace("漢字", "漢 字").split()


def naive_shingles(text: str) -> list[list[str]]:
    tokens = naive_tokens(text)
    if 0 < len(tokens) < 4:
        return [tokens]
    return [tokens[i : i + 4] for i in range(len(tokens) - 3)]


def naive_masses(truth: list, predicted: list) -> tuple[Fraction, Fraction, Fraction]:
    """True positives, false positives and false negatives, as shares of their sum."""
    left, common = list(truth), 0
    for item in predicted:
        if item in left:
            left.remove(item)
            common += 1
    total = common + (len(predicted) - common) + len(left)
    return (
        Fraction(common, total),
        Fraction(len(predicted) - common, total),
        Fraction(len(left), total),
    )


def naive_score(truth: list, predicted: list) -> tuple[float, float, bool]:
    if not truth or not predicted:
        same = float(truth == predicted)
        return same, same, bool(same)
    hit, extra, missing = naive_masses(truth, predicted)
    return float(hit / (hit + extra)), float(hit / (hit + missing)), not extra and not missing


def as_tuple(score: PageScore) -> tuple[float, float, bool]:
    return score.precision, score.recall, score.exact


@given(texts, texts)
def test_shingles_match_a_multiset_reference(truth, predicted):
    expected = naive_score(naive_shingles(truth), naive_shingles(predicted))
    assert as_tuple(shingle_score(truth, predicted)) == pytest.approx(expected)


@given(texts, texts)
def test_tokens_match_a_multiset_reference(truth, predicted):
    expected = naive_score(naive_tokens(truth), naive_tokens(predicted))
    assert as_tuple(token_score(truth, predicted)) == pytest.approx(expected)


@measures
@given(text=st.text())
def test_a_text_agrees_with_itself(measure, text):
    score = measure(text, text)
    assert as_tuple(score) == (1.0, 1.0, True)
    assert score.f1 == 1.0


@measures
@given(truth=st.text(), predicted=st.text())
def test_swapping_the_sides_swaps_precision_and_recall(measure, truth, predicted):
    there, back = measure(truth, predicted), measure(predicted, truth)
    assert as_tuple(back) == (there.recall, there.precision, there.exact)
    assert back.f1 == pytest.approx(there.f1)


@measures
@given(truth=texts, predicted=texts)
def test_scores_stay_in_bounds(measure, truth, predicted):
    score = measure(truth, predicted)
    assert 0 <= score.precision <= 1
    assert 0 <= score.recall <= 1
    low, high = sorted((score.precision, score.recall))
    assert low - 1e-12 <= score.f1 <= high + 1e-12
    assert not score.exact or score.f1 == 1.0


@measures
def test_one_empty_side_scores_zero_and_two_score_one(measure):
    assert as_tuple(measure("a b c d e", "")) == (0.0, 0.0, False)
    assert as_tuple(measure("", "a b c d e")) == (0.0, 0.0, False)
    assert as_tuple(measure("", " … ")) == (1.0, 1.0, True)


@measures
def test_case_is_kept_and_punctuation_is_not(measure):
    assert measure("Madrid", "madrid").f1 == 0.0
    assert measure("One, two: three. Four!", "One two three Four").exact


def test_a_text_shorter_than_a_shingle_is_one_shingle():
    assert shingle_score("a b c", "a b c").exact
    assert shingle_score("a b c", "a b").f1 == 0.0


def test_shingles_see_order_and_tokens_do_not():
    assert shingle_score("a b c d", "d c b a").f1 == 0.0
    assert token_score("a b c d", "d c b a").exact


def test_scores_match_values_computed_by_hand():
    # abcd bcde cdef against abcd bcde cdex: two of three shingles match on either side.
    score = shingle_score("a b c d e f", "a b c d e x")
    assert as_tuple(score) == pytest.approx((2 / 3, 2 / 3, False))
    # Repeated words count as often as they occur on both sides.
    assert as_tuple(token_score("a a b", "a a a a")) == pytest.approx((2 / 4, 2 / 3, False))


@given(st.lists(scores, min_size=1, max_size=6))
def test_a_set_has_means_over_pages_and_the_f1_of_the_means(pages):
    joined = score_set(pages)
    precision = sum(Fraction(page.precision) for page in pages) / len(pages)
    recall = sum(Fraction(page.recall) for page in pages) / len(pages)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
    assert joined.pages == len(pages)
    assert joined.precision == pytest.approx(float(precision))
    assert joined.recall == pytest.approx(float(recall))
    assert joined.f1 == pytest.approx(float(f1))
    assert joined.exact == pytest.approx(len([p for p in pages if p.exact]) / len(pages))


def test_a_long_page_weighs_as_much_as_a_short_one():
    long, short = shingle_score("a b c d " * 500, ""), shingle_score("a", "a")
    assert score_set([long, short]).recall == 0.5


def test_an_empty_set_scores_zero():
    joined = score_set([])
    assert (joined.precision, joined.recall, joined.f1, joined.exact) == (0, 0, 0, 0)
    assert joined.pages == 0


def test_numbers_of_lists_and_raised_digits_are_scored_as_in_html():
    html = (
        f"<h1>Mud</h1><p>{LINE * 3}</p><ol><li>{LINE}<li>10<sup>7</sup> gulls</ol><p>so\u00adon</p>"
    )
    extraction = miolo.extract_snapshot(miolo.Snapshot.from_html(html), "nce")
    assert "1. " in extraction.text
    assert "1. " not in scored_text(extraction)
    truth = f"{LINE * 4}107 gulls so\u00adon"
    assert token_score(truth, scored_text(extraction)).recall == 1.0
