"""The `content-extractor` and `x-cex` methods: blocks that few pages of the site repeat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import MissingSiteError, PageWarning
from ...features.block_sets import TAG_LISTS, Cut
from ...models.blocks.block_index import BlockIndex, JudgedBlocks
from ...models.blocks.redundancy import RedundancyOptions, Verdicts
from ...renderer.page.snapshot import Snapshot
from .method import Method
from .reading import read, select
from .selection import Reasons, Selection

# With fewer pages, the share of them that makes a block redundant is less than two pages.
FEW_PAGES = 10


def by_redundancy(
    snapshot: Snapshot, index: BlockIndex, options: RedundancyOptions | None = None
) -> Selection:
    """Keep the blocks that have a similar block on only a few of the site's pages.

    `index`: Blocks of the site's pages. It also determines how pages are cut into blocks.
    """
    if not len(index):
        raise MissingSiteError(
            "the site has no learned pages to compare blocks with: learn it from its pages"
        )
    judgement = index.judge(snapshot, options)
    verdicts = judgement.verdicts
    others = max(1, verdicts.pages - 1)
    scores = np.where(verdicts.identical, 0, 1 - np.minimum(1, verdicts.similar / others))
    return select(
        read(snapshot),
        _node_values(judgement, verdicts.content) > 0,
        _node_values(judgement, scores),
        _reasons(snapshot, judgement),
        warnings=_warnings(verdicts.pages),
    )


def _node_values(judgement: JudgedBlocks, values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Expand values of the verdicts to values of the nodes; 0 outside of blocks."""
    whole = np.append(values.astype(np.float64), 0.0)
    return np.append(whole[judgement.verdict], 0.0)[judgement.blocks.of]


def _reasons(snapshot: Snapshot, judgement: JudgedBlocks) -> Reasons:
    reasons = Reasons(len(snapshot), "outside all blocks")
    sentences = [
        _reason(judgement.verdicts, place) for place in range(len(judgement.verdicts.blocks))
    ]
    for block, nodes in enumerate(judgement.blocks.nodes()):
        verdict = judgement.verdict[block]
        reasons.give(nodes, sentences[verdict] if verdict >= 0 else "in a block without words")
    return reasons


def _reason(verdicts: Verdicts, place: int) -> str:
    if verdicts.identical[place]:
        return "in a block that also occurs on another page"
    count, limit = int(verdicts.similar[place]), verdicts.limit
    sign = "<" if count < limit else "≥"
    return f"in a block with similar blocks on {count} of {verdicts.pages} pages {sign} {limit}"


def _warnings(pages: int) -> tuple[PageWarning, ...]:
    if pages >= FEW_PAGES:
        return ()
    message = (
        f"the site was learned from too few pages ({pages}) to detect repeated blocks reliably: "
        f"use {FEW_PAGES} or more"
    )
    return (PageWarning("few-pages", message),)


@dataclass(frozen=True)
class XCEXOptions:
    """Options of the method `x-cex`."""

    rendered: bool = False
    """Whether pages are cut into blocks as a reader sees them, regardless of tags. Otherwise they
    are cut by an ordered list of tags."""


CONTENT_EXTRACTOR = Method(
    lambda page, learned, _: by_redundancy(
        page,
        learned.part("content-extractor", BlockIndex),
        RedundancyOptions.content_extractor(),
    ),
    "blocks that resemble blocks on only a few pages of the site (2005)",
    "from the sources",
    needs_site=True,
    site_parts={"content-extractor": lambda _: BlockIndex(Cut(TAG_LISTS["content-extractor"]))},
)

METHOD = Method(
    lambda page, learned, options: by_redundancy(
        page, learned.part("x-cex-rendered" if options.rendered else "x-cex", BlockIndex)
    ),
    "like content-extractor, with content weighed against structure",
    "from the sources",
    XCEXOptions(),
    {"rendered": XCEXOptions(rendered=True)},
    needs_site=True,
    site_parts={
        "x-cex": lambda _: BlockIndex(),
        "x-cex-rendered": lambda _: BlockIndex(Cut(())),
    },
)
