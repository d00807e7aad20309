"""Alignment of blocks with a ground-truth text."""

from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.article.alignment import align

FIRST = "the council met on monday to vote on the new bridge"
SECOND = "its cost has doubled since the first plans were drawn"
THIRD = "work is to begin in spring said the mayor at noon"
TEASER = "more on how the bridge was planned and paid for"


def aligned_blocks(blocks: list[str], truth: str) -> list[int]:
    return np.flatnonzero(align(blocks, truth)[0]).tolist()


@given(st.lists(st.tuples(st.integers(1, 12), st.booleans()), max_size=20))
def test_whole_blocks_of_distinct_words_are_found_exactly(sizes):
    stops = list(accumulate((size for size, _ in sizes), initial=0))
    blocks = [" ".join(f"w{i}" for i in range(*span)) for span in pairwise(stops)]
    chosen = [inside for _, inside in sizes]
    truth = "\n".join(block for block, inside in zip(blocks, chosen, strict=True) if inside)
    of_text, explained = align(blocks, truth)
    assert of_text.tolist() == chosen
    assert explained == 1


@pytest.mark.parametrize(
    ("blocks", "truth", "expected"),
    [
        ([FIRST, TEASER, FIRST, SECOND], [FIRST, SECOND], [2, 3]),
        ([FIRST, SECOND, TEASER, SECOND], [FIRST, SECOND], [0, 1]),
        ([SECOND, FIRST, SECOND, THIRD, FIRST], [FIRST, SECOND, THIRD], [1, 2, 3]),
        ([FIRST, TEASER, FIRST, TEASER, FIRST], [FIRST], [0]),
        ([FIRST, FIRST, SECOND], [FIRST, FIRST, SECOND], [0, 1, 2]),
    ],
)
def test_the_repeated_paragraph_nearest_its_neighbours_is_chosen(blocks, truth, expected):
    assert aligned_blocks(blocks, "\n".join(truth)) == expected


@pytest.mark.parametrize("truth", ["", " \n", "one", FIRST])
def test_pages_without_text(truth):
    for blocks in ([], ["", "…"]):
        of_text, explained = align(blocks, truth)
        assert of_text.tolist() == [False] * len(blocks)
        assert explained == (0 if truth.strip() else 1)


def test_text_that_repeats_itself_thousands_of_times():
    assert align(["again and again and"] * 3000, "again and " * 3000)[1] == 1
    assert align(["a b " * 5000], "a b " * 5000)[0].all()
