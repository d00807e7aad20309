"""Runs of records among siblings.

Source: Liu, Grossman and Zhai, *Mining data records in Web pages*, KDD 2003 (MDR): records are
similar generalized nodes under one parent, each of one or several consecutive siblings. MDR tries
every length and offset of generalized nodes. Here siblings are first grouped into kinds by the
likeness of their shapes. A record then begins at each sibling of a *head* kind and extends to the
next one, so that records may differ in length (a term with two definitions).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .page import RecordPage
from .shapes import Shapes

__all__ = ["MIN_LIKENESS", "MIN_MARKED_LIKENESS", "Run", "sibling_groups", "sibling_runs"]

Run = Sequence[Sequence[int]]
"""Top nodes of each record."""

LISTS = frozenset(("ul", "ol", "menu", "table", "tbody"))


# Minimum normalised similarity of two records, and of two records with the same class names, since
# bodies of posts differ greatly.
MIN_LIKENESS = 0.7
MIN_MARKED_LIKENESS = 0.4

# Number of recent kinds that a sibling is compared with, to limit the comparisons.
MAX_KINDS = 12

# Number of kinds tried as the first part of records, most frequent first.
MAX_HEADS = 4


def sibling_runs(page: RecordPage, shapes: Shapes, node: int) -> list[Run]:
    """Runs of two or more records among the children of a node.

    Runs of two are included because they may be groups that contain the records of a list.
    """
    children = page.children[node]
    if len(children) < 2:
        return []
    kinds = _kinds(page, shapes, children)
    heads = [kind for kind, count in Counter(kinds).most_common(MAX_HEADS) if count > 1]
    runs = [_split_at_leaders(head, kinds, children, shapes) for head in heads]
    return [run for run in runs if len(run) > 1]


def sibling_groups(page: RecordPage, node: int) -> list[Run]:
    """Lists among the children of a node, similar or not, which may be parts of one list."""
    by_label: dict[str, list[tuple[int, ...]]] = {}
    for child in page.children[node]:
        if page.label[child] in LISTS:
            by_label.setdefault(page.label[child], []).append((child,))
    return [tuple(group) for group in by_label.values() if len(group) > 1]


def _kinds(page: RecordPage, shapes: Shapes, children: list[int]) -> list[int]:
    """Kind of each child, identified by the first child that it is similar to."""
    leaders: list[int] = []
    kinds: list[int] = []
    kind_of: dict[tuple[int, tuple[str, ...]], int] = {}
    for child in children:
        key = (shapes.of[child], page.marks[child])
        if key not in kind_of:
            like = [one for one in leaders if _are_similar(page, shapes, one, child)]
            kind_of[key] = like[0] if like else child
            if not like:
                leaders = [*leaders[-MAX_KINDS + 1 :], child]
        kinds.append(kind_of[key])
    return kinds


def _are_similar(page: RecordPage, shapes: Shapes, one: int, two: int) -> bool:
    likeness = shapes.likeness(shapes.of[one], shapes.of[two])
    # `article` elements are of one kind by definition (HTML), like elements with the same classes.
    marked = page.marks[one] == page.marks[two] and (
        page.marks[one] or page.label[one] == page.label[two] == "article"
    )
    return likeness >= (MIN_MARKED_LIKENESS if marked else MIN_LIKENESS)


def _split_at_leaders(head: int, kinds: list[int], children: list[int], shapes: Shapes) -> Run:
    """Records that begin at the children of one kind."""
    places = [i for i, kind in enumerate(kinds) if kind == head]
    tails = [range(a + 1, b) for a, b in zip(places, [*places[1:], len(kinds)], strict=True)]
    # Nodes that only occasionally follow a record are headings or advertisements.
    if 2 * sum(len(tail) > 0 for tail in tails[:-1]) <= len(tails) - 1:
        return tuple((children[place],) for place in places)
    # Nodes after the last record belong to no record.
    seen = {kinds[i] for tail in tails[:-1] for i in tail}
    longest = max(len(tail) for tail in tails[:-1])
    last = next((i for i in tails[-1] if kinds[i] not in seen), tails[-1].stop)
    tails[-1] = range(tails[-1].start, min(last, tails[-1].start + longest))
    records = [[children[i] for i in (a, *b)] for a, b in zip(places, tails, strict=True)]
    return _keep_commonest_shape(records, shapes)


def _keep_commonest_shape(records: list[list[int]], shapes: Shapes) -> Run:
    """The records whose shape is similar to the most common one; the last may lack parts."""
    shape_of_record = [shapes.join("#record", record) for record in records]
    model = Counter(shape_of_record).most_common(1)[0][0]
    return tuple(
        tuple(record)
        for record, shape in zip(records, shape_of_record, strict=True)
        if shapes.likeness(model, shape) >= MIN_LIKENESS
    )
