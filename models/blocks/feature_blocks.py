"""Blocks for Feature Extractor: by tags, as rendered, or containers of running text.

Tags are those of the paper (Debnath et al. 2005): where a page is one table in a `div`, they
are its cells and paragraphs. Containers are the blocks that cells were then: what holds
paragraphs, lists and headings next to each other.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...features.block_sets import TAG_LISTS, BlockSet, block_set, owned_blocks, rendered_blocks
from ...features.blocks import block_owners
from ...features.readable import readable_texts
from ...renderer.snapshot import Snapshot
from ...renderer.tree import nearest_marked

__all__ = ["FeatureBlocks", "container_blocks", "feature_blocks"]

FeatureBlocks = Literal["containers", "rendered", "tags"]

# Running text and its parts; a list or a table belongs to the text around it.
FLOW = (
    "p h1 h2 h3 h4 h5 h6 li ul ol dl dt dd pre blockquote figure figcaption details summary "
    "center table caption tbody thead tfoot tr td th"
).split()


def feature_blocks(snapshot: Snapshot, kind: FeatureBlocks = "containers") -> BlockSet:
    """Blocks of a page.

    Parameters
    ----------
    snapshot
        The page.
    kind
        ``"containers"``: see `container_blocks`. ``"rendered"``: paragraphs, headings and
        cells as a reader sees them. ``"tags"``: by the paper's tags.
    """
    if kind == "containers":
        return container_blocks(snapshot)
    if kind == "rendered":
        return rendered_blocks(snapshot)
    return block_set(snapshot, TAG_LISTS["content-extractor"])


def container_blocks(snapshot: Snapshot) -> BlockSet:
    """Elements that hold running text: each text is in the nearest one around it.

    That is the nearest element laid out as a block that is no part of running text itself,
    such as a paragraph, a list or a table. Nodes without text are in the nearest such
    element too. Linear in the nodes.
    """
    nodes = np.arange(len(snapshot))
    holds = (block_owners(snapshot) == nodes) & ~snapshot.with_tag(*FLOW)
    holds[0] = True
    texts = np.flatnonzero(readable_texts(snapshot))
    roots = np.zeros(len(snapshot), bool)
    roots[nearest_marked(snapshot.parent, holds)[texts]] = True
    return owned_blocks(snapshot, np.flatnonzero(roots))
