"""The confidence of extractions: its range, what it depends on, and its form in results."""

from dataclasses import replace

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from miolo.extract.pagination import join_pages
from miolo.models.article.roles import ROLES
from miolo.models.confidence.confidence_model import (
    block_figures,
)
from miolo.output.metadata import known

PARAGRAPH = "<p>The council has voted, after a debate of several hours, for the new bridge.</p>"
STORY = f"<title>A bridge</title><h1>A bridge</h1><article>{12 * PARAGRAPH}</article>"
CHECK = "<title>Just a moment...</title><p>Verify you are human.<div id=challenge-stage></div>"
TEASERS = "".join(
    f"<div><a href=/{n}>Story {n} of the day</a><p>Read more about story {n}…</p></div>"
    for n in range(30)
)


def extract(markup: str, method: str = "auto") -> miolo.Extraction:
    return miolo.extract_snapshot(miolo.Snapshot.from_html(markup), method)


@given(st.integers(0, 12).flatmap(lambda count: st.tuples(
    arrays(np.int64, count, elements=st.integers(0, 10**7)),
    arrays(np.float64, count, elements=st.floats(0, 1)),
    arrays(np.bool_, count),
    arrays(np.int64, count, elements=st.integers(0, len(ROLES) - 1)),
)))  # fmt: skip
def test_every_decision_on_blocks_has_features(decision) -> None:
    assert np.isfinite(block_figures(*decision)).all()


def test_an_article_is_more_certain_than_what_is_left_without_it() -> None:
    article, teasers = extract(STORY), extract(TEASERS)
    assert article.confidence is not None
    assert teasers.confidence is not None
    assert article.confidence > 0.7
    assert teasers.confidence < 0.5
    assert extract(STORY).confidence == article.confidence


@pytest.mark.parametrize("markup", ["", "<form><input><input></form>", "<img src=a><img src=b>"])
def test_a_page_without_a_text_has_no_confidence(markup: str) -> None:
    assert extract(markup).confidence == 0


def test_a_blocked_page_is_not_the_one_that_was_requested() -> None:
    blocked = extract(CHECK.replace("<div", f"{PARAGRAPH}<div"))
    assert blocked.kind == "blocked"
    assert blocked.confidence is not None
    assert blocked.confidence < 1 - blocked.kind_probability + 0.01


def test_the_confidence_of_joined_pages_is_the_lowest() -> None:
    pages = [
        replace(extract(STORY), deferred_confidence=known(value)) for value in (0.9, 0.4, None)
    ]
    assert join_pages(pages).confidence == 0.4
    assert join_pages([pages[2], pages[2]]).confidence is None
