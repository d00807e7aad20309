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

from ...features.distinct_trees import DistinctTrees
from ..trees.subtree_classes import ClassedTree, SubtreeClasses
from ..trees.top_down import top_down_distance
from .page import RecordPage

__all__ = ["MIN_LIKENESS", "MIN_MARKED_LIKENESS", "Run", "Shapes", "sibling_groups", "sibling_runs"]


# Shapes: subtrees without repetitions among siblings, and their likeness.
#
# Two records of one list may differ in how often a part repeats: paragraphs of a body, tags, list
# items. Each distinct child is therefore counted once, so that only the kinds of parts are
# compared. Liu and Zhai, *NET*, WISE 2005, treat repetition inside a record similarly.

# Maximum size of shapes that are compared. Larger ones are columns of the page rather than records;
# they are similar only if equal, which limits the total time.
MAX_COMPARED = 500

# Maximum comparisons for a page, after which only equal shapes are similar. Real pages take some
# hundreds.
MAX_COMPARISONS = 10_000


class Shapes:
    """Numbered shapes of all subtrees of a page; equal shapes have equal numbers.

    `least`: Likenesses below this may be returned as 0.
    """

    def __init__(self, page: RecordPage, least: float) -> None:
        self._least = least
        self._comparisons = 0
        self._shapes = DistinctTrees()
        self._sizes: list[int] = []
        self._classes = SubtreeClasses()
        self._trees: dict[int, ClassedTree] = {}
        self._likeness: dict[tuple[int, int], float] = {}
        self.of: list[int] = [0] * len(page)
        """Number of each node's shape."""
        for node in range(len(page) - 1, -1, -1):
            self.of[node] = self.join(page.label[node], page.children[node])

    def join(self, label: str, nodes: list[int]) -> int:
        """Shape of a tree whose root has this label and these nodes as children."""
        parts = dict.fromkeys(self.of[node] for node in nodes)
        number = self._shapes.number(label, parts)
        if number == len(self._sizes):
            self._sizes.append(1 + sum(self._sizes[part] for part in parts))
        return number

    def likeness(self, one: int, two: int) -> float:
        """Normalised similarity of two shapes, ``1 - nu / (n1 + n2)``; 0 if below `least`."""
        if one == two:
            return 1.0
        pair = (one, two) if one < two else (two, one)
        if pair not in self._likeness:
            self._likeness[pair] = self._compare(*pair)
        return self._likeness[pair]

    def _compare(self, one: int, two: int) -> float:
        small, large = sorted((self._sizes[one], self._sizes[two]))
        limit = (1 - self._least) * (small + large)
        if large > MAX_COMPARED or large - small > limit:
            return 0.0
        if self._shapes.by_number[one][0] != self._shapes.by_number[two][0]:
            return 0.0
        self._comparisons += 1
        if self._comparisons > MAX_COMPARISONS:
            return 0.0
        comparison = top_down_distance(self._tree(one), self._tree(two), threshold=limit)
        return max(0.0, 1 - comparison.distance / (small + large))

    def _tree(self, shape: int) -> ClassedTree:
        if shape not in self._trees:
            self._trees[shape] = self._classes.tree(*self._shapes.unfold(shape))
        return self._trees[shape]


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
