"""Leaves out what exceeds the limits on the nodes and depth of a snapshot."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...errors import PageWarning
from ..options import Limits
from .arrays import NODE_ARRAYS, SnapshotArrays
from .tree import selected_parents, tree_arrays

__all__ = ["trim"]

Page = TypeVar("Page", bound=SnapshotArrays)


def trim(snapshot: Page, limits: Limits, *, cut: bool = False) -> Page:
    """Leave out nodes that are too deep, then those beyond the limit, with a warning for each."""
    warnings = []
    if snapshot.depth.max() >= limits.depth:
        snapshot = _take(snapshot, (snapshot.depth < limits.depth).nonzero()[0])
        warnings.append(PageWarning("too-deep", f"levels below {limits.depth:,} were left out"))
    if len(snapshot) > limits.nodes:
        # A prefix in document order contains the parents of all its nodes.
        snapshot, cut = _take(snapshot, np.arange(limits.nodes)), True
    if cut:
        warnings.append(
            PageWarning("too-many-nodes", f"nodes after {limits.nodes:,} were left out")
        )
    return snapshot.with_warnings(*warnings) if warnings else snapshot


def _take(snapshot: Page, nodes: NDArray[np.integer]) -> Page:
    parent = selected_parents(snapshot.parent, nodes)
    end, depth = tree_arrays(parent)
    return replace(
        snapshot,
        end=end,
        depth=depth,
        text=tuple([snapshot.text[i] for i in nodes.tolist()]),
        attributes=snapshot.attributes.take(nodes),
        **{name: getattr(snapshot, name)[nodes] for name in NODE_ARRAYS} | {"parent": parent},
    )
