"""Alignment of blocks with a ground-truth text."""

from itertools import accumulate, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.words import words
from miolo.models.article import alignment as module
from miolo.models.article.alignment import align

FIRST = "the council met on monday to vote on the new bridge"
SECOND = "its cost has doubled since the first plans were drawn"
THIRD = "work is to begin in spring said the mayor at noon"
TEASER = "more on how the bridge was planned and paid for"

# Few distinct words, so that each of them occurs in many places.
TEXTS = st.lists(st.sampled_from("a b c d e".split()), max_size=24).map(" ".join)


def kept_blocks(blocks: list[str], truth: str) -> list[int]:
    """Numbers of the blocks of which more than half is in the truth."""
    return np.flatnonzero(align(blocks, truth).share > 0.5).tolist()


@given(st.lists(st.tuples(st.integers(1, 12), st.booleans()), max_size=20))
def test_whole_blocks_of_distinct_words_are_found_exactly(sizes):
    stops = list(accumulate((size for size, _ in sizes), initial=0))
    blocks = [" ".join(f"w{i}" for i in range(*span)) for span in pairwise(stops)]
    chosen = np.array([inside for _, inside in sizes], bool)
    truth = "\n".join(block for block, inside in zip(blocks, chosen, strict=True) if inside)
    alignment = align(blocks, truth)
    assert alignment.share.tolist() == chosen.astype(float).tolist()
    assert alignment.explained == 1
    places = [
        words(truth)[a:b] for a, b in zip(alignment.start, alignment.stop, strict=True) if a >= 0
    ]
    assert places == [words(block) for block, inside in zip(blocks, chosen, strict=True) if inside]


@given(st.lists(TEXTS | st.text(max_size=30), max_size=8), TEXTS | st.text(max_size=60))
def test_places_ascend_with_little_overlap(blocks, truth):
    check(blocks, truth)


def check(blocks: list[str], truth: str) -> None:
    alignment = align(blocks, truth)
    tokens = len(words(truth.casefold()))
    assert alignment.share.shape == alignment.start.shape == alignment.stop.shape == (len(blocks),)
    assert 0 <= alignment.explained <= 1
    covered: set[int] = set()
    last = 0
    for share, start, stop, block in zip(
        alignment.share, alignment.start, alignment.stop, blocks, strict=True
    ):
        assert 0 <= share <= 1
        assert (share > 0) == (start >= 0) == (stop >= 0)
        if start < 0:
            continue
        place = set(range(start, stop))
        assert last < stop <= tokens
        assert len(place & covered) <= module.OVERLAP
        assert share * len(words(block.casefold())) <= len(place) + 1e-9
        covered |= place
        last = stop
    assert alignment.explained == pytest.approx(len(covered) / tokens if tokens else 1)


@st.composite
def candidates(draw):
    """Candidate places of a few blocks, with sizes from single words to paragraphs."""
    size = st.sampled_from([1, 2, 3, 8, 16, 20])
    places = []
    for _ in range(draw(st.integers(0, 5))):
        choices = []
        for start, length in draw(st.lists(st.tuples(st.integers(0, 30), size), max_size=3)):
            matched = draw(st.integers(max(1, length // 2), length))
            choices.append(module._Place(start, start + length, matched))
        places.append(choices)
    return places


def worth(way, blocks: int) -> float | None:
    """Value of an assignment of places to blocks; None if the places are out of order."""
    places = [place for _, place in way]
    total = float(sum(place.matched for place in places))
    if way:
        total -= (way[-1][0] - way[0][0]) * module.SPAN / (1 << blocks.bit_length())
    for one, other in pairwise(places):
        shared = min(module.OVERLAP, other.matched // module.OVERLAP_PART)
        if one.stop - shared > other.start:
            return None
        gap = other.start - one.stop
        total += module.BESIDE if 0 <= gap <= module.OVERLAP else min(gap, 0)
    return total


@given(candidates())
def test_no_other_assignment_has_a_higher_value(places):
    ways = product(*([None, *choices] for choices in places))
    placements = ([(block, place) for block, place in enumerate(way) if place] for way in ways)
    worths = (worth(way, len(places)) for way in placements)
    best = max(total for total in worths if total is not None)
    chain = module._best_chain(places)
    links = []
    while chain:
        assert chain.place in places[chain.block]
        links.insert(0, (chain.block, chain.place))
        chain = chain.before
    assert all(one < other for (one, _), (other, _) in pairwise(links))
    assert worth(links, len(places)) == best


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
    assert kept_blocks(blocks, "\n".join(truth)) == expected


def test_a_word_above_the_body_does_not_take_the_place_of_its_first_word():
    body = "Berlin (dpa) the council met on monday to vote on the new bridge over the river"
    for truth in (body, f"{body}\n{SECOND}"):
        assert kept_blocks(["Berlin", TEASER, body, SECOND], truth)[0] == 2
    assert kept_blocks(["Berlin", body], f"Berlin\n{body}") == [0, 1]


def test_extra_tokens_of_the_truth_leave_the_blocks_in_place():
    broken = FIRST.replace("monday", "monday evening").replace("new", "brand new")
    alignment = align([FIRST, SECOND], f"unrelated lines before\n{broken}\nand between\n{SECOND}")
    assert (alignment.share > 0.5).tolist() == [True, True]
    assert 0.5 < alignment.explained < 1


def test_a_word_at_a_seam_belongs_to_both_blocks():
    blocks = [FIRST + " " + THIRD, "new bridge its cost " + SECOND + " " + TEASER]
    truth = blocks[0] + " new bridge " + "its cost " + SECOND + " " + TEASER
    assert align(blocks, truth).share.tolist() == [1, 1]


@pytest.mark.parametrize("truth", ["", " \n", "one", FIRST])
def test_pages_without_text(truth):
    assert align([], truth).share.shape == (0,)
    alignment = align(["", "…"], truth)
    assert alignment.share.tolist() == [0, 0]
    assert alignment.start.tolist() == alignment.stop.tolist() == [-1, -1]
    assert alignment.explained == (0 if words(truth) else 1)


def test_many_blocks_between_repeated_ones():
    content = [" ".join(f"w{i}x{k}" for k in range(8)) for i in range(2000)]
    blocks = [text for block in content for text in (block, "share this")]
    alignment = align(blocks, "\n".join(content[500:1500]))
    assert np.flatnonzero(alignment.share).tolist() == list(range(1000, 3000, 2))
    assert alignment.explained == 1


def test_text_that_repeats_itself_thousands_of_times():
    repeated = align(["again and again and"] * 3000, "again and " * 3000)
    assert 0 < repeated.share.sum() <= 3000
    one = align(["a b " * 5000], "a b " * 5000)
    assert 0 < one.share[0] <= 1
