"""Outlines: the structure of a page without its content.

Two pages of the same template differ in the length of their articles, the number of entries in
their menus and the elements that their editors used. A distance between whole trees counts all of
these; a distance between outlines counts only what the template determines.

`path_likeness` needs no mapping between the trees. It compares the paths of tags and classes of
two pages in time linear in the nodes, which is sufficient to tell whether both have the same
template.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import child_lists
from .distinct_trees import DistinctTrees
from .page_tree import PageTree, is_text_label, page_tree

FLOW = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol dl pre blockquote table figure hr img picture br math svg"
    " details iframe code video audio".split()
)
"""Tags of the elements that articles are written with."""

TEXT, FLOWING = "#text", "#flow"


@dataclass(frozen=True, eq=False)
class Outline:
    """A labelled tree of k nodes in document order."""

    parent: NDArray[np.int32]
    """int32, shape (k,): parent of each node, -1 for the root."""
    labels: tuple[str, ...]
    """k tags; ``#text`` for texts, ``#flow`` for content between paragraphs."""


def outline(snapshot: Snapshot) -> Outline:
    """Outline of a page: its tree with the content folded.

    The tree is folded from the leaves up. An element with text of its own keeps a single text as
    its content. Of children with equal outlines only the first remains. Among the siblings of a
    paragraph, all elements that articles are written with (`FLOW`) become a single leaf.

    The RTDM dissertation has no outlines; it compares whole trees.
    """
    tree = page_tree(snapshot)
    children = child_lists(tree.parent.tolist())
    trees = DistinctTrees()
    folded = [0] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        folded[node] = _fold(tree, node, children[node], folded, trees)
    parent, labels = trees.unfold(folded[0])
    return Outline(np.array(parent, np.int32), tuple(labels))


def _fold(
    tree: PageTree, node: int, below: list[int], folded: list[int], trees: DistinctTrees
) -> int:
    label = tree.labels[node]
    if is_text_label(label):
        return trees.number(TEXT)
    # Otherwise, a stray text in the body would fold the whole page.
    if label != "body" and any(is_text_label(tree.labels[child]) for child in below):
        return trees.number(label, [trees.number(TEXT)])
    kinds = [folded[child] for child in below]
    tags = [trees.by_number[kind][0] for kind in kinds]
    if "p" in tags:
        flow = trees.number(FLOWING)
        kinds = [flow if tag in FLOW else kind for kind, tag in zip(kinds, tags, strict=True)]
    return trees.number(label, dict.fromkeys(kinds))


def path_likeness(one: Snapshot, other: Snapshot) -> float:
    """Dice similarity of the sets of paths of two pages, in [0, 1].

    A path consists of the tags and first classes from the root down to an element. The number of
    times that a path occurs does not count, so the length of an article makes no difference.
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
            at.append(-1)  # a text, which has no children
            continue
        first = classes.get(node, "").split(maxsplit=1)[:1]
        key = (at[above] if above >= 0 else -1, snapshot.tags[tag], "".join(first))
        at.append(numbers.setdefault(key, len(numbers)))
    return {number for number in at if number >= 0}
