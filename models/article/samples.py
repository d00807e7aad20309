"""Labelled pages, on which the reader is trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from ...features.article.features import BlockFeatures, block_features
from ...features.blocks import article_blocks
from ...features.page_kind import page_kind_features
from ...renderer.page.snapshot import Snapshot
from .alignment import align
from .model import BlockProbabilities
from .roles import LETTERS

UNKNOWN = -1
"""Code of a block whose role is not known."""


@dataclass(frozen=True)
class PageTruth:
    """Ground truth of a page."""

    blocks: Sequence[tuple[str, str]] | None = None
    """Pairs (letter of the role, text) of all blocks in document order; see `roles.LETTERS`. None
    where only the text is known."""
    text: str = ""
    """The text of the article, if no roles are known."""


@dataclass(frozen=True, eq=False)
class LabelledPage:
    """A page of b blocks with its labels."""

    set: str
    id: str
    group: str
    """Data set and identifier of the page, and the group that is held out as a whole: a registrable
    domain or a site."""
    kind: str
    """Kind of page."""
    features: BlockFeatures
    """Features of its blocks."""
    roles: NDArray[np.int8]
    """int8, shape (b,): role of each block, `UNKNOWN` where it is not known."""
    text: NDArray[np.bool_]
    """bool, shape (b,): whether each block belongs to the text. Used only if no role is known."""
    explained: float
    """Share of the truth that was found in the blocks, in [0, 1]."""
    kind_features: NDArray[np.float32]
    """float32, shape (k,): features of the page as a whole."""
    plain: LabelledPage | None = None
    """The same page as HTML that no browser has laid out, or None."""
    own: NDArray[np.bool_] | None = None
    """bool, shape (b,): whether each block is the page's own content, which includes its notes;
    None if that is the text alone."""
    custom: tuple[str, ...] = ()
    """Custom role of each block, empty for none; or none at all."""
    taught: BlockProbabilities | None = None
    """Probabilities by other readers, from which a reader learns beside the truth, or None."""

    def __len__(self) -> int:
        return len(self.roles)

    @property
    def has_roles(self) -> bool:
        """Whether the ground truth contains roles rather than only the text."""
        return bool((self.roles != UNKNOWN).any())


def label_page(
    snapshot: Snapshot, truth: PageTruth, *, set: str, id: str, group: str, kind: str = "article"
) -> LabelledPage:
    """Features and labels of a page."""
    page = article_blocks(snapshot)
    if truth.blocks is None:
        roles = np.full(len(page), UNKNOWN, np.int8)
        text, explained = align(page.texts, truth.text)
    else:
        roles = align_roles(page.texts, truth.blocks)
        text = np.zeros(len(page), bool)
        explained = float((roles != UNKNOWN).sum() / max(1, len(truth.blocks)))
    features = block_features(page)
    whole = page_kind_features(snapshot)
    return LabelledPage(set, id, group, kind, features, roles, text, min(explained, 1.0), whole)


def align_roles(texts: Sequence[str], blocks: Sequence[tuple[str, str]]) -> NDArray[np.int8]:
    """Roles of blocks whose boundaries may differ from those of the labelled blocks.

    `blocks`: Pairs (letter, text) of the labelled blocks in order.

    int8, shape (b,). `UNKNOWN` for a block without a match; see `align_blocks`.
    """
    codes = np.array([*(LETTERS.index(letter) for letter, _ in blocks), UNKNOWN], np.int8)
    return codes[align_blocks(texts, [text for _, text in blocks])]


def align_blocks(texts: Sequence[str], labelled_texts: Sequence[str]) -> NDArray[np.int64]:
    """Index of the labelled block of each block, -1 for none: int64, shape (b,).

    Blocks with equal texts are matched in order (longest matching runs first, as
    `difflib.SequenceMatcher` finds them).
    """
    if list(texts) == list(labelled_texts):
        return np.arange(len(texts))
    places = np.full(len(texts), -1, np.int64)
    matcher = SequenceMatcher(None, list(texts), list(labelled_texts), autojunk=False)
    for own, other, length in matcher.get_matching_blocks():
        places[own : own + length] = np.arange(other, other + length)
    return places
