"""Hypothesis strategies that several tests draw from."""

from hypothesis import strategies as st


@st.composite
def parents(draw, min_size: int = 1, max_size: int = 25) -> list[int]:
    """Parents of a tree in preorder: each parent is the previous node or an ancestor of it."""
    drawn = [-1]
    for node in range(1, draw(st.integers(min_size, max_size))):
        above = node - 1
        while drawn[above] >= 0 and draw(st.booleans()):
            above = drawn[above]
        drawn.append(above)
    return drawn


@st.composite
def trees(draw, max_size: int = 10, labels: str = "abc") -> tuple[list[int], list[str]]:
    """Parents and labels of a tree."""
    parent = draw(parents(max_size=max_size))
    size = len(parent)
    return parent, draw(st.lists(st.sampled_from(labels), min_size=size, max_size=size))
