"""Lists and tables are kept or left out as a whole."""

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.blocks import article_blocks
from miolo.models.article.units import (
    UNIT_FEATURES,
    Units,
    find_units,
    shipped_unit_model,
    unit_features,
    units_between,
    without_torn_units,
)


def units_of(markup: str) -> tuple[list[str], Units]:
    page = article_blocks(miolo.Snapshot.from_html(f"<body>{markup}"))
    return page.texts, find_units(page)


def test_lists_definitions_and_tables_are_units() -> None:
    texts, units = units_of(
        "<p>Before</p><ul><li>a</li><li>b<ol><li>c</li><li>d</li></ol></li></ul>"
        "<dl><dt>e</dt><dd>f</dd></dl><table><tr><td>g</td><td>h</td></tr></table><p>After</p>"
    )
    spans = zip(units.start.tolist(), units.stop.tolist(), strict=True)
    assert [" ".join(texts[a:b]) for a, b in spans] == ["a b c d", "c d", "e f", "g h"]
    assert units.parent.tolist() == [-1, 0, -1, -1]


@pytest.mark.parametrize(
    "markup",
    [
        "<ul><li>One item</li></ul>",
        "<table><tr><td><table><tr><td>x</td></tr></table></td><td>y</td></tr></table>",
        "<p>a</p><p>b</p>",
        "",
    ],
)
def test_single_items_and_layout_tables_are_no_units(markup: str) -> None:
    assert not len(units_of(markup)[1])


@given(st.lists(st.sampled_from("<ul> <li>a </ul> <table> <tr> <td>b </table> <dl> <dt>c".split())))
def test_features_are_finite_on_any_page(parts: list[str]) -> None:
    page = article_blocks(miolo.Snapshot.from_html("<body>" + "".join(parts)))
    units, p = find_units(page), np.full(len(page), 0.5)
    rows = unit_features(page, units, p, p * 2, p, 0.3)
    assert rows.shape == (len(units), len(UNIT_FEATURES))
    assert np.isfinite(rows).all()
    assert shipped_unit_model().probabilities(rows).sum() == pytest.approx(len(units))


def test_torn_units_become_what_is_most_likely_and_no_table_keeps_its_head_alone() -> None:
    html = "<ul><li>a<li>b<li>c</ul><table><tr><th>h<th>i<tr><td>x<td>y</table><ol><li>d<li>e</ol>"
    page = article_blocks(miolo.Snapshot.from_html(html))
    units = find_units(page)
    outcomes = np.array([[0.1, 0.2, 0.7], [0.2, 0.5, 0.3], [0.3, 0.4, 0.3]])
    head = page.snapshot.with_tag("th")[page.owner]
    kept = np.array([True, False, False, True, True, False, False, True, False])
    selection = without_torn_units(units, outcomes, kept, head)
    assert selection.tolist() == [True] * 7 + [True, False]
    outcomes[:, [0, 2]] = outcomes[:, [2, 0]]
    selection = without_torn_units(units, outcomes, kept, head)
    assert selection.tolist() == [False] * 7 + [True, False]


TABLE = "<table><tr><th>Mon</th><td>10 AM</td></tr><tr><th>Tue</th><td>Closed</td></tr></table>"
FACTS = "<dl><dt>Cost</dt><dd>Five pounds</dd><dt>Place</dt><dd>Slipway</dd></dl>"


@pytest.mark.parametrize(
    ("markup", "content", "linked", "kept"),
    [
        (f"<p>Before</p>{TABLE}<p>After</p>", 0.4, 0.3, True),
        (f"<h2>Before</h2>{TABLE}<div>After</div>", 0.4, 0.3, True),
        ("<p>Before</p><ul><li>a</li><li>b</li></ul><p>After</p>", 0.4, 0.3, True),
        (f"<p>Before</p>{TABLE}<p>After</p>", 0.1, 0.3, False),
        (f"<p>Before</p>{TABLE}<p>After</p>", 0.4, 0.8, False),
        (f"<p>Before</p><div>{TABLE}</div><p>After</p>", 0.4, 0.3, False),
        (f"<p>Before</p>{TABLE}", 0.4, 0.3, True),
        (f"<div>{TABLE}<h2>One</h2><div>Two</div><p>After</p></div>", 0.4, 0.3, True),
        ("<p>Before</p><ul><li>a</li><li>b</li></ul>", 0.4, 0.3, False),
        ("<p>Before</p><table><tr><td>a</td><td>b</td></tr></table>", 0.4, 0.3, False),
        ("<p>Before</p><table><tr><td>a<p>b</td><td>c<tr><td>d<td>e</table>", 0.4, 0.3, False),
        (f"<h1>Title</h1>{TABLE}", 0.1, 0.3, True),
        (f"<h1>Title</h1><div>{FACTS}</div><p>One</p>", 0.1, 0.3, True),
        (f"<header><h1>Title</h1></header><main>{FACTS}</main>", 0.1, 0.3, False),
        (f"<h1>Title</h1><p>Before</p>{FACTS}", 0.1, 0.3, False),
        ("<h1>Title</h1><dl><dt>Views</dt><dd>9</dd><dt>Likes</dt><dd>1</dd></dl>", 0.1, 0, False),
        ("<h1>Title</h1><ul><li>a</li><li>b</li></ul>", 0.1, 0.3, False),
    ],
)
def test_a_unit_between_text_is_text_unless_it_is_boilerplate_or_links(
    markup, content, linked, kept
):
    page = article_blocks(miolo.Snapshot.from_html(f"<body>{markup}"))
    is_text = np.array([text in ("Before", "After") for text in page.texts])
    others = is_text | np.isin(page.texts, ("Title", "One", "Two"))
    content, linked, words, head = np.full((4, len(page)), [[content], [linked], [1], [0]])
    title = page.texts.index("Title") if "Title" in page.texts else -1
    probability, units = np.where(is_text, 0.95, 0.1), find_units(page)
    between = units_between(page, units, probability, content, head, title, words, linked)
    assert (between == (~others & kept)).all()
    head[:] = 0.5
    of_head = units_between(page, units, probability, content, head, title, words, linked)
    assert (of_head == between & (title < 0)).all()
