"""Hypothesis strategies that several tests draw from."""

from __future__ import annotations

from hypothesis import strategies as st


@st.composite
def parents(draw, least: int = 1, most: int = 25) -> list[int]:
    """Parents of a tree in preorder: each node hangs at the last one or above it."""
    drawn = [-1]
    for node in range(1, draw(st.integers(least, most))):
        above = node - 1
        while drawn[above] >= 0 and draw(st.booleans()):
            above = drawn[above]
        drawn.append(above)
    return drawn
