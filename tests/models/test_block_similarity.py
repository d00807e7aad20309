from collections import Counter
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.blocks.likeness import (
    CONTENT_EXTRACTOR,
    CONTENTS,
    REPLACED,
    STRUCTURES,
    Likeness,
    content_similarities,
    similar_pairs,
    similarities,
    structure_similarities,
)
from miolo.models.blocks.profiles import Profile, Structure
from xcex_naive import cosine, difflib_ratio, jaccard, vector_cosine

TEXTS = st.text("abc é字", max_size=12)


@st.composite
def profiles(draw) -> Profile:
    shape = draw(
        st.lists(st.tuples(st.sampled_from(["p", "a", "b"]), st.integers(0, 2)), max_size=6)
    )
    classes = draw(st.sets(st.sampled_from(["lead", "note", "ad"]), max_size=3))
    structure = Structure(
        tuple(tag for tag, _ in shape), tuple(level for _, level in shape), tuple(sorted(classes))
    )
    text = draw(TEXTS)
    return Profile.of(text, "", structure, draw(st.integers(0, 3)), ascii_only=False)


LISTS = st.lists(profiles(), max_size=5)


def plain(text: str, tags: tuple[str, ...] = ("p",)) -> Profile:
    return Profile.of(text, "en", Structure(tags, (0,) * len(tags), ()), 0, ascii_only=False)


def levenshtein(one: str, other: str) -> int:
    """The definition, row by row."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        above, row = row, [i]
        for k, partner in enumerate(other, 1):
            row.append(min(above[k - 1] + (letter != partner), row[k - 1] + 1, above[k] + 1))
    return row[-1]


def common_subsequence(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    row = [0] * (len(other) + 1)
    for tag in one:
        above = row
        row = [0]
        for k, partner in enumerate(other):
            row.append(above[k] + 1 if tag == partner else max(above[k + 1], row[k]))
    return row[-1]


def slow_structure(one: Structure, other: Structure, kind: str) -> float:
    max_size = max(len(one.tags), len(other.tags))
    if kind == "cosine":
        counts = Counter(one.tags), Counter(other.tags)
        norms = [sqrt(sum(n * n for n in count.values())) for count in counts]
        if not all(norms):
            return float(not any(norms))
        return min(
            1.0, sum(n * counts[1][tag] for tag, n in counts[0].items()) / (norms[0] * norms[1])
        )
    if kind == "griazev":
        score = 0.0
        for level in range(3):
            rows = [
                [tag for tag, at in zip(s.tags, s.levels, strict=True) if at == level]
                for s in (one, other)
            ]
            for tag, partner in zip(*rows, strict=False):
                score += 1 if tag == partner else REPLACED
        return score / max_size if max_size else 1.0
    if kind == "difflib":
        return (difflib_ratio(one.tags, other.tags) + jaccard(one, other)) / 2
    total = len(one.tags) + len(other.tags)
    ratio = 2 * common_subsequence(one.tags, other.tags) / total if total else 1.0
    return (ratio + jaccard(one, other)) / 2


def slow_content(one: Profile, other: Profile, kind: str) -> float:
    if kind == "cosine":
        return cosine(one, other)
    longest = max(len(one.text), len(other.text))
    return 1 - levenshtein(one.text, other.text) / longest if longest else 1.0


@pytest.mark.parametrize("kind", ["cosine", "levenshtein"])
@given(rows=LISTS, columns=LISTS)
def test_content_similarities_match_their_definitions(kind, rows, columns):
    matrix = content_similarities(rows, columns, kind)
    assert matrix.shape == (len(rows), len(columns))
    for i, one in enumerate(rows):
        for k, other in enumerate(columns):
            assert matrix[i, k] == pytest.approx(slow_content(one, other, kind))


@pytest.mark.parametrize(
    ("kind", "one", "other", "similarity"),
    [
        ("hamming", "abc", "abxyz", 2 / 5),
        ("osa", "ab", "ba", 1 / 2),
        ("osa", "ca", "abc", 0),
        ("damerau-levenshtein", "ca", "abc", 1 / 3),
        ("jaro-winkler", "martha", "marhta", 0.9611),
        ("jaro-winkler", "dixon", "dicksonx", 0.8133),
        *((kind, "", "", 1) for kind in CONTENTS),
    ],
)
def test_content_similarities_of_known_pairs(kind, one, other, similarity):
    matrix = content_similarities([plain(one)], [plain(other)], kind)
    assert matrix == pytest.approx(similarity, abs=1e-4)


@pytest.mark.parametrize("kind", STRUCTURES)
@given(rows=LISTS, columns=LISTS)
def test_structure_similarities_match_their_definitions(kind, rows, columns):
    one, other = [b.structure for b in rows], [b.structure for b in columns]
    pairs = np.nonzero(np.ones((len(one), len(other))))
    pair_similarities = structure_similarities(one, other, pairs, kind)
    for i, k, value in zip(*pairs, pair_similarities, strict=True):
        assert value == pytest.approx(slow_structure(one[i], other[k], kind))


LIKENESSES = st.builds(
    Likeness,
    by=st.sampled_from(["parts", "parts", "vector"]),
    content=st.sampled_from(CONTENTS),
    structure=st.sampled_from(STRUCTURES),
    wrap=st.booleans(),
    count_words=st.booleans(),
    importance=st.sampled_from([0.0, 0.5, 0.7, 1.0]),
    threshold=st.sampled_from([0.0, 0.31, 0.53, 0.9]),
)


@given(LISTS, LISTS, LIKENESSES)
def test_shortcuts_do_not_change_the_result(rows, columns, likeness):
    expected = similarities(rows, columns, likeness)
    for first, matrix in similar_pairs(rows, columns, likeness):
        for i, row in enumerate(matrix):
            # If a similarity equals the threshold up to rounding, both results are correct.
            clear = np.abs(expected[first + i] - likeness.threshold) > 1e-12
            assert (row == (expected[first + i] > likeness.threshold))[clear].all()


@given(LISTS, LISTS)
def test_the_vector_similarity_matches_content_extractor(rows, columns):
    matrix = similarities(rows, columns, CONTENT_EXTRACTOR)
    for i, one in enumerate(rows):
        for k, other in enumerate(columns):
            assert matrix[i, k] == pytest.approx(vector_cosine(one, other))


def test_wrapping_makes_different_tags_similar():
    rows, columns = [plain("harbour")], [plain("museum", ("div",))]
    apart = similarities(rows, columns, Likeness(importance=0))[0, 0]
    wrapped = similarities(rows, columns, Likeness(importance=0, wrap=True))[0, 0]
    assert (apart, wrapped) == (0.5, pytest.approx((2 / 3 + 1) / 2))


def test_wrong_options_are_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        Likeness(importance=1.5)
    with pytest.raises(ValueError, match="unknown"):
        Likeness(content="soundex")  # pyright: ignore[reportArgumentType]
