"""Text nodes of the blocks of an extraction, which is checked to be of the same snapshot."""

from __future__ import annotations

from collections.abc import Sequence

from ..features.blocks import TextBlocks, article_blocks, text_blocks
from ..output.extraction import Block, Extraction
from ..renderer.snapshot import Snapshot

__all__ = ["check_blocks", "text_nodes"]


def check_blocks(snapshot: Snapshot, extraction: Extraction) -> None:
    """Check that an extraction is of a snapshot.

    Raises
    ------
    ValueError
        It is not.
    """
    _find(snapshot, extraction)


def text_nodes(snapshot: Snapshot, extraction: Extraction) -> list[list[int]]:
    """Text nodes of each block of an extraction.

    Raises
    ------
    ValueError
        The extraction is not of this snapshot.
    """
    page_blocks, places = _find(snapshot, extraction)
    nodes = page_blocks.node_lists()
    return [nodes[place] for place in places]


def _find(snapshot: Snapshot, extraction: Extraction) -> tuple[TextBlocks, list[int]]:
    """The blocks of the page, and the place of each block of the extraction among them."""
    # A method reads either the painted texts or also hidden texts.
    for page_blocks in (text_blocks(snapshot), article_blocks(snapshot)):
        places = _match(extraction.blocks, page_blocks)
        if places is not None:
            return page_blocks, places
    raise ValueError(
        "the extraction does not match the snapshot: pass the extraction of this snapshot"
    )


def _match(blocks: Sequence[Block], page_blocks: TextBlocks) -> list[int] | None:
    """Places of blocks that are a subsequence of the page's blocks; None if they are not."""
    places: list[int] = []
    left = enumerate(zip(page_blocks.owner.tolist(), page_blocks.shown_texts, strict=True))
    for block in blocks:
        own = (block.node, block.text)
        place = next((place for place, other in left if other == own), None)
        if place is None:
            return None
        places.append(place)
    return places
