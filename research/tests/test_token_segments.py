from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from miolo import Snapshot
from miolo_research.bte.segments import best_segment, flat_segments, page_tokens

worths = st.lists(st.integers(-3, 3), max_size=40)
bits = st.lists(st.booleans(), min_size=1, max_size=40)


def quadratic(worth: list[int]) -> tuple[int, int]:
    """The best of all segments: the greatest sum, then the longest, then the first."""
    spans = [(i, j) for i in range(len(worth)) for j in range(i + 1, len(worth) + 1)]
    return max(spans, key=lambda span: (sum(worth[slice(*span)]), span[1] - span[0], -span[0]))


@given(worths)
def test_the_scan_finds_the_same_segment_as_the_quadratic_search(worth):
    segment = best_segment(np.array(worth, np.int64))
    if max(worth, default=0) <= 0:
        assert segment == slice(0, 0)
    else:
        assert (segment.start, segment.stop) == quadratic(worth)


@given(bits)
def test_the_segment_satisfies_the_equation_of_the_paper(tags):
    """It maximises the tags before it, the words in it and the tags after it (equation 3.1)."""

    def objective(start: int, stop: int) -> int:
        return sum(tags[:start]) + sum(not tag for tag in tags[start:stop]) + sum(tags[stop:])

    segment = best_segment(np.where(tags, -1, 1))
    places = range(len(tags) + 1)
    best = max(objective(i, j) for i in places for j in places if i <= j)
    assert objective(segment.start, segment.stop) == best


@given(bits, st.integers(1, 12), st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]))
def test_a_token_is_flat_if_its_window_is(tags, window, slope):
    flat = flat_segments(np.array(tags), window, slope)
    for place in range(len(tags)):
        around = tags[max(0, place - window // 2) : place + (window + 1) // 2]
        assert flat[place] == (sum(around) * len(tags) <= slope * sum(tags) * len(around))


@given(arrays(np.bool_, 30), st.integers(1, 9))
def test_a_higher_allowed_slope_makes_more_tokens_flat(tags, window):
    low, high = (flat_segments(tags, window, slope) for slope in (0.3, 0.9))
    assert not (low & ~high).any()


def read_back(html: str, **worth: int) -> str:
    page = Snapshot.from_html(html)
    each = np.array([worth.get(page.tag_name(n), 0) for n in range(len(page))])
    words = np.array([len(text.split()) for text in page.text])
    tokens = page_tokens(page, words, np.where(page.is_text, 1, each))
    names, opened = [], set()
    for node, tag in zip(tokens.node.tolist(), tokens.tag.tolist(), strict=True):
        name = page.tag_name(node)
        names.append(("/" if node in opened else "") + name if tag else "w")
        opened |= {node} if tag else set()
    assert (tokens.worth == np.where(tokens.tag, each[tokens.node], 1)).all()
    return " ".join(names)


@pytest.mark.parametrize(
    ("html", "tokens"),
    [
        ("<div><p>a b</p>c<p>d</p></div>", "div p w w /p w p w /p /div"),
        ("<div><p><b>a</b></p></div><div></div>", "div p b w /b /p /div div /div"),
        ("<p>a<br>b<i>c</i></p>", "p w w w /p"),
        ("", ""),
    ],
)
def test_tokens_are_in_the_order_of_the_markup(html, tokens):
    assert read_back(html, div=-1, p=-1, b=-2) == tokens
