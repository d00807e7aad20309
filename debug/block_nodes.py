"""Text nodes of the blocks of an extraction, which is checked to be of the same snapshot."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from ..features.blocks import TextBlocks, article_blocks, text_blocks
from ..output.extraction import Block, Extraction
from ..renderer.page.snapshot import Snapshot


def of_snapshot(extraction: Extraction) -> Extraction:
    """An extraction without the blocks that only another version of its page has."""
    if all(block.node >= 0 for block in extraction.blocks):
        return extraction
    return replace(extraction, blocks=tuple(b for b in extraction.blocks if b.node >= 0))


def text_nodes(snapshot: Snapshot, extraction: Extraction) -> list[list[int]]:
    """Text nodes of each block of an extraction."""
    # A method reads either the painted texts or also hidden texts.
    for page_blocks in (text_blocks(snapshot), article_blocks(snapshot)):
        places = _match(extraction.blocks, page_blocks)
        if places is not None:
            nodes = page_blocks.node_lists()
            return [nodes[place] for place in places]
    raise ValueError(
        "the extraction does not match the snapshot: pass the extraction of this snapshot"
    )


def _match(blocks: Sequence[Block], page_blocks: TextBlocks) -> list[int] | None:
    """Places of blocks among the page's blocks; None if the page does not have all of them."""
    free: dict[tuple[int, str], deque[int]] = {}
    rows = zip(page_blocks.owner.tolist(), page_blocks.shown_texts, strict=True)
    for place, row in enumerate(rows):
        free.setdefault(row, deque()).append(place)
    places: list[int] = []
    for block in blocks:
        own = free.get((block.node, block.text))
        if not own:
            return None
        places.append(own.popleft())
    return places
