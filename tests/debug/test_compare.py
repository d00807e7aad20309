"""Comparing pages that were edited in known ways."""

import time
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from miolo import Snapshot
from miolo.debug.comparison.compare import compare_snapshots
from miolo.debug.comparison.text_versions import difference
from miolo.renderer.page.attributes import Attributes
from patience import patient

# The first example loads the compiled distances, which may exceed the deadline.
unhurried = settings(deadline=None)

WORDS = "amber basil cedar delta ember fjord grove heath inlet jetty knoll ledge".split()
OTHERS = "quartz raven sable thorn umber velvet willow yarrow zephyr onyx pearl flint".split()


def sentence(number: int, words=WORDS) -> str:
    """A sentence that has few words in common with those of other numbers."""
    return " ".join(f"{words[(number * k) % 12]}{number}{k}" for k in range(1, 7))


def page(texts, links=()) -> Snapshot:
    body = "".join(f"<p>{text}</p>" for text in texts)
    tail = "".join(f'<a href="{link}">Onwards</a>' for link in links)
    return Snapshot.from_html(
        f"<h1>News of the town</h1><article>{body}</article><nav>{tail}</nav>"
    )


def changes_of(comparison) -> list[tuple[str, str, str]]:
    return [(c.kind, c.text_before, c.text_after) for c in comparison.changes]


@st.composite
def edits(draw):
    """Paragraphs before and after edits, and the changes; a kept paragraph precedes each edit."""
    before, after, expected = [], [], []
    for number in range(draw(st.integers(1, 8))):
        kept, own, other = sentence(3 * number), sentence(3 * number + 1), sentence(number, OTHERS)
        kind = draw(st.sampled_from(("none", "removed", "inserted", "text")))
        for side in (before, after):
            side.append(kept)
        if kind in ("removed", "text"):
            before.append(own)
        if kind in ("inserted", "text"):
            after.append(other)
        if kind != "none":
            was_there, is_there = kind != "inserted", kind != "removed"
            expected.append((kind, own if was_there else "", other if is_there else ""))
    return before, after, expected


@unhurried
@given(edits())
def test_the_changes_that_were_made_are_found(drawn):
    before, after, expected = drawn
    divided = compare_snapshots(page(before), page(after), max_bytes=0)
    comparison = compare_snapshots(page(before), page(after))
    assert changes_of(comparison) == changes_of(divided) == expected
    assert comparison.distance == sum(1 if kind == "text" else 2 for kind, _, _ in expected)
    assert comparison.warnings == ()


TAGS = st.sampled_from(["p", "div", "b", "ul"])
MARKUP = st.recursive(
    st.sampled_from(["one", "two words", "a text that is long enough to be told when it moves"]),
    lambda inner: st.tuples(TAGS, st.lists(inner, max_size=4)).map(
        lambda drawn: f"<{drawn[0]}>{''.join(drawn[1])}</{drawn[0]}>"
    ),
    max_leaves=12,
)


@unhurried
@given(MARKUP, MARKUP, st.sampled_from([0, 1 << 25]))
def test_a_mapping_keeps_order_labels_and_parents(one, two, max_bytes):
    before, after = Snapshot.from_html(one), Snapshot.from_html(two)
    comparison = compare_snapshots(before, after, max_bytes=max_bytes)
    pairs = comparison.mapping
    assert pairs.dtype == np.int32
    assert (np.diff(pairs, axis=0) > 0).all()
    partner = dict(pairs.tolist())
    for x, y in pairs.tolist():
        assert before.tag_name(x) == after.tag_name(y)
        assert not x or partner[int(before.parent[x])] == after.parent[y]
    assert 0 <= comparison.similarity <= 1
    assert (comparison.distance == 0) == (comparison.similarity == 1)


def test_a_corrected_text_is_found_beside_a_new_one():
    old = "The board has met on Monday to hear what the town thinks of it"
    new = old.replace("Monday", "Tuesday")
    comparison = compare_snapshots(page([old]), page([sentence(1), new]))
    assert changes_of(comparison) == [("inserted", "", sentence(1)), ("text", old, new)]
    assert list(comparison.lines()) == [
        "@@ html/body/article @@",
        f"+ p  {sentence(1)}",
        f"~ p  {old} → {new}",
    ]


def test_a_move_is_reported_once():
    block = f"<p>{sentence(1)} <b>and more</b></p>"
    rest = "".join(f"<p>{sentence(n)}</p>" for n in range(2, 6))
    comparison = compare_snapshots(
        *(Snapshot.from_html(h) for h in (f"{block}<div>{rest}", f"<div>{rest}{block}"))
    )
    (change,) = comparison.changes
    assert change.kind == "moved"
    assert (change.path_before, change.path) == ("html/body/p", "html/body/div/p[5]")
    assert change.text_before == change.text_after == f"{sentence(1)} and more"
    assert list(comparison.lines())[1].startswith(
        f"> p  {sentence(1)} and more  (from html/body/p)"
    )


def test_only_meaningful_attributes_are_compared():
    before = '<img src="a.png" alt="A boat" class=x id=i style="color:red" data-n=1>'
    after = '<img src="a.png" alt="A ship" class=y id=j style="color:blue" data-n=2>'
    images = [replace(Snapshot.from_html(h)) for h in (before, after)]
    for image in images:
        image.visible[:] = True
    (change,) = compare_snapshots(*images).changes
    assert (change.kind, change.text_before, change.text_after) == (
        "attributes",
        'alt="A boat"',
        'alt="A ship"',
    )
    comparison = compare_snapshots(page([], ["/a"]), page([], ["/b"]))
    assert changes_of(comparison) == [("attributes", 'href="/a"', 'href="/b"')]
    assert comparison.distance == 0


def test_invisible_changes_are_only_counted():
    before, after = (Snapshot.from_html(f"<p>seen</p><p hidden>{n}</p>") for n in ("one", "two"))
    comparison = compare_snapshots(before, after)
    assert (comparison.changes, comparison.distance) == ((), 1)
    assert [warning.code for warning in comparison.warnings] == ["unseen"]


def chain(depth: int, text: str) -> Snapshot:
    """Nested elements with a text in the innermost, deeper than any parser builds."""
    model, n = Snapshot.from_html("<p>x"), depth + 1
    columns = {
        name: np.zeros((n, *value.shape[1:]), value.dtype)
        for name, value in vars(model).items()
        if isinstance(value, np.ndarray) and len(value) == len(model)
    }
    columns |= {
        "parent": np.arange(-1, depth, dtype=np.int32),
        "end": np.full(n, n, np.int32),
        "depth": np.arange(n, dtype=np.int32),
        "tag": (np.arange(n) < depth).astype(np.int16),
        "visible": np.ones(n, bool),
    }
    attributes = Attributes.from_columns([0] * n, [], [])
    texts = ("",) * depth + (text,)
    return replace(model, **columns, tags=("#text", "div"), text=texts, attributes=attributes)


def test_pages_ten_thousand_levels_deep_are_compared():
    comparison = compare_snapshots(chain(10_000, "one"), chain(10_000, "two"))
    (change,) = comparison.changes
    assert (change.kind, change.path) == ("text", "/".join(["div", "…"] + ["div"] * 16))
    other = compare_snapshots(chain(10_000, sentence(1)), chain(4_000, sentence(1)))
    assert [change.kind for change in other.changes] == ["moved"]


def test_twenty_thousand_distinct_siblings_are_divided():
    texts = [[f"{word} {n}" for n in range(20_000)] for word in ("old", "new")]
    start = time.monotonic()
    comparison = compare_snapshots(page(texts[0]), page(texts[1]))
    assert time.monotonic() - start < patient(20)
    assert [warning.code for warning in comparison.warnings] == ["divided"]
    assert [change.kind for change in comparison.changes] == ["text"] * 20_000
    assert comparison.changes[-1].text_after == "new 19999"


SOME_WORDS = st.lists(st.sampled_from(["a", "bb", "c,", ""]), max_size=6).map(" ".join)


@given(SOME_WORDS, SOME_WORDS)
def test_shared_parts_of_two_texts_are_equal_and_do_not_overlap(one, two):
    head, tail = difference(one, two)
    assert one[:head] == two[:head]
    assert one[len(one) - tail :] == two[len(two) - tail :]
    assert head + tail <= min(len(one), len(two))
