"""Outlines: the structure of a page without its content.

Two pages of one template differ by how long their articles are, how many entries their
menus have and what their editors wrote with. A distance of whole trees counts all of that; a
distance of outlines counts what the template decides.

`path_likeness` needs no mapping of the trees: it compares the paths of tags and classes that two
pages share, in time linear in the nodes, which is enough to distinguish pages of one template from
pages of two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..renderer.snapshot import Snapshot
from .page_tree import PageTree, is_text_label, page_tree

__all__ = ["FLOW", "Outline", "outline", "path_likeness"]

FLOW = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol dl pre blockquote table figure hr img picture br math svg"
    " details iframe code video audio".split()
)
"""Tags of what an article is written with."""

TEXT, FLOWING = "#text", "#flow"

Shape = tuple[str, tuple[int, ...]]


class _Shapes:
    """Distinct subtrees by number: a label, and the numbers of the children."""

    def __init__(self) -> None:
        self.by_number: list[Shape] = []
        self._numbers: dict[Shape, int] = {}

    def number(self, label: str, below: Iterable[int] = ()) -> int:
        shape = label, tuple(below)
        if shape not in self._numbers:
            self._numbers[shape] = len(self.by_number)
            self.by_number.append(shape)
        return self._numbers[shape]


@dataclass(frozen=True, eq=False)
class Outline:
    """A labelled tree of k nodes in document order.

    Attributes
    ----------
    parent
        int32, shape (k,).
    labels
        k tags; ``#text`` for texts, ``#flow`` for content between paragraphs.
    """

    parent: NDArray[np.int32]
    labels: tuple[str, ...]


def outline(snapshot: Snapshot) -> Outline:
    """Fold a page's content away.

    From the leaves up: an element with text of its own is a leaf; of children with equal
    outlines the first remains; next to a paragraph all that articles are written with
    (`FLOW`) is one leaf.

    Notes
    -----
    Not in the RTDM dissertation, which compares whole trees.
    """
    tree = page_tree(snapshot)
    children: list[list[int]] = [[] for _ in tree.labels]
    for node, above in enumerate(tree.parent[1:].tolist(), 1):
        children[above].append(node)
    shapes = _Shapes()
    folded = [0] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        folded[node] = _fold(tree, node, children[node], folded, shapes)
    return _unfold(shapes.by_number, folded[0])


def _fold(tree: PageTree, node: int, below: list[int], folded: list[int], shapes: _Shapes) -> int:
    label = tree.labels[node]
    if is_text_label(label):
        return shapes.number(TEXT)
    # A stray text in the body would fold the whole page away.
    if label != "body" and any(is_text_label(tree.labels[child]) for child in below):
        return shapes.number(label, [shapes.number(TEXT)])
    kinds = [folded[child] for child in below]
    tags = [shapes.by_number[kind][0] for kind in kinds]
    if "p" in tags:
        flow = shapes.number(FLOWING)
        kinds = [flow if tag in FLOW else kind for kind, tag in zip(kinds, tags, strict=True)]
    return shapes.number(label, dict.fromkeys(kinds))


def _unfold(shapes: list[Shape], root: int) -> Outline:
    """Write a folded tree out in document order."""
    parent: list[int] = []
    labels: list[str] = []
    waiting = [(root, -1)]
    while waiting:
        shape, above = waiting.pop()
        label, below = shapes[shape]
        waiting.extend((child, len(labels)) for child in reversed(below))
        parent.append(above)
        labels.append(label)
    return Outline(np.array(parent, np.int32), tuple(labels))


def path_likeness(one: Snapshot, other: Snapshot) -> float:
    """Dice similarity of the sets of paths of two pages, in [0, 1].

    A path is the tags and first classes from the root down to an element. How often one
    occurs does not count, so a longer article is as alike as a shorter one.
    """
    numbers: dict[tuple[int, str, str], int] = {}
    first, second = _paths(one, numbers), _paths(other, numbers)
    return 2 * len(first & second) / (len(first) + len(second))


def _paths(snapshot: Snapshot, numbers: dict[tuple[int, str, str], int]) -> set[int]:
    """Numbers of the paths of all elements, shared by pages that share `numbers`."""
    classes = dict(snapshot.attributes.with_attribute("class"))
    at: list[int] = []
    for node, (above, tag) in enumerate(
        zip(snapshot.parent.tolist(), snapshot.tag.tolist(), strict=True)
    ):
        if not tag:
            at.append(-1)  # a text, which has nothing below it
            continue
        first = classes.get(node, "").split(maxsplit=1)[:1]
        key = (at[above] if above >= 0 else -1, snapshot.tags[tag], "".join(first))
        at.append(numbers.setdefault(key, len(numbers)))
    return {number for number in at if number >= 0}
