"""Simple selectors against a scan of every element."""

import miolo
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.selectors import Selectors

PIECES = st.lists(
    st.sampled_from(
        ["<div>", "</div>", "<p class=a>", "<p class='a b'>", "<p id=top>", "<div class=b id=x1>",
         "<ul class='a a-2'>", "</ul>", "text"]
    ),
    max_size=25,
).map("".join)  # fmt: skip


@given(PIECES)
def test_nodes_are_those_that_have_the_selector(source):
    page = miolo.Snapshot.from_html(source)
    selectors = Selectors(page)
    of = {node: selectors.of(node) for node in range(len(page))}
    for selector in {name for names in of.values() for name in names}:
        expected = [node for node, names in of.items() if selector in names]
        assert selectors.nodes(selector).tolist() == expected
    assert not len(selectors.nodes("main.none"))
    assert not len(selectors.nodes("main > p.none"))


def test_numbered_names_select_nothing():
    page = miolo.Snapshot.from_html(
        "<main id=post-815><div class='entry post-815 x1 one two three four five'><p>text</p></div>"
    )
    selectors = Selectors(page)
    (div,) = np.flatnonzero(page.with_tag("div"))
    own = [f"div.{name}" for name in ("entry", "one", "two", "three")]
    assert selectors.of(int(div)) == [*own, *(f"main > {name}" for name in own)]
    assert selectors.of(int(div) + 1) == ["p", *(f"{name} > p" for name in own)]
