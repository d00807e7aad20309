import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.blocks.likeness import (
    Likeness,
    similar_pairs,
    tag_sequences,
    term_cosines,
    vector_cosines,
)
from miolo.models.blocks.profiles import Profile, Structure
from xcex_naive import jaccard
from xcex_variants import STRUCTURES

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
    return Profile.of(text, "", structure, draw(st.integers(0, 3)))


LISTS = st.lists(profiles(), max_size=5)


def common_subsequence(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    row = [0] * (len(other) + 1)
    for tag in one:
        above = row
        row = [0]
        for k, partner in enumerate(other):
            row.append(above[k] + 1 if tag == partner else max(above[k + 1], row[k]))
    return row[-1]


@given(rows=LISTS, columns=LISTS)
def test_structures_are_similar_by_tags_in_order_and_by_classes(rows, columns):
    one, other = [b.structure for b in rows], [b.structure for b in columns]
    pairs = np.nonzero(np.ones((len(one), len(other))))
    for i, k, value in zip(*pairs, tag_sequences(one, other, pairs), strict=True):
        total = len(one[i].tags) + len(other[k].tags)
        ratio = 2 * common_subsequence(one[i].tags, other[k].tags) / total if total else 1.0
        assert value == pytest.approx((ratio + jaccard(one[i], other[k])) / 2)


LIKENESSES = st.builds(
    Likeness,
    content=st.sampled_from([term_cosines, vector_cosines]),
    structure=st.sampled_from(list(STRUCTURES.values())),
    importance=st.sampled_from([0.0, 0.5, 0.7, 1.0]),
    threshold=st.sampled_from([0.0, 0.31, 0.53, 0.9]),
)


def similarities(rows: list[Profile], columns: list[Profile], likeness: Likeness) -> np.ndarray:
    """Similarities of all pairs."""
    pairs = np.nonzero(np.ones((len(rows), len(columns))))
    one, other = [b.structure for b in rows], [b.structure for b in columns]
    structure = likeness.structure(one, other, pairs).reshape(len(rows), len(columns))
    content = likeness.content(rows, columns)
    return (1 - likeness.importance) * structure + likeness.importance * content


@given(LISTS, LISTS, LIKENESSES)
def test_shortcuts_do_not_change_the_result(rows, columns, likeness):
    expected = similarities(rows, columns, likeness)
    for first, matrix in similar_pairs(rows, columns, likeness):
        for i, row in enumerate(matrix):
            # If a similarity equals the threshold up to rounding, both results are correct.
            clear = np.abs(expected[first + i] - likeness.threshold) > 1e-12
            assert (row == (expected[first + i] > likeness.threshold))[clear].all()
