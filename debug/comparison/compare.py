"""What changed between two pages, or between two captures of one page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import PageWarning
from ...features.page_tree import PageTree, page_tree, text_of_label
from ...models.trees.subtree_classes import SubtreeClasses
from ...renderer.page.snapshot import Snapshot
from .changes import CHANGE_KINDS, Change, ChangeKind, Side, changed_texts, find_changes
from .mapping import MAX_BYTES, map_trees
from .text_versions import difference, shorten, versions

__all__ = ["CHANGE_KINDS", "Change", "ChangeKind", "Comparison", "compare_snapshots"]

SIGNS = {"text": "~", "removed": "-", "inserted": "+", "moved": ">", "attributes": "@"}
MIN_WIDTH = 20


@dataclass(frozen=True, eq=False)
class Comparison:
    """The differences between two pages.

    Attributes
    ----------
    distance
        Number of nodes that are removed or inserted and of texts that differ under `mapping`. Never
        below the restricted top-down distance (nu) of the two trees.
    similarity
        1 - distance / (n1 + n2), in [0, 1]; 1 if nothing changed.
    nodes
        n1 and n2: number of nodes of the two trees (`miolo.features.page_tree`).
    mapping
        int32, shape (m, 2): node of the snapshot before, node of the snapshot after, in
        document order.
    changes
        Changes that a reader can see, in document order of the page after, with removals where the
        nodes would be there.
    warnings
        ``"divided"``: the pages were too large to consider every mapping, and another one may
        report fewer changes. ``"unseen"``: changes that no reader sees were left out.
    """

    distance: int
    similarity: float
    nodes: tuple[int, int]
    mapping: NDArray[np.int32]
    changes: tuple[Change, ...]
    warnings: tuple[PageWarning, ...] = ()

    def lines(self, width: int = 100) -> Iterator[str]:
        """The changes as lines for people to read, similar to a unified diff.

        Parameters
        ----------
        width
            Maximum number of characters of a text that a line shows. For a text that changed, they
            are those around the difference.
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
    """Find what changed between two pages.

    Parameters
    ----------
    before, after
        Two pages of a site, or two captures of a page.
    max_bytes
        Maximum memory of an exact comparison, in bytes. Pages that may need more are divided at
        subtrees that they have in common, and the result has a warning.

    Returns
    -------
    The changes that a reader can see, and the mapping between the nodes of the two pages.

    Notes
    -----
    The trees of visible content (`miolo.features.page_tree`, by tags) are compared by a restricted
    top-down mapping; `miolo.debug.comparison.mapping` gives the reasons and the costs. Comparing
    the pages in the opposite order gives the mirrored result.
    """
    classes = SubtreeClasses()
    trees = page_tree(before), page_tree(after)
    pairs, exact = _mirrored_pairs(*trees, classes, max_bytes)
    sides = [
        Side(page, tree, classes.tree(tree.parent, tree.labels), _partners(len(tree), own, other))
        for page, tree, own, other in (
            (before, trees[0], pairs[:, 0], pairs[:, 1]),
            (after, trees[1], pairs[:, 1], pairs[:, 0]),
        )
    ]
    changes, unseen = find_changes(sides[0], sides[1])
    nodes = len(trees[0]), len(trees[1])
    distance = sum(nodes) - 2 * len(pairs) + len(changed_texts(sides[0], sides[1]))
    return Comparison(
        distance,
        1 - distance / sum(nodes),
        nodes,
        np.stack([trees[0].nodes[pairs[:, 0]], trees[1].nodes[pairs[:, 1]]], axis=1),
        tuple(changes),
        tuple(_warnings(exact, unseen)),
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
    mapping = map_trees(one, two, labels, classes, max_bytes)
    return mapping.pairs, mapping.exact


def _partners(size: int, own: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    partner = np.full(size, -1, np.int32)
    partner[own] = other
    return partner


def _warnings(exact: bool, unseen: int) -> Iterator[PageWarning]:
    if not exact:
        yield PageWarning(
            "divided",
            "the pages were too large to compare as a whole, so unchanged content may be "
            "reported as changed",
        )
    if unseen:
        yield PageWarning("unseen", f"changes left out because no reader can see them: {unseen:,}")


def _state(change: Change, width: int) -> str:
    before, after = change.text_before, change.text_after
    if change.kind == "moved":
        return f"{shorten(after, width)}  (from {change.path_before})"
    if change.kind in ("text", "attributes"):
        return " → ".join(_excerpts(before, after, width))
    return shorten(before or after, width) or "(no text)"


def _excerpts(before: str, after: str, width: int) -> tuple[str, str]:
    """Both texts, from a little before their first difference."""
    head, _ = difference(before, after)
    start = max(0, head - width // 3)
    texts = (f"{'…' if start else ''}{text[start:]}" for text in (before, after))
    one, two = (shorten(text, width) for text in texts)
    return one, two
