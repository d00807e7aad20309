"""Text nodes of the blocks of an extraction, which is checked to be of the same snapshot."""

from __future__ import annotations

from collections.abc import Sequence

from ..features.blocks import TextBlocks, article_blocks, text_blocks
from ..output.extraction import Block, Extraction
from ..renderer.snapshot import Snapshot

__all__ = ["text_nodes"]


def text_nodes(snapshot: Snapshot, extraction: Extraction) -> list[list[int]]:
    """Text nodes of each block of an extraction.

    Raises
    ------
    ValueError
        The extraction is not of this snapshot.
    """
    # A method reads either the painted texts or also hidden texts.
    for page_blocks in (text_blocks(snapshot), article_blocks(snapshot)):
        nodes = _match(extraction.blocks, page_blocks)
        if nodes is not None:
            return nodes
    raise ValueError(
        "the extraction does not match the snapshot: pass the extraction of this snapshot"
    )


def _match(blocks: Sequence[Block], page_blocks: TextBlocks) -> list[list[int]] | None:
    """Text nodes of blocks that are a subsequence of the page's blocks; None if they are not."""
    nodes: list[list[int]] = []
    owners, texts = page_blocks.owner.tolist(), page_blocks.shown_texts
    left = zip(owners, texts, page_blocks.node_lists(), strict=True)
    for block in blocks:
        own = next(
            (of for node, text, of in left if (node, text) == (block.node, block.text)), None
        )
        if own is None:
            return None
        nodes.append(own)
    return nodes
