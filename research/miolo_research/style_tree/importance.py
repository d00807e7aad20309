"""Importance of the nodes of a site style tree, and the site part that learns such a tree.

Source: Yi, Liu and Li, KDD 2003, section 5, definitions 2 to 6. Nodes of low importance are noise:
all pages present them in the same way and with the same content.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from miolo.features.page_tree import LABELS, Labels
from miolo.models.page_names import page_names
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import innermost
from numpy.typing import NDArray

from ..shingles import keep_smallest
from .tree import PageStyles, StyleTree, merge, page_styles

__all__ = ["Importance", "StyleJudgement", "StylePages", "importance"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Importance:
    """Importance of the element nodes of a style tree; float64, shape (E,), each in [0, 1].

    Attributes
    ----------
    presentation
        NodeImp: the entropy of the node's styles over the pages.
    composite
        CompImp: NodeImp combined with the importance of the node's content.
    highest
        The highest composite importance of the node and its descendants.
    """

    presentation: FloatArray
    composite: FloatArray
    highest: FloatArray


def importance(tree: StyleTree, damping: float = 0.9) -> Importance:
    """Importance of all element nodes, from the leaves up.

    For an element node on m pages with l styles, where a share p_i of the pages has style i:

    - ``NodeImp = -sum p_i log_m p_i``, and 1 if m = 1;
    - ``CompImp = (1 - g**l) NodeImp + g**l sum p_i CompImp(S_i)``, where CompImp(S_i) is the
      mean over the children of style i;
    - for a node that is empty on all its pages, ``CompImp = 1 - mean H(a)`` over its features a,
      where ``H(a) = log_m k`` if k pages have the feature there; and 1 if m = 1.

    Parameters
    ----------
    damping
        g.

    Notes
    -----
    The source leaves open how an empty style counts among the other styles of an element. Here
    it has the importance of the element's own features, which is 0 for m > 1 pages and no
    feature.
    """
    several = tree.pages > 1
    base = np.log(np.maximum(tree.pages, 2))
    share = tree.style_pages / tree.pages[tree.owner]
    presentation = np.bincount(
        tree.owner, -share * np.log(share) / base[tree.owner], minlength=len(tree)
    )
    presentation = np.where(several, np.clip(presentation, 0, 1), 1.0)
    own = _content(tree, several, base)
    styles = np.bincount(tree.owner, minlength=len(tree))
    # The only style of a leaf says nothing about its presentation.
    weight = np.where(_leaves(tree), 1.0, damping**styles)
    composite, highest = _compose(tree, share, (1 - weight) * presentation, weight, own)
    return Importance(presentation, composite, highest)


def _leaves(tree: StyleTree) -> NDArray[np.bool_]:
    return np.bincount(tree.owner, tree.count, minlength=len(tree)) == 0


def _content(tree: StyleTree, several: NDArray[np.bool_], base: FloatArray) -> FloatArray:
    """1 minus the mean entropy of the features of each element node."""
    at = tree.feature_element
    spread = np.bincount(at, np.log(tree.feature_pages) / base[at], minlength=len(tree))
    count = np.bincount(at, minlength=len(tree))
    mean = np.divide(spread, count, out=np.ones(len(tree)), where=count > 0)
    return np.where(several, np.clip(1 - mean, 0, 1), 1.0)


def _compose(
    tree: StyleTree, share: FloatArray, outer: FloatArray, weight: FloatArray, own: FloatArray
) -> tuple[FloatArray, FloatArray]:
    composite, highest = outer.tolist(), [0.0] * len(tree)
    weights, shares, alone = weight.tolist(), share.tolist(), own.tolist()
    firsts, counts, owners = tree.first.tolist(), tree.count.tolist(), tree.owner.tolist()
    # Styles of children come after the style that contains them, so theirs are complete.
    for style in range(len(owners) - 1, -1, -1):
        owner, count = owners[style], counts[style]
        below = slice(firsts[style], firsts[style] + count)
        for child in range(below.start, below.stop):
            highest[child] = max(highest[child], composite[child])
        mean = sum(composite[below]) / count if count else alone[owner]
        composite[owner] += weights[owner] * shares[style] * mean
        highest[owner] = max(highest[owner], max(highest[below], default=0.0))
    highest[0] = max(highest[0], composite[0])
    return np.clip(composite, 0, 1), np.clip(highest, 0, 1)


@dataclass(frozen=True, eq=False)
class StyleJudgement:
    """Verdicts of a style tree on the nodes of one page.

    Attributes
    ----------
    importance
        float32, shape (n,), in [0, 1]: composite importance; 1 for nodes that match no learned
        page.
    highest
        float32, shape (n,), in [0, 1]: highest composite importance in the subtree.
    pages
        int32, shape (n,): number of learned pages that have the same element node.
    """

    importance: NDArray[np.float32]
    highest: NDArray[np.float32]
    pages: NDArray[np.int32]


class StylePages:
    """The trees of a site's pages, and the style tree built from them.

    Parameters
    ----------
    labels
        What distinguishes elements; see `miolo.features.page_tree.page_tree`. The source uses
        presentation attributes, which have moved to style sheets since 2003; ``"looks"`` is the
        equivalent.
    damping
        The damping g of `importance`.
    max_pages
        Maximum number of pages kept. They are a sample by hash, which does not depend on the
        order of pages.
    max_nodes
        Maximum number of nodes kept of a page.
    """

    def __init__(
        self,
        labels: Labels = "looks",
        damping: float = 0.9,
        *,
        max_pages: int = 64,
        max_nodes: int = 3000,
    ) -> None:
        if labels not in LABELS:
            raise ValueError(f"labels must be one of {', '.join(LABELS)}, not {labels!r}")
        if max_nodes < 1 or not 0 <= damping <= 1:
            raise ValueError("max_nodes must be at least 1, and damping between 0 and 1")
        self.labels: Labels = labels
        self.damping = damping
        self.max_pages, self.max_nodes = max_pages, max_nodes
        self.pages: dict[int, PageStyles] = {}
        self._merged: tuple[StyleTree, Importance] | None = None

    def __len__(self) -> int:
        """Number of pages learned from."""
        return len(self.pages)

    def add(self, snapshot: Snapshot) -> None:
        """Learn from one more page."""
        self.pages[min(page_names(snapshot))] = page_styles(snapshot, self.labels, self.max_nodes)
        keep_smallest(self.pages, self.max_pages, int)
        self._merged = None

    def merge(self) -> tuple[StyleTree, Importance]:
        """The style tree and the importance of its nodes."""
        if self._merged is None:
            tree = merge(self.pages[name] for name in sorted(self.pages))
            self._merged = tree, importance(tree, self.damping)
        return self._merged

    def judge(self, snapshot: Snapshot) -> StyleJudgement:
        """Importance of the nodes of a page, whether it was learned from or not."""
        page = page_styles(snapshot, self.labels, self.max_nodes)
        tree, importances = self.merge()
        at = tree.place(page)
        inside = innermost(snapshot.parent, page.nodes)
        # Nodes outside the tree take the values of their nearest ancestor in it.
        at = at[np.searchsorted(page.nodes, np.maximum(inside, 0))]
        return StyleJudgement(
            np.where(at >= 0, importances.composite[at], 1.0).astype(np.float32),
            np.where(at >= 0, importances.highest[at], 1.0).astype(np.float32),
            np.where(at >= 0, tree.pages[at], 0).astype(np.int32),
        )

    def to_json(self) -> dict[str, Any]:
        """What was learned, as JSON values: the pages rather than the tree built from them."""
        names = sorted({label for page in self.pages.values() for label in page.labels})
        numbers = {name: number for number, name in enumerate(names)}
        return {
            "labels": self.labels,
            "damping": self.damping,
            "most_pages": self.max_pages,
            "most_nodes": self.max_nodes,
            "names": names,
            "pages": {
                f"{name:016x}": _describe(self.pages[name], numbers) for name in sorted(self.pages)
            },
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> StylePages:
        """Read the output of `to_json`.

        Raises
        ------
        ValueError, KeyError, TypeError, AttributeError, IndexError
            The data are not the output of `to_json`.
        """
        site = cls(
            data["labels"],
            float(data["damping"]),
            max_pages=int(data["most_pages"]),
            max_nodes=int(data["most_nodes"]),
        )
        names = tuple(map(str, data["names"]))
        site.pages = {
            int(name, 16): _page(page, names) for name, page in sorted(data["pages"].items())
        }
        return site


def _describe(page: PageStyles, numbers: dict[str, int]) -> dict[str, Any]:
    return {
        "depth": page.depth,
        "labels": [numbers[label] for label in page.labels],
        # Indices of the nodes with content, and sixteen hexadecimal digits for each of them.
        "content": [place for place, feature in enumerate(page.features) if feature],
        "features": "".join(f"{feature:016x}" for feature in page.features if feature),
    }


def _page(data: dict[str, Any], names: tuple[str, ...]) -> PageStyles:
    depth, labels = [int(level) for level in data["depth"]], data["labels"]
    climbs = all(0 < then <= now + 1 for now, then in pairwise(depth))
    if not depth or depth[0] or not climbs or len(labels) != len(depth):
        raise ValueError("the levels of a page do not form a tree")
    if not all(0 <= number < len(names) for number in labels):
        raise ValueError("a label has no name")
    digits, features = data["features"], [0] * len(depth)
    if len(digits) != 16 * len(data["content"]):
        raise ValueError("a feature must have sixteen digits")
    for number, place in enumerate(data["content"]):
        if not 0 <= place < len(depth):
            raise ValueError("content refers to a node that does not exist")
        features[place] = int(digits[16 * number : 16 * number + 16], 16)
    return PageStyles(
        np.zeros(0, np.int32),
        tuple(depth),
        tuple(names[number] for number in labels),
        tuple(features),
    )
