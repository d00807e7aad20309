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


def naive_tokens(text: str) -> list[str]:
    """Words of the texts above, where each ideograph is a word and the dash is none."""
    return text.replace("—", " ").replace("漢字", "漢 字").split()


def naive_shingles(text: str) -> list[list[str]]:
    tokens = naive_tokens(text)
    if 0 < len(tokens) < 4:
        return [tokens]
    return [tokens[i : i + 4] for i in range(len(tokens) - 3)]


def naive_score(truth: list, predicted: list) -> tuple[float, float, bool]:
    """Precision, recall, and whether both have the same items."""
    left, common = list(truth), 0
    for item in predicted:
        if item in left:
            left.remove(item)
            common += 1
    if not truth or not predicted:
        return float(truth == predicted), float(truth == predicted), truth == predicted
    exact = common == len(truth) == len(predicted)
    return common / len(predicted), common / len(truth), exact


@given(texts, texts)
@pytest.mark.parametrize(
    ("measure", "items"), [(shingle_score, naive_shingles), (token_score, naive_tokens)]
)
def test_scores_match_a_multiset_reference(measure, items, truth, predicted):
    score = measure(truth, predicted)
    expected = naive_score(items(truth), items(predicted))
    assert (score.precision, score.recall, score.exact) == pytest.approx(expected)


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


def test_numbers_of_lists_and_raised_digits_are_scored_as_in_html():
    html = (
        f"<h1>Mud</h1><p>{LINE * 3}</p><ol><li>{LINE}<li>10<sup>7</sup> gulls</ol><p>so\u00adon</p>"
    )
    extraction = miolo.extract_snapshot(miolo.Snapshot.from_html(html), "nce")
    assert "1. " in extraction.text
    assert "1. " not in scored_text(extraction)
    truth = f"{LINE * 4}107 gulls so\u00adon"
    assert token_score(truth, scored_text(extraction)).recall == 1.0
