"""Read the text of a page, and build a `Selection` from the nodes that a method selected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import PageWarning
from ...features.counts import TextCounts, count_texts
from ...features.overlays import overlay_mask
from ...features.readable import readable_texts
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import nearest_marked, subtree_sums
from .selection import Reasons, Selection
from .title import find_title

FIELDS = ("input", "select", "textarea")
PICTURES = ("img", "video", "canvas")


@dataclass(frozen=True, eq=False)
class Reading:
    """The readable text of a page."""

    snapshot: Snapshot
    """The page."""
    texts: NDArray[np.bool_]
    """bool, shape (n,): text nodes that are painted and not in a layer over the page."""
    painted: NDArray[np.bool_]
    """bool, shape (n,): text nodes that are painted."""
    overlays: NDArray[np.bool_]
    """bool, shape (n,): nodes of layers over the page."""
    counts: TextCounts
    """Characters and words of `texts` in every subtree."""


def read(snapshot: Snapshot) -> Reading:
    """Find the readable text of a page."""
    overlays = overlay_mask(snapshot)
    painted = readable_texts(snapshot)
    texts = painted & ~overlays
    return Reading(snapshot, texts, painted, overlays, count_texts(snapshot, texts))


def select(
    reading: Reading,
    content: NDArray[np.bool_],
    scores: NDArray[np.floating],
    reasons: Reasons,
    *,
    warnings: tuple[PageWarning, ...] = (),
    marks: dict[str, int] | None = None,
) -> Selection:
    """Keep the readable text that a method selected, and find the headline.

    `content`, bool, and `scores`, float in [0, 1], have shape (n,): nodes that the method selected,
    and their scores. Reasons for unreadable text and for the headline are added to those of the
    method, and a warning if nothing is kept.
    """
    snapshot = reading.snapshot
    kept = content & ~reading.overlays & (reading.counts.chars > 0)
    kept |= _media_within_text(reading, kept)
    reasons.give(snapshot.is_text & ~reading.painted, "not painted")
    reasons.give(reading.overlays, "part of a layer over the page")
    title = find_title(snapshot, reading.texts, reading.counts, kept)
    if title is not None:
        reasons.give(*title)
    if not (kept & reading.texts).any():
        warnings += (no_content(snapshot, "the method found no content on this page"),)
    return Selection(
        kept=kept,
        scores=np.where(reading.counts.chars > 0, scores, 0).astype(np.float32),
        reason=reasons.codes,
        reasons=reasons.table,
        comments=np.zeros(len(snapshot), bool),
        title=None if title is None else title[0],
        marks=marks or {},
        warnings=warnings,
    )


def _media_within_text(reading: Reading, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Pictures and line breaks within text of which at least half is kept."""
    snapshot, chars = reading.snapshot, reading.counts.chars
    kept_chars = subtree_sums(chars * (reading.texts & kept), snapshot.end)
    around = nearest_marked(snapshot.parent, chars > 0)
    mostly = (chars > 0) & (2 * kept_chars >= chars)
    return (chars == 0) & (around >= 0) & mostly[around] & ~reading.overlays & ~snapshot.is_text


def no_content(snapshot: Snapshot, message: str) -> PageWarning:
    """The warning that a method keeps no text, with what the page has instead."""
    fields = int(np.count_nonzero(snapshot.with_tag(*FIELDS) & snapshot.visible))
    pictures = int(np.count_nonzero(snapshot.with_tag(*PICTURES) & snapshot.visible))
    counts = [
        f"{count:,} {noun}" + ("" if count == 1 else "s")
        for count, noun in ((pictures, "picture"), (fields, "form field"))
        if count
    ]
    has = f", which has {' and '.join(counts)}" if counts else ""
    return PageWarning("no-content", f"{message}{has}")
