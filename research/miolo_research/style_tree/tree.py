"""The site style tree: the trees of a site's pages merged into one.

Source: Yi, Liu and Li, *Eliminating noisy information in Web pages for data mining*, KDD
2003, section 4. An element node represents one position that is reached by the same path on m
pages. Each distinct sequence of children at that position is a style node, with the number of
pages that have it. Its children are element nodes again. Importance is computed from the tree in
`miolo_research.style_tree.importance`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from miolo.features.hashes import text_hash
from miolo.features.links import absolute_url
from miolo.features.page_tree import Labels, is_text_label, page_tree, text_of_label
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import tree_arrays
from numpy.typing import NDArray

__all__ = ["PageStyles", "StyleTree", "merge", "page_styles"]

TEXT = "#text"
PAGE = "#page"

IntArray = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PageStyles:
    """The k nodes of a page that enter the tree, in document order.

    Attributes
    ----------
    nodes
        int32, shape (k,): the nodes in the snapshot; empty for a page loaded from a file.
    depth
        Depths of the k nodes; 0 for the root.
    labels
        Labels of the k nodes; ``#text`` for text nodes.
    features
        For each node, the hash of its content (a text or the URL of an image), or 0.
    """

    nodes: IntArray
    depth: tuple[int, ...]
    labels: tuple[str, ...]
    features: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.depth)

    def children(self) -> list[list[int]]:
        """Children of each node, in document order."""
        below: list[list[int]] = [[] for _ in self.depth]
        open_nodes: list[int] = []
        for node, depth in enumerate(self.depth):
            del open_nodes[depth:]
            if open_nodes:
                below[open_nodes[-1]].append(node)
            open_nodes.append(node)
        return below


@dataclass(frozen=True, eq=False)
class StyleTree:
    """A tree of E element nodes and S style nodes, parents before children in both.

    Element 0 is the page itself; its styles are the root elements of the pages.

    Attributes
    ----------
    labels
        Labels of the element nodes.
    pages
        int32, shape (E,): m, number of pages that have the element node.
    owner
        int32, shape (S,): the element node that each style node belongs to.
    style_pages
        int32, shape (S,): number of pages that have the style node.
    first, count
        int32, shape (S,): the children of a style node are the `count` element nodes from
        `first` on. An empty element has a style node without children.
    feature_element, feature_pages
        int32, shape (f,): the element node of each distinct feature, and the number of pages
        that have the feature there.
    styles
        Maps an element node and the labels of its children to the style node.
    """

    labels: tuple[str, ...]
    pages: IntArray
    owner: IntArray
    style_pages: IntArray
    first: IntArray
    count: IntArray
    feature_element: IntArray
    feature_pages: IntArray
    styles: dict[tuple[int, tuple[str, ...]], int]

    def __len__(self) -> int:
        """Number of element nodes."""
        return len(self.labels)

    def place(self, page: PageStyles) -> IntArray:
        """The element node that corresponds to each node of a page, int32, shape (k,).

        It is -1 if no learned page has the same sequence of children at the parent or at an
        ancestor.
        """
        below = page.children()
        element = [-1] * len(page)
        start = self.styles.get((0, page.labels[:1]))
        element[0] = -1 if start is None else int(self.first[start])
        for node, children in enumerate(below):
            if element[node] < 0 or not children:
                continue
            labels = tuple(page.labels[child] for child in children)
            style = self.styles.get((element[node], labels))
            if style is not None:
                for place, child in enumerate(children):
                    element[child] = int(self.first[style]) + place
        return np.array(element, np.int32)


def page_styles(snapshot: Snapshot, labels: Labels = "tags", max_nodes: int = 3000) -> PageStyles:
    """The nodes of a page that enter a style tree.

    Parameters
    ----------
    labels
        What distinguishes elements; see `miolo.features.page_tree.page_tree`. The source uses
        the tag and the presentation attributes.
    max_nodes
        Maximum number of nodes. Of larger pages, the nodes closest to the root are kept.
    """
    tree = page_tree(snapshot, labels)
    _, depth = tree_arrays(tree.parent)
    nearest = np.sort(np.argsort(depth, kind="stable")[:max_nodes])
    sources = dict(snapshot.attributes.with_attribute("src"))
    nodes = tree.nodes[nearest]
    features: list[int] = []
    for place, node in zip(nearest.tolist(), nodes.tolist(), strict=True):
        label = tree.labels[place]
        label_text = text_of_label(label)
        if node in sources:
            label_text = absolute_url(snapshot, node, sources[node]) or sources[node]
        features.append(text_hash(label_text) if label_text else 0)
    chosen = (tree.labels[place] for place in nearest.tolist())
    return PageStyles(
        nodes,
        tuple(depth[nearest].tolist()),
        tuple(TEXT if is_text_label(label) else label for label in chosen),
        tuple(features),
    )


def merge(pages: Iterable[PageStyles]) -> StyleTree:
    """Merge pages into a style tree.

    The order of the pages affects only the numbering of the tree's nodes.
    """
    grown = _Growth()
    for page in pages:
        grown.add(page)
    return grown.tree()


class _Growth:
    """A style tree while pages are merged into it."""

    def __init__(self) -> None:
        self.labels, self.pages = [PAGE], [0]
        self.styles: dict[tuple[int, tuple[str, ...]], int] = {}
        self.owner: list[int] = []
        self.style_pages: list[int] = []
        self.first: list[int] = []
        self.features: Counter[tuple[int, int]] = Counter()

    def add(self, page: PageStyles) -> None:
        element = [0] * len(page)
        self.pages[0] += 1
        element[0] = self._style(0, page.labels[:1])
        for node, children in enumerate(page.children()):
            self.pages[element[node]] += 1
            if page.features[node]:
                self.features[element[node], page.features[node]] += 1
            first = self._style(element[node], tuple(page.labels[child] for child in children))
            for place, child in enumerate(children):
                element[child] = first + place

    def _style(self, element: int, labels: tuple[str, ...]) -> int:
        """Count a page for a style, which may be new, and return the style's first child."""
        style = self.styles.setdefault((element, labels), len(self.owner))
        if style == len(self.owner):
            self.owner.append(element)
            self.style_pages.append(0)
            self.first.append(len(self.labels))
            self.labels += labels
            self.pages += [0] * len(labels)
        self.style_pages[style] += 1
        return self.first[style]

    def tree(self) -> StyleTree:
        counts = [len(labels) for _, labels in self.styles]
        return StyleTree(
            tuple(self.labels),
            _whole(self.pages),
            _whole(self.owner),
            _whole(self.style_pages),
            _whole(self.first),
            _whole(counts),
            _whole([element for element, _ in self.features]),
            _whole(list(self.features.values())),
            self.styles,
        )


def _whole(values: Sequence[int]) -> IntArray:
    return np.array(values, np.int32)
