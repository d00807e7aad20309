"""Random pages as trees, and patterns made from them."""

import numpy as np
from hypothesis import strategies as st
from miolo.features.page_tree import PageTree
from miolo.models.wrappers.patterns import Pattern, compose, promote
from strategies import trees

RULES = (None, "literal", "promoted")


def page_of(parent, labels) -> PageTree:
    nodes = np.arange(len(parent), dtype=np.int32)
    return PageTree(nodes, np.array(parent, np.int32), tuple(labels))


def pattern_of(page: PageTree) -> Pattern:
    return Pattern.of_page(page.parent, page.labels)


@st.composite
def pages(draw, max_size=9):
    """A page with few different tags and texts, so that two pages have much in common."""
    parent, labels = draw(trees(max_size=max_size, labels=("p", "li", "div", '"x', '"y')))
    return page_of(parent, ["html", *labels[1:]])


def learn(made_from: list[PageTree], rules: str | None) -> Pattern:
    """The composition of pages, promoted after each step if there are rules."""
    pattern = pattern_of(made_from[0])
    for page in made_from[1:]:
        pattern = compose(pattern, pattern_of(page))
        pattern = promote(pattern, literal=rules == "literal") if rules else pattern
    return pattern
