"""What changed between two pages, or between two captures of one page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args
from urllib.parse import urljoin

import numpy as np
from numpy.typing import NDArray

from ...errors import PageWarning
from ...features.page_tree import PageTree, is_text_label, page_tree, text_of_label
from ...features.words import collapse, count_chars
from ...models.trees.subtree_classes import ClassedTree, SubtreeClasses
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import subtree_sums
from .mapping import MAX_BYTES, map_trees
from .text_versions import difference, reader, shorten, versions

ChangeKind = Literal["text", "removed", "inserted", "moved", "attributes"]
CHANGE_KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)
"""Kinds of changes; see `Change`."""

# Elements that are visible although they have no text.
SHOWS = (
    "img", "svg", "math", "video", "audio", "canvas", "iframe", "object", "embed", "hr",
    "input", "button", "select", "textarea", "meter", "progress",
)  # fmt: skip

MIN_MOVED_CHARS = 20
"""Minimum text of a moved subtree. Less occurs twice by chance: names of tags, "Read more"."""


@dataclass(frozen=True)
class Change:
    """One difference between two pages."""

    kind: ChangeKind
    """``"text"``: a text changed. ``"removed"``, ``"inserted"``: a subtree was removed or inserted;
    only the topmost node is reported. ``"moved"``: a subtree was removed in one place and inserted
    in another, with the same tags and texts. ``"attributes"``: attributes of one element
    changed."""
    before: int | None
    after: int | None
    """Number of the node in each snapshot; None if it is not there."""
    path: str
    """Path of the node in the page after; for a removal, in the page before."""
    text_before: str = ""
    text_after: str = ""
    """Text of the node on each page, with white space collapsed and without moved subtrees. For
    attributes, those that differ, written as in markup."""
    path_before: str = ""
    """Path that a moved subtree came from; the empty string for all other changes."""


SIGNS = {"text": "~", "removed": "-", "inserted": "+", "moved": ">", "attributes": "@"}
MIN_WIDTH = 20


@dataclass(frozen=True, eq=False)
class Comparison:
    """The differences between two pages."""

    distance: int
    """Number of nodes that are removed or inserted and of texts that differ under `mapping`. Never
    below the restricted top-down distance (nu) of the two trees."""
    similarity: float
    nodes: tuple[int, int]
    """1 - distance / (n1 + n2), in [0, 1], and n1 and n2: number of nodes of the two trees."""
    mapping: NDArray[np.int32]
    """int32, shape (m, 2): node of the snapshot before, node of the snapshot after, in document
    order."""
    changes: tuple[Change, ...]
    """Changes that a reader can see, in document order of the page after, with removals where the
    nodes would be there."""
    warnings: tuple[PageWarning, ...] = ()
    """``"divided"``: the pages were too large to consider every mapping, and another one may report
    fewer changes. ``"unseen"``: changes that no reader sees were left out."""

    def lines(self, width: int = 100) -> Iterator[str]:
        """The changes as lines for people to read, similar to a unified diff.

        A line shows at most `width` characters of a text, around the difference if it changed.
        """
        place, width = "", max(MIN_WIDTH, width)
        for change in self.changes:
            parent, _, step = change.path.rpartition("/")
            if parent != place:
                yield f"@@ {parent} @@"
            place = parent
            yield f"{SIGNS[change.kind]} {step.partition('[')[0]}  {_state(change, width)}".rstrip()


def compare_snapshots(
    before: Snapshot, after: Snapshot, *, max_bytes: int = MAX_BYTES
) -> Comparison:
    """Find what a reader sees changed between two pages of a site, or two captures of a page.

    Pages that may need more than `max_bytes` of memory are divided at subtrees that they have in
    common, and the result has a warning.

    The trees of visible content (`miolo.features.page_tree`, by tags) are compared by a restricted
    top-down mapping; `miolo.debug.comparison.mapping` gives the reasons and the costs. Comparing
    the pages in the opposite order gives the mirrored result.
    """
    classes = SubtreeClasses()
    trees = page_tree(before), page_tree(after)
    pairs, exact = _mirrored_pairs(*trees, classes, max_bytes)
    old, new = (
        _Side(page, tree, classes.tree(tree.parent, tree.labels), np.full(len(tree), -1, np.int32))
        for page, tree in zip((before, after), trees, strict=True)
    )
    old.partner[pairs[:, 0]], new.partner[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
    changes, unseen = _find_changes(old, new)
    nodes = len(trees[0]), len(trees[1])
    distance = sum(nodes) - 2 * len(pairs) + len(_changed_texts(old, new))
    warnings: list[PageWarning] = []
    if not exact:
        message = "the pages were too large to compare as a whole, so unchanged content may be "
        warnings.append(PageWarning("divided", f"{message}reported as changed"))
    if unseen:
        message = f"changes left out because no reader can see them: {unseen:,}"
        warnings.append(PageWarning("unseen", message))
    return Comparison(
        distance,
        1 - distance / sum(nodes),
        nodes,
        np.stack([trees[0].nodes[pairs[:, 0]], trees[1].nodes[pairs[:, 1]]], axis=1),
        tuple(changes),
        tuple(warnings),
    )


def _mirrored_pairs(
    one: PageTree, two: PageTree, classes: SubtreeClasses, max_bytes: int
) -> tuple[NDArray[np.int32], bool]:
    """Map in a canonical order, so that both directions find the same of several best mappings."""
    if (len(one), one.labels) > (len(two), two.labels):
        pairs, exact = _mirrored_pairs(two, one, classes, max_bytes)
        return pairs[:, ::-1], exact
    version_of = versions(*([text_of_label(label) for label in tree.labels] for tree in (one, two)))
    labels = [
        label[: -len(text)] + version_of.get(text, text)
        if (text := text_of_label(label))
        else label
        for label in two.labels
    ]
    return map_trees(one, two, labels, classes, max_bytes)


def _state(change: Change, width: int) -> str:
    before, after = change.text_before, change.text_after
    if change.kind == "moved":
        return f"{shorten(after, width)}  (from {change.path_before})"
    if change.kind in ("text", "attributes"):
        # Both texts begin a little before their first difference.
        start = max(0, difference(before, after)[0] - width // 3)
        texts = (f"{'…' if start else ''}{text[start:]}" for text in (before, after))
        return " → ".join(shorten(text, width) for text in texts)
    return shorten(before or after, width) or "(no text)"


# The changes that follow from a mapping between two pages.


@dataclass(eq=False)
class _Side:
    """One of two mapped pages; its subtrees are numbered in a collection that both share.

    `partner` is each node's partner in the other tree, or -1, and `moved` are the moved subtrees.
    """

    snapshot: Snapshot
    tree: PageTree
    numbered: ClassedTree
    partner: NDArray[np.int32]
    moved: list[int] = field(default_factory=list)

    @cached_property
    def read(self) -> Callable[[int, int], str]:
        return reader(self.snapshot)

    @cached_property
    def path(self) -> Callable[[int], str]:
        return path_writer(self.snapshot)

    def node(self, place: int) -> int:
        return int(self.tree.nodes[place])

    def own_text(self, place: int) -> str:
        return collapse(self.snapshot.text[self.node(place)])

    def whole(self, place: int) -> str:
        """Text of a subtree."""
        node = self.node(place)
        return self.read(node, int(self.snapshot.end[node]))

    def rest(self, place: int) -> str:
        """Text of a subtree without what was moved out of it or into it."""
        node, parts = self.node(place), []
        end, stop = int(self.numbered.end[place]), int(self.snapshot.end[node])
        first, last = np.searchsorted(self.moved, [place, end])
        for other in map(self.node, self.moved[first:last]):
            parts.append(self.read(node, other))
            node = int(self.snapshot.end[other])
        return collapse(" ".join([*parts, self.read(node, stop)]))

    def is_seen(self, place: int, *, without_text: bool = False) -> bool:
        """Whether anything in a subtree is visible, or anything that shows more than text."""
        total, node = self._seen[int(without_text)], self.node(place)
        return bool(total[self.snapshot.end[node]] > total[node])

    @cached_property
    def _seen(self) -> NDArray[np.int64]:
        visible = self.snapshot.visible
        masks = np.stack([visible, visible & self.snapshot.with_tag(*SHOWS)])
        return np.pad(np.cumsum(masks, axis=1, dtype=np.int64), ((0, 0), (1, 0)))


def _find_changes(old: _Side, new: _Side) -> tuple[list[Change], int]:
    """Changes that a reader can see, and the number of those that no reader can see.

    They are in document order of the page after, with removals where the nodes would be there.
    """
    moves = _moved_pairs(old, new)
    old.moved, new.moved = [x for x, _ in moves], sorted(y for _, y in moves)
    removed, inserted = _left_out_roots(old), _left_out_roots(new)
    edited = _edited_pairs(old, new, removed, inserted)
    edited_before, edited_after = ({pair[side] for pair in edited} for side in (0, 1))
    rows: list[tuple[int | None, int | None, Change | None]] = [
        (x, y, _edited(old, new, x, y)) for x, y in [*edited, *_changed_texts(old, new)]
    ]
    rows += [(x, y, _moved(old, new, x, y)) for x, y in moves]
    rows += [(x, None, _unpaired(old, x, "removed")) for x in removed if x not in edited_before]
    rows += [(None, y, _unpaired(new, y, "inserted")) for y in inserted if y not in edited_after]
    rows += _attributes(old, new)
    seen = [(x, y, change) for x, y, change in rows if change is not None]
    last = np.maximum.accumulate(old.partner)

    def place(row: tuple[int | None, int | None, Change]) -> tuple[int, int]:
        x, y, _ = row
        return (y, -1) if y is not None else (int(last[x or 0]), x or 0)

    return [change for _, _, change in sorted(seen, key=place)], len(rows) - len(seen)


def _changed_texts(old: _Side, new: _Side) -> list[tuple[int, int]]:
    """Pairs of texts that differ.

    The texts themselves are compared, since a label holds only the beginning of a long text.
    """
    places = np.flatnonzero((old.partner >= 0) & old.snapshot.is_text[old.tree.nodes])
    rows = zip(places.tolist(), old.partner[places].tolist(), strict=True)
    return [(x, y) for x, y in rows if old.own_text(x) != new.own_text(y)]


def _edited(old: _Side, new: _Side, x: int, y: int) -> Change | None:
    one, two, texts = old.node(x), new.node(y), (old.own_text(x), new.own_text(y))
    is_seen = old.whole(x) or new.whole(y)
    return Change("text", one, two, new.path(two), *texts) if is_seen else None


def _moved(old: _Side, new: _Side, x: int, y: int) -> Change | None:
    one, two, texts = old.node(x), new.node(y), (old.whole(x), new.whole(y))
    return Change("moved", one, two, new.path(two), *texts, old.path(one)) if any(texts) else None


def _unpaired(page: _Side, place: int, kind: ChangeKind) -> Change | None:
    node, text = page.node(place), page.rest(place)
    if not text and not page.is_seen(place, without_text=True):
        return None
    if kind == "removed":
        return Change(kind, node, None, page.path(node), text_before=text)
    return Change(kind, None, node, page.path(node), text_after=text)


def _attributes(old: _Side, new: _Side) -> list[tuple[int, int, Change | None]]:
    """Paired elements whose attributes differ, written as in markup."""
    values = _attribute_values(old.snapshot), _attribute_values(new.snapshot)
    changes: list[tuple[int, int, Change | None]] = []
    for x in np.flatnonzero(old.partner >= 0).tolist():
        y = int(old.partner[x])
        one, two = old.node(x), new.node(y)
        first, second = values[0].get(one, {}), values[1].get(two, {})
        names = [
            name
            for name in (*ADDRESSES, *SHOWN_ATTRIBUTES)
            if first.get(name) != second.get(name)
            and not (
                name in ADDRESSES
                and _address(old.snapshot, one, name) == _address(new.snapshot, two, name)
            )
        ]
        if not names:
            continue
        change = None
        if old.is_seen(x) or new.is_seen(y):
            texts = _format(first, names), _format(second, names)
            change = Change("attributes", one, two, new.path(two), *texts)
        changes.append((x, y, change))
    return changes


# Paths of nodes in a form that people read: ``html/body/div[2]/article/p[3]``.
MAX_STEPS = 16
"""Maximum number of levels in a path, from the node up: some pages have ten thousand levels."""


def path_writer(snapshot: Snapshot) -> Callable[[int], str]:
    """Return a function that writes the path of a node; for a text, the path of its element.

    A step is a tag, with its position among the siblings with this tag if there are several. An
    ellipsis stands for levels that are left out.
    """
    parents: list[int] = snapshot.parent.tolist()
    kinds = list(zip(parents, snapshot.tag.tolist(), strict=True))
    total, seen = Counter(kinds), Counter[tuple[int, int]]()
    steps: list[str] = []
    for kind in kinds:
        seen[kind] += 1
        number = f"[{seen[kind]}]" if total[kind] > 1 else ""
        steps.append(f"{snapshot.tags[kind[1]]}{number}")
    is_text = snapshot.is_text.tolist()

    def path(node: int) -> str:
        if is_text[node] and parents[node] >= 0:
            node = parents[node]
        written: list[str] = []
        while node >= 0 and len(written) < MAX_STEPS:
            written.append(steps[node])
            node = parents[node]
        if node >= 0:
            written += ["…", steps[0]]
        return "/".join(reversed(written))

    return path


ADDRESSES = ("href", "src", "action", "cite", "data", "poster")
"""Attributes that hold addresses. They are compared as absolute addresses."""

SHOWN_ATTRIBUTES = (
    "alt", "title", "aria-label", "placeholder", "value", "label", "datetime", "lang", "dir",
    "start", "colspan", "rowspan",
)  # fmt: skip
"""Attributes that are displayed, read aloud or announced.

Classes, ids, styles, ``data-``, handlers, sizes and `srcset` are left out: they change with
every build of a site, and their effect is visible in the content of the page.
"""


def _attribute_values(snapshot: Snapshot) -> dict[int, dict[str, str]]:
    values: dict[int, dict[str, str]] = defaultdict(dict)
    for name in (*ADDRESSES, *SHOWN_ATTRIBUTES):
        for node, value in snapshot.attributes.with_attribute(name):
            values[node][name] = collapse(value)
    return values


def _address(snapshot: Snapshot, node: int, name: str) -> str | None:
    """An address as an absolute one, which pages of two folders write differently."""
    value = snapshot.attributes.get(node, name)
    if value is None:
        return None
    try:
        return urljoin(snapshot.frames[snapshot.frame[node]].base_url, value.strip())
    except ValueError:  # a page may write anything: http://[
        return value


def _format(values: dict[str, str], names: list[str]) -> str:
    return " ".join(f'{name}="{values[name]}"' for name in names if name in values)


def _moved_pairs(before: _Side, after: _Side) -> list[tuple[int, int]]:
    """Pairs of equal subtrees that the mapping leaves out, in the order of the page before.

    The largest are paired first, and each node belongs to at most one of them. Several subtrees of
    one class are paired in document order.
    """
    places = [_by_class(side) for side in (before, after)]
    classes = sorted(places[0].keys() & places[1].keys())
    sizes = {c: int(before.numbered.end[places[0][c][0]]) - places[0][c][0] for c in classes}
    masks = [np.zeros(len(side.tree), bool) for side in (before, after)]
    moved: list[tuple[int, int]] = []
    for number in sorted(classes, key=lambda c: (-sizes[c], places[0][c][0])):
        free = [
            [node for node in of_side[number] if not mask[node]]
            for of_side, mask in zip(places, masks, strict=True)
        ]
        for x, y in zip(*free, strict=False):
            masks[0][x : x + sizes[number]] = masks[1][y : y + sizes[number]] = True
            moved.append((x, y))
    return sorted(moved)


def _by_class(side: _Side) -> dict[int, list[int]]:
    """Left-out nodes with enough text below them, by the class of their subtree."""
    texts = [
        count_chars(text_of_label(label)) if is_text_label(label) else 0
        for label in side.tree.labels
    ]
    chars = subtree_sums(np.array(texts, np.int64), side.numbered.end)
    by_class: dict[int, list[int]] = defaultdict(list)
    for node in np.flatnonzero((side.partner < 0) & (chars >= MIN_MOVED_CHARS)).tolist():
        by_class[int(side.numbered.subtree_class[node])].append(node)
    return by_class


def _left_out_roots(side: _Side) -> list[int]:
    """Topmost nodes without a partner that did not move, in document order."""
    parent = side.tree.parent
    topmost = (side.partner < 0) & ((parent < 0) | (side.partner[parent] >= 0))
    topmost[side.moved] = False
    return np.flatnonzero(topmost).tolist()


def _edited_pairs(
    before: _Side, after: _Side, removed: list[int], inserted: list[int]
) -> list[tuple[int, int]]:
    """Pairs of a removed and an inserted text with the same neighbours: texts that changed."""
    own = np.arange(len(after.tree), dtype=np.int32)
    free: dict[tuple[int, int], list[int]] = defaultdict(list)
    for node, spot in _anchored_texts(after, inserted, own)[::-1]:
        free[spot].append(node)
    spots = _anchored_texts(before, removed, before.partner)
    return [(node, free[spot].pop()) for node, spot in spots if free[spot]]


def _anchored_texts(
    side: _Side, roots: list[int], positions: NDArray[np.int32]
) -> list[tuple[int, tuple[int, int]]]:
    """Texts with their parent and the last paired node before them, as nodes of the page after."""
    last = np.maximum.accumulate(np.where(side.partner >= 0, positions, -1))
    return [
        (node, (int(last[node]), int(positions[side.tree.parent[node]])))
        for node in roots
        if is_text_label(side.tree.labels[node])
    ]
