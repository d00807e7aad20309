"""Labelled pages: what the article model is trained on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...features.article.blocks import article_blocks
from ...features.article.features import block_features
from ...features.page_kind import page_kind_features
from ...renderer.snapshot import Snapshot
from .alignment import align
from .conventions import Convention

__all__ = ["Sample", "label"]


# A block is body where the truth says half of it.
BODY_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class Sample:
    """A page of b blocks with its labels.

    Attributes
    ----------
    set, group
        Where it is from, and what is held out together: a registrable domain, or a site.
    convention
        What its truth counts as text.
    kind
        Of page.
    values
        float32, shape (b, f): features.
    words
        float64, shape (b,).
    groups
        For each way to be alike int64, shape (b,).
    body
        bool, shape (b,): the truth says the block.
    explained
        Of the truth the part that blocks say.
    page
        float32, shape (k,): features of the whole page, which tell its kind.
    """

    set: str
    group: str
    convention: Convention
    kind: str
    values: NDArray[np.float32]
    words: NDArray[np.float64]
    groups: dict[str, NDArray[np.int64]]
    body: NDArray[np.bool_]
    explained: float
    page: NDArray[np.float32]


def label(
    snapshot: Snapshot,
    truth: str,
    *,
    set: str,
    group: str,
    convention: Convention = "news",
    kind: str = "article",
) -> Sample:
    """Features and labels of a page by the text of its article."""
    blocks = article_blocks(snapshot)
    features = block_features(blocks)
    aligned = align(blocks.texts, truth)
    return Sample(
        set=set,
        group=group,
        convention=convention,
        kind=kind,
        values=features.values,
        words=features.words,
        groups=features.groups,
        body=aligned.share >= BODY_SHARE,
        explained=aligned.explained,
        page=page_kind_features(snapshot),
    )
