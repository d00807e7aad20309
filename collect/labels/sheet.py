"""`LabelSheet`: the blocks of a page with the reader's suggestions, for a person to correct."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.anchors import Anchors, block_anchors
from ...features.article.features import block_features
from ...features.blocks import TextBlocks, article_blocks
from ...models.article.model import Reader, shipped_reader
from ...models.article.roles import BOILERPLATE, ROLES
from ...models.article.site_blocks import place_keys
from ...models.kinds.model import shipped_kind_model
from ...output.schema import valid_text
from ...renderer.page.snapshot import Snapshot

MAX_BLOCKS = 5000
"""Maximum number of blocks of a page that can be labelled; the first ones are listed."""

MAX_CHARS = 20_000  # maximum number of characters of a block's text
MAX_AROUND = 12  # maximum number of elements listed around a block, the innermost first
HEAVY = 60  # number of words above which a block's weight no longer grows, as in training

SURROUNDINGS = [ROLES.index(BOILERPLATE), ROLES.index("related")]


@dataclass(frozen=True)
class SheetBlock:
    """A block as shown to a labeller."""

    node: int
    """First text node of the block."""
    text: str
    """Text of the block, at most `MAX_CHARS` characters."""
    role: str
    """Role that the reader suggests."""
    probability: float
    """The reader's probability that the suggestion is right. Boilerplate and links to other stories
    count as one class here, because people do not distinguish them far from the article."""
    box: tuple[float, ...]
    """x, y, width, height in CSS px."""
    hidden: bool
    """Whether no part of the block is painted."""
    around: tuple[tuple[int, int], ...]
    """Numbers of the first and the last block of each enclosing element that holds more blocks than
    the previous one, the innermost first."""
    anchors: Anchors = ()
    """What identifies the block in another rendering of the page."""
    place: str = ""
    """What identifies its place in the template of the page."""


@dataclass(frozen=True)
class LabelSheet:
    """A page to label."""

    content: str
    """Hash of the page's content."""
    uncertainty: float
    """Mean probability that a suggestion is wrong; see `mean_uncertainty`."""
    kind: str
    total: int
    """Number of blocks of the page; the first `MAX_BLOCKS` are listed."""
    blocks: tuple[SheetBlock, ...]
    """The listed blocks, in document order."""

    def to_json(self) -> dict[str, Any]:
        """The sheet as plain values that can be written as JSON."""
        return asdict(self)


def label_sheet(snapshot: Snapshot, reader: Reader | None = None) -> LabelSheet:
    """List the blocks of a page with the roles that a reader suggests, or else the shipped one."""
    page = article_blocks(snapshot)
    features = block_features(page)
    probabilities = (reader or shipped_reader()).read(features).roles
    suggested = probabilities.argmax(axis=1)
    certainty = _certainty(probabilities, suggested)
    return LabelSheet(
        content=snapshot.page.content_hash,
        uncertainty=mean_uncertainty(probabilities, features.words),
        kind=shipped_kind_model().judge(snapshot).kind,
        total=len(page),
        blocks=_blocks(page, suggested, certainty),
    )


def _certainty(
    probabilities: NDArray[np.float64], suggested: NDArray[np.int64]
) -> NDArray[np.float64]:
    """float64, shape (b,): probability of each suggestion."""
    each = probabilities[np.arange(len(suggested)), suggested]
    surroundings = probabilities[:, SURROUNDINGS].sum(axis=1)
    return np.where(np.isin(suggested, SURROUNDINGS), surroundings, each)


def mean_uncertainty(probabilities: NDArray[np.float64], words: NDArray[np.floating[Any]]) -> float:
    """Mean probability that a block's most likely role is wrong.

    Blocks are weighted by the square root of their numbers of words. `probabilities`: float64,
    shape (b, len(ROLES)).
    """
    if not len(probabilities):
        return 0.0
    certainty = _certainty(probabilities, probabilities.argmax(axis=1))
    weight = np.sqrt(np.minimum(words + 1, HEAVY))
    return round(float((weight * (1 - certainty)).sum() / weight.sum()), 6)


def _blocks(
    page: TextBlocks, suggested: NDArray[np.int64], certainty: NDArray[np.float64]
) -> tuple[SheetBlock, ...]:
    around = _Elements(page)
    owners = page.owner.tolist()[:MAX_BLOCKS]
    rows = zip(
        page.first.tolist(),
        page.texts,
        suggested.tolist(),
        certainty.tolist(),
        page.box.tolist(),
        page.hidden.tolist(),
        owners,
        block_anchors(page.snapshot, owners, page.texts[:MAX_BLOCKS]),
        place_keys(page),
        strict=False,  # only the first blocks have anchors
    )
    return tuple(
        SheetBlock(
            node=node,
            text=valid_text(text[:MAX_CHARS]),
            role=ROLES[role],
            probability=round(probability, 4),
            box=tuple(round(side, 1) for side in box),
            hidden=hidden,
            around=around.of(owner),
            anchors=anchors,
            place=f"{place:x}",
        )
        for node, text, role, probability, box, hidden, owner, anchors, place in rows
    )


class _Elements:
    """The range of blocks in each element, and its nearest ancestor that holds more blocks."""

    def __init__(self, page: TextBlocks) -> None:
        snapshot, firsts = page.snapshot, page.first[:MAX_BLOCKS]
        # Nodes are in document order, so the blocks of a subtree are consecutive.
        self._first = np.searchsorted(firsts, np.arange(len(snapshot))).tolist()
        self._after = np.searchsorted(firsts, snapshot.end).tolist()
        size = [b - a for a, b in zip(self._first, self._after, strict=True)]
        self._larger: list[int] = []
        for node, parent in enumerate(snapshot.parent.tolist()):
            grows = parent < 0 or size[parent] > size[node]
            self._larger.append(parent if grows else self._larger[parent])

    def of(self, owner: int) -> tuple[tuple[int, int], ...]:
        """Ranges of blocks of the elements around a block, given the node that owns the block."""
        ranges: list[tuple[int, int]] = []
        node = owner
        while node >= 0 and len(ranges) < MAX_AROUND:
            first, last = self._first[node], self._after[node] - 1
            if last > first:
                ranges.append((first, last))
            node = self._larger[node]
        return tuple(ranges)
