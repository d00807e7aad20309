"""Labels of annotated pictures: ordered, without overlap, as near to their boxes as possible."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from miolo.debug.pictures.kinds import KINDS, LIGHT
from miolo.debug.pictures.labels import HEIGHT, Label, draw_labels, place_labels
from PIL import Image

SIZE = (1280, 900)

heights = st.integers(0, SIZE[1] - 1)
labels = st.builds(
    lambda kind, left, top, height: Label(
        f"{kind} {left}", kind, True, (left, top, left + 10, min(SIZE[1], top + height))
    ),
    st.sampled_from(list(KINDS)),
    st.integers(0, SIZE[0] - 10),
    heights,
    st.integers(1, 300),
)


@given(st.lists(labels, max_size=80, unique_by=lambda label: label.text))
def test_labels_are_on_the_picture_in_order_and_do_not_overlap(page_labels):
    for placed in place_labels(page_labels, SIZE).values():
        assert all(HEIGHT // 2 <= each.y <= SIZE[1] - HEIGHT // 2 for each in placed)
        assert all(second.y - first.y >= HEIGHT for first, second in pairwise(placed))
        assert all(first.anchor <= second.anchor for first, second in pairwise(placed))


def kept_label(left, top, role="table", score=0.9):
    return Label(role, "kept", True, (left, top, left + 50, top + 20), score)


def test_lines_closer_than_labels_share_one_that_spans_them():
    items = [kept_label(10, top, "list-item", 1 - top / 1000) for top in range(100, 600, 24)]
    (label,) = place_labels(items, SIZE)["left"]
    assert label.text == "list-item 0.42 x21"
    assert (label.anchor, label.foot) == (items[0].anchor, items[-1].anchor)


def line_page(*obstacles):
    page = Image.new("RGB", SIZE, "white")
    for box in obstacles:
        page.paste("red", box)
    return page


def drawn_line(page):
    """The columns of the page that the line to a box at 900 px covers; the margin has 400 px."""
    label = Label("title", "head", True, (900, 100, 1270, 120), y=110)
    whole = Image.new("RGB", (SIZE[0] + 400, SIZE[1]), LIGHT.paper)
    whole.paste(page, (400, 0))
    draw_labels(whole, page, (400, 0), {"left": [label]}, LIGHT)
    row = np.asarray(whole)[label.anchor, 400:]
    return np.flatnonzero((row == KINDS["head"].color).all(axis=1))


def test_a_line_ends_at_its_box_and_passes_behind_other_content():
    assert drawn_line(line_page()).tolist() == list(range(900))
    dotted = drawn_line(line_page((200, 0, 300, 110)))
    assert set(range(200)) <= set(dotted)
    assert not set(dotted) & set(range(200, 300))
    beyond = [x for x in dotted if x >= 300]
    assert 880 < max(beyond) < 900
    assert 0.2 < len(beyond) / 600 < 0.3
