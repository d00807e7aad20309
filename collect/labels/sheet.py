"""`LabelSheet`: the blocks of a page with the reader's suggestions, for a person to correct."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.anchors import Anchor, BlockAnchors
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

    node: int  # first text node of the block
    text: str  # of the block, at most `MAX_CHARS` characters
    role: str  # that the reader suggests
    custom: str  # custom role that the reader suggests, empty for none
    # The reader's probability that the suggestion is right. Boilerplate and links to other stories
    # count as one class here, because people do not distinguish them far from the article.
    probability: float
    box: tuple[float, ...]  # x, y, width, height in CSS px
    hidden: bool  # whether no part of the block is painted
    # Numbers of the first and the last block of each enclosing element that holds more blocks than
    # the previous one, the innermost first.
    around: tuple[tuple[int, int], ...]
    anchor: Anchor  # what identifies the block in another capture of the page
    place: str  # what identifies its place in the template of the page


@dataclass(frozen=True)
class LabelSheet:
    """A page to label."""

    content: str  # hash of the page's content
    uncertainty: float  # mean probability that a suggestion is wrong; see `mean_uncertainty`
    kind: str
    total: int  # number of blocks of the page; the first `MAX_BLOCKS` are listed
    blocks: tuple[SheetBlock, ...]  # the listed blocks, in document order


def label_sheet(snapshot: Snapshot, reader: Reader | None = None) -> LabelSheet:
    """List the blocks of a page with the roles that a reader suggests, or else the shipped one."""
    page = article_blocks(snapshot)
    features = block_features(page)
    reader = reader or shipped_reader()
    probabilities = reader.read(features).roles
    suggested = probabilities.argmax(axis=1)
    certainty = _certainty(probabilities, suggested)
    return LabelSheet(
        content=snapshot.page.content_hash,
        uncertainty=mean_uncertainty(probabilities, features.words),
        kind=shipped_kind_model().judge(snapshot).kind,
        total=len(page),
        blocks=_blocks(page, suggested, certainty, reader.custom_names(features)),
    )


def _certainty(
    probabilities: NDArray[np.float64], suggested: NDArray[np.int64]
) -> NDArray[np.float64]:
    """float64, shape (b,): probability of each suggestion."""
    each = probabilities[np.arange(len(suggested)), suggested]
    surroundings = probabilities[:, SURROUNDINGS].sum(axis=1)
    return np.where(np.isin(suggested, SURROUNDINGS), surroundings, each)


def mean_uncertainty(probabilities: NDArray[np.float64], words: NDArray[np.floating[Any]]) -> float:
    """Mean probability that a block's most likely role is wrong; longer blocks weigh more."""
    if not len(probabilities):
        return 0.0
    certainty = _certainty(probabilities, probabilities.argmax(axis=1))
    weight = np.sqrt(np.minimum(words + 1, HEAVY))
    return round(float((weight * (1 - certainty)).sum() / weight.sum()), 6)


def _blocks(
    page: TextBlocks,
    suggested: NDArray[np.int64],
    certainty: NDArray[np.float64],
    custom: Sequence[str],
) -> tuple[SheetBlock, ...]:
    owners = page.owner.tolist()[:MAX_BLOCKS]
    rows = zip(
        BlockAnchors(page).compute(), place_keys(page), _surroundings(page, owners), strict=False
    )
    return tuple(
        SheetBlock(
            node=int(page.first[b]),
            text=valid_text(page.texts[b][:MAX_CHARS]),
            role=ROLES[suggested[b]],
            custom=custom[b] if custom else "",
            probability=round(float(certainty[b]), 4),
            box=tuple(round(side, 1) for side in page.box[b].tolist()),
            hidden=bool(page.hidden[b]),
            around=around,
            anchor=anchor,
            place=f"{place:x}",
        )
        for b, (anchor, place, around) in enumerate(rows)
    )


def _surroundings(page: TextBlocks, owners: list[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Ranges of blocks of the elements around each block, given the nodes that own the blocks."""
    snapshot, firsts = page.snapshot, page.first[:MAX_BLOCKS]
    # Nodes are in document order, so the blocks of a subtree are consecutive.
    first = np.searchsorted(firsts, np.arange(len(snapshot))).tolist()
    after = np.searchsorted(firsts, snapshot.end).tolist()
    size = [b - a for a, b in zip(first, after, strict=True)]
    larger: list[int] = []  # nearest ancestor that holds more blocks
    for node, parent in enumerate(snapshot.parent.tolist()):
        larger.append(parent if parent < 0 or size[parent] > size[node] else larger[parent])
    for node in owners:
        ranges: list[tuple[int, int]] = []
        while node >= 0 and len(ranges) < MAX_AROUND:
            if size[node] > 1:
                ranges.append((first[node], after[node] - 1))
            node = larger[node]
        yield tuple(ranges)
