"""Records in plain trees: runs, groups, alignment, and pathological pages."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.records.page import FACTS, RecordPage
from miolo.models.records.records import find_regions
from strategies import parents

TEXT, LINK = FACTS.index("text"), FACTS.index("link")


def page_of(parent, label, value=None, **others):
    """A page whose leaves are texts and whose anchors are links, all different."""
    size = len(parent)
    inner = set(parent)
    fact = [LINK if label[n] == "a" else 0 if n in inner else TEXT for n in range(size)]
    value = value or [f"value {n}" if fact[n] else "" for n in range(size)]
    page = RecordPage(
        parent=tuple(parent),
        label=tuple(label),
        marks=((),) * size,
        fact=tuple(fact),
        value=tuple(value),
        chars=np.array([30 if code == TEXT else 0 for code in fact], np.int64),
        box=np.zeros((size, 4), np.float32),
        side=(False,) * size,
        inward=(False,) * size,
        node=tuple(range(size)),
    )
    return replace(page, **others)


def tree_of(*children):
    """A page whose root is a ``div`` with these subtrees, each ``(label, *subtrees)``."""
    parent, label = [-1], ["div"]
    stack = [(child, 0) for child in reversed(children)]
    while stack:
        (name, *inner), above = stack.pop()
        stack.extend((child, len(parent)) for child in reversed(inner))
        parent.append(above)
        label.append(name)
    return page_of(parent, label)


ITEM = ("li", ("a", ("#text",)))
TERM = ("dt", ("a", ("#text",)))
MEANING = ("dd", ("em", ("#text",)), ("#text",))


def heads(page, region):
    return [[page.label[node] for node in nodes] for nodes in region.records]


POST = ("article", ("h2", ("a", ("#text",))), ("p", ("#text",)))
SENTENCE = ("p", ("#text",), ("a", ("#text",)), ("#text",))


LONG = [("p",), ("ul", ITEM, ("li", ("b",), ("i",))), ("table", ("tr", ("td",), ("th",)))]
TERMS = (TERM, MEANING, TERM, MEANING, MEANING, TERM, MEANING, TERM, MEANING, ("p",))
SPARSE = (("h2",), ITEM, ITEM, ITEM, ("h2",), ITEM, ITEM, ("div", ("img",)), ITEM)


@pytest.mark.parametrize(
    ("children", "records"),
    [
        ((("h1",), ITEM, ITEM, ITEM, ("p",)), [["li"]] * 3),
        ((POST, POST, ("article", *POST[1:], *LONG), POST), [["article"]] * 4),
        (TERMS, [["dt", "dd"], ["dt", "dd", "dd"], ["dt", "dd"], ["dt", "dd"]]),
        (SPARSE, [["li"]] * 6),
    ],
)
def test_similar_siblings_are_records(children, records):
    page = tree_of(*children)
    assert heads(page, find_regions(page)[0]) == records


@pytest.mark.parametrize(
    "children",
    [
        [("h1",), ITEM, ITEM, ("p",)],
        [("p",)] * 9,
        [("h2",), ("p",), ("p",)] * 4,
        [SENTENCE] * 4,
        [("h2",), SENTENCE, ("p",), ("img",)] * 4,
        [("p",), ("pre",)] * 4,
        [("div", ("span",), ("pre", ("i",)))] * 4,
    ],
)
def test_passages_of_an_article_are_not_records(children):
    assert find_regions(tree_of(*children)) == ()


def test_two_marked_records_are_the_main_list_or_none():
    (region,) = find_regions(tree_of(("h1",), POST, POST))
    assert region.main
    assert heads(tree_of(("h1",), POST, POST), region) == [["article"]] * 2
    assert find_regions(tree_of(("h1",), *[("p", ("#text",))] * 3, POST, POST)) == ()


def test_nested_groups_are_split_into_records():
    nested = ("li", ("b",), ("ul", ITEM, ITEM))
    groups = [("h2",), ("ul", ITEM, ITEM, ITEM), ("h2",), ("ul", ITEM, ITEM), ("h2",)]
    page = tree_of(*groups, ("ul", ITEM, nested, ITEM))
    region = find_regions(page)[0]
    assert len(region.records) == 9
    assert all(page.end[top] - top == 3 for top in region.tops)
    linked = ("li", ("a", ("#text",)), ("ul", ITEM, ITEM))
    page = tree_of(*groups, ("ul", ITEM, linked, ITEM))
    assert len(find_regions(page)[0].records) == 8


def test_headings_that_are_links_name_records_unless_they_lead_to_the_page_itself():
    page = tree_of(*[("h2", ("a", ("#text",))), ("p",)] * 4)
    assert heads(page, find_regions(page)[0]) == [["h2", "p"]] * 4
    assert find_regions(replace(page, inward=tuple(name == "a" for name in page.label))) == ()


def test_a_list_beside_the_main_part_is_not_the_main_list():
    page = tree_of(("p",), ("ul", *[ITEM] * 4))
    assert find_regions(page)[0].main
    side = tuple(node >= page.label.index("ul") for node in range(len(page)))
    assert [region.main for region in find_regions(replace(page, side=side))] == [False]


def test_a_narrow_list_is_not_the_main_list_and_does_not_count_against_one():
    page = tree_of(("div", *[POST] * 3), ("ul", *[ITEM] * 9))
    box = np.tile(np.array([0, 0, 800, 20], np.float32), (len(page), 1))
    box[0] = 0, 0, 1000, 1000
    box[page.label.index("ul") :, 2] = 200
    regions = find_regions(replace(page, box=box))
    assert [(len(region.records), region.main) for region in regions] == [(3, True), (9, False)]
    alone = replace(page, box=np.where(box == 800, 200, box).astype(np.float32))
    assert not any(region.main for region in find_regions(alone))


def test_missing_fields_leave_gaps():
    full = ("tr", ("td", ("a", ("#text",))), ("td",), ("th",))
    page = tree_of(full, full, ("tr", ("td", ("a", ("#text",))), ("th",)), full)
    (region,) = find_regions(page)
    assert [column.support for column in region.columns] == [1, 1, 0.75, 1]
    assert [2 in column.cells for column in region.columns] == [True, True, False, True]


def test_data_without_a_column_are_counted():
    rows = [("li", *[(f"x{row}-{place}",) for place in range(400)]) for row in range(4)]
    page = tree_of(("ul", *[("li", ("a", ("#text",)), *row[1:]) for row in rows]))
    marks = tuple(("item",) if name == "li" else () for name in page.label)
    regions = find_regions(replace(page, marks=marks))
    assert regions
    for region in regions:
        held = sum(len(nodes) for column in region.columns for nodes in column.cells.values())
        assert held + region.left_out == sum(code > 0 for code in page.fact)


@given(parent=parents(max_size=60), data=st.data())
def test_any_tree_gives_disjoint_records_of_its_nodes(parent, data):
    size = len(parent)
    label = data.draw(st.lists(st.sampled_from(["li", "a", "p"]), min_size=size, max_size=size))
    page = page_of(parent, label)
    regions = find_regions(page)
    tops = [node for region in regions for node in region.tops]
    covered = [n for top in tops for n in range(top, page.end[top])]
    assert len(covered) == len(set(covered))
    for region in regions:
        assert len(region.records) >= (2 if region.main else 3)
        assert region.left_out == 0
        assert 0 <= region.score <= 1
        for number, nodes in enumerate(region.records):
            inside = {n for top in nodes for n in range(top, page.end[top])}
            held = [n for column in region.columns for n in column.cells.get(number, ())]
            assert set(held) <= inside
            assert len(held) == len(set(held))
    assert not any(region.main for region in regions[1:])
    assert regions == find_regions(page)


def nested_lists(levels):
    """A list within the last item of a list, and so on."""
    parent, label = [-1], ["ul"]
    above = 0
    for _ in range(levels):
        for _ in range(3):
            at = len(parent)
            parent += [above, at]
            label += ["li", "a"]
        above = at
    return page_of(parent, label)


def various(count):
    """Siblings that all differ."""
    parent, label = [-1], ["ul"]
    for number in range(count):
        at = len(parent)
        parent += [0, *[at] * 4]
        label += ["li", *(f"x{number % place}" for place in (7, 11, 13, 17))]
    return page_of(parent, label)


def several(count):
    """Many lists beside one another."""
    return tree_of(*[("ul", *[ITEM] * 3, (f"x{number}",)) for number in range(count)])


@pytest.mark.parametrize(
    "page", [nested_lists(5_000), various(3_000), several(600), tree_of(*[ITEM] * 10_000)]
)
def test_record_search_terminates_on_hostile_pages(page):
    find_regions(page)
