"""Page trees and outlines."""

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.outline import outline
from miolo.features.page_tree import page_tree

PAGE = """<html><head><title>Shells</title><script>x()</script></head><body>
<nav class="b a"><ul><li><a href="/">Home</a><li><a href="/news">News</a></ul></nav>
<article><h1>Shells</h1>{body}</article><svg><svg><path/></svg></svg>
<p>  </p></body></html>"""


def static(body: str) -> miolo.Snapshot:
    return miolo.Snapshot.from_html(PAGE.format(body=body))


def test_elements_that_show_nothing_are_left_out():
    tree = page_tree(static("<p>One  two</p>"))
    assert not {"head", "script", "title", "path"} & set(tree.labels)
    assert '"One two' in tree.labels
    assert tree.labels.count("svg") == 1
    assert tree.parent[0] == -1
    assert (tree.parent[1:] < np.arange(1, len(tree))).all()


def test_labels_have_the_requested_detail():
    page = static("<p>One</p>")
    assert "nav" in page_tree(page).labels
    assert "nav.a.b" in page_tree(page, "classes").labels
    # Elements have no looks without geometry.
    assert page_tree(page, "looks").labels == page_tree(page).labels
    with pytest.raises(ValueError, match="tags, classes, looks"):
        page_tree(page, "colours")  # pyright: ignore[reportArgumentType]


FLOWING = st.sampled_from(
    ["<p>a</p>", "<p>b <em>c</em></p>", "<ul><li>d<li>e</ul>", "<h2>f</h2>", "<pre>g</pre>"]
)


@given(st.lists(FLOWING, max_size=8))
def test_the_outline_excludes_the_text_of_the_article(parts):
    shape = outline(static("<p>x</p>"))
    same = outline(static("<p>first</p>" + "".join(parts)))
    assert same.labels == shape.labels
    assert same.parent.tolist() == shape.parent.tolist()


def test_the_outline_includes_the_template():
    labels = outline(static("<p>x</p><aside><form>y</form></aside>")).labels
    assert {"aside", "form", "#flow"} <= set(labels)
    # Equal entries of the menu are merged into one.
    assert labels.count("li") == 1
