"""Text blocks: the runs of text that a reader sees as one paragraph, heading or cell."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..renderer.snapshot import Snapshot
from ..renderer.tree import subtree_mask
from .readable import readable_texts
from .words import collapse

__all__ = ["TextBlock", "block_owners", "text_blocks"]

INLINE = frozenset(
    ("inline", "contents", "none", "inline-block", "inline-flex", "inline-grid", "ruby",
     "ruby-text", "ruby-base", "inline-table")
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class TextBlock:
    """One block.

    Attributes
    ----------
    owner
        The nearest element around it that is laid out as a block.
    nodes
        Its text nodes, in document order.
    text
        Their text, white space collapsed; kept as it is in preformatted text.
    box
        float32, shape (4,): union of the boxes, x, y, width, height in CSS px.
    """

    owner: int
    nodes: tuple[int, ...]
    text: str
    box: NDArray[np.float32]


def block_owners(snapshot: Snapshot) -> NDArray[np.int32]:
    """int32, shape (n,): for each node the nearest block-level element, itself included."""
    inline_codes = [i for i, name in enumerate(snapshot.displays) if name in INLINE]
    inline = np.isin(snapshot.display, inline_codes) | snapshot.is_text
    inline[0] = False
    owner = list(range(len(snapshot)))
    parent = snapshot.parent.tolist()
    for node in np.flatnonzero(inline).tolist():
        owner[node] = owner[parent[node]]
    return np.asarray(owner, np.int32)


def text_blocks(snapshot: Snapshot, texts: NDArray[np.bool_] | None = None) -> list[TextBlock]:
    """Blocks of a page in document order.

    A block ends where the text of another begins, and at two line breaks in a row, which is
    how pages without paragraphs separate them.

    Parameters
    ----------
    snapshot
        The page.
    texts
        bool, shape (n,): text nodes to take; by default `readable_texts`.
    """
    chosen = readable_texts(snapshot) if texts is None else snapshot.is_text & texts
    owners = block_owners(snapshot).tolist()
    breaks = snapshot.with_tag("br")
    nodes = np.flatnonzero(chosen | (breaks & ~snapshot.is_text)).tolist()
    runs: list[list[int]] = []
    owner, broken = -1, 0
    for node in nodes:
        if breaks[node]:
            broken += 1
            continue
        if owners[node] != owner or broken > 1:
            runs.append([])
        owner, broken = owners[node], 0
        runs[-1].append(node)
    keeps_space = subtree_mask(snapshot.with_tag("pre", "textarea"), snapshot.end)
    broken_at = np.flatnonzero(breaks).tolist()
    blocks = (_block(snapshot, owners[run[0]], run, keeps_space, broken_at) for run in runs)
    return [block for block in blocks if block.text]


def _block(
    snapshot: Snapshot,
    owner: int,
    run: list[int],
    preformatted: NDArray[np.bool_],
    breaks: list[int],
) -> TextBlock:
    raw = _joined(snapshot, run, breaks)
    text = raw.strip("\n") if preformatted[owner] and raw.strip() else collapse(raw)
    return TextBlock(owner, tuple(run), text, _union(snapshot.box[run]))


def _joined(snapshot: Snapshot, run: list[int], breaks: list[int]) -> str:
    """Texts of a run, a line break between two that have one between them."""
    parts, place = [], bisect_left(breaks, run[0])
    for node in run:
        while place < len(breaks) and breaks[place] < node:
            parts.append("\n")
            place += 1
        parts.append(snapshot.text[node])
    return "".join(parts)


def _union(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    low = boxes[:, :2].min(axis=0)
    high = (boxes[:, :2] + boxes[:, 2:]).max(axis=0)
    return np.concatenate([low, high - low]).astype(np.float32)
