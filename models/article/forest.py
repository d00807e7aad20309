"""Boosted trees as plain arrays: trained by scikit-learn, read and summed without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError
from .forest_kernel import sum_changes, sum_leaves
from .splits import Splits, check_preorder, splits_of

__all__ = ["Forest"]

LEAF = -1

DTYPES = {
    "baseline": np.float64,
    "roots": np.int32,
    "feature": np.int16,
    "threshold": np.float32,
    "missing_left": np.bool_,
    "right": np.int32,
    "value": np.float32,
}


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees for one log-odds; m nodes in all, each tree in preorder.

    Attributes
    ----------
    baseline
        float64, shape (1,): what the sum starts from.
    roots
        int32, shape (t,): first node of each tree.
    feature
        int16, shape (m,): column that a node asks, -1 for a leaf.
    threshold
        float32, shape (m,): to the left where the column is at most this.
    missing_left
        bool, shape (m,): where a row without this column goes.
    right
        int32, shape (m,): right child; the left one is the next node.
    value
        float32, shape (m,): a leaf's share of the sum; of an inner node the mean of its
        leaves over the rows that it was trained on.
    """

    baseline: NDArray[np.float64]
    roots: NDArray[np.int32]
    feature: NDArray[np.int16]
    threshold: NDArray[np.float32]
    missing_left: NDArray[np.bool_]
    right: NDArray[np.int32]
    value: NDArray[np.float32]

    def log_odds(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64, shape (b,), for rows of shape (b, f)."""
        return self.baseline[0] + sum_leaves(self._columns(rows), self._splits)

    def explained(
        self, rows: NDArray[np.float32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Log-odds, shape (b,), and what each column moved them by, float32, shape (b, f).

        The path's own account (Saabas 2014): the changes add up to the log-odds.
        """
        sums, moved = sum_changes(self._columns(rows), self._splits)
        return self.baseline[0] + sums, moved.T

    @cached_property
    def columns(self) -> int:
        """Columns that rows must have, at the least."""
        return int(self.feature.max(initial=LEAF)) + 1

    def _columns(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        # The kernel looks where it is told to, beyond the rows' memory too.
        if rows.shape[1] < self.columns:
            raise ArchiveError("the model's trees ask for columns that pages do not have")
        return np.ascontiguousarray(rows.T, np.float32)

    @cached_property
    def _splits(self) -> Splits:
        asked = (self.feature, self.threshold, self.missing_left, self.right, self.value)
        return splits_of(self.roots, *asked)

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """All arrays by name, for a file."""
        return {f"{prefix}.{field.name}": getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Forest:
        """What `arrays` gave.

        Raises
        ------
        KeyError, ValueError
            Something is missing, or no tree in preorder.
        """
        forest = cls(*(arrays[f"{prefix}.{field.name}"] for field in fields(cls)))
        forest._check()
        return forest

    def _check(self) -> None:
        """Let nothing pass that the kernel would stumble over."""
        for name, dtype in DTYPES.items():
            array = getattr(self, name)
            shape = {"baseline": (1,), "roots": (array.size,)}.get(name, self.feature.shape)
            if array.dtype != dtype or array.shape != shape or array.ndim != 1:
                raise ValueError(f"{name} is {array.dtype} of shape {array.shape}")
        check_preorder(self.roots, self.feature, self.right)
        if not all(np.isfinite(a).all() for a in (self.baseline, self.value)):
            raise ValueError("a value is not finite")

    @classmethod
    def of(cls, estimator: Any) -> Forest:
        """The trees of a fitted `HistGradientBoostingClassifier` of two classes.

        Thresholds are rounded to float32 downwards: its columns are float32, so no row falls
        to another side.

        Raises
        ------
        ValueError
            A tree has more leaves than the kernel takes.
        """
        trees = [_preorder(tree[0].nodes) for tree in estimator._predictors]
        starts = np.cumsum([0, *(len(tree["feature"]) for tree in trees)])
        joined = {name: np.concatenate([tree[name] for tree in trees]) for name in trees[0]}
        offsets = np.repeat(starts[:-1], np.diff(starts))
        forest = cls(
            baseline=np.asarray(estimator._baseline_prediction, np.float64).reshape(-1)[:1],
            roots=starts[:-1].astype(np.int32),
            right=(joined.pop("right") + offsets).astype(np.int32),
            **joined,
        )
        forest._check()
        return forest


def _preorder(nodes: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """One tree's nodes so that the left child follows its parent."""
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        if not nodes[node]["is_leaf"]:
            stack += [int(nodes[node]["right"]), int(nodes[node]["left"])]
    place = np.empty(len(nodes), np.int64)
    place[order] = np.arange(len(order))
    leaf = nodes["is_leaf"][order].astype(bool)
    threshold = nodes["num_threshold"][order]
    rounded = threshold.astype(np.float32)
    above = rounded > threshold
    rounded[above] = np.nextafter(rounded[above], np.float32(-np.inf))
    return {
        "feature": np.where(leaf, LEAF, nodes["feature_idx"][order]).astype(np.int16),
        "threshold": np.where(leaf, 0, rounded).astype(np.float32),
        "missing_left": nodes["missing_go_to_left"][order].astype(bool),
        "right": np.where(leaf, 0, place[nodes["right"][order]]),
        "value": _means(nodes, order).astype(np.float32),
    }


def _means(nodes: NDArray[Any], order: list[int]) -> NDArray[np.float64]:
    """Values of the leaves, and for inner nodes their mean over training rows."""
    value = nodes["value"].astype(np.float64)
    for node in reversed(order):
        if not nodes[node]["is_leaf"]:
            left, right = int(nodes[node]["left"]), int(nodes[node]["right"])
            counts = float(nodes[left]["count"]), float(nodes[right]["count"])
            value[node] = (counts[0] * value[left] + counts[1] * value[right]) / sum(counts)
    return value[order]
