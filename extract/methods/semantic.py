"""The `semantic` method: blocks, cut by link density, that are similar to the main block."""

from __future__ import annotations

import numpy as np

from ...errors import PageWarning
from ...features.segmenters import SEGMENTED, Segmenter, segmenter, text_language
from ...features.terms import terms
from ...models.blocks.semantic import (
    Pruning,
    SemanticOptions,
    density_ranges,
    prune,
    range_blocks,
    range_densities,
    text_tree,
)
from ...renderer.page.snapshot import Snapshot
from .method import Method
from .reading import read, select
from .selection import Reasons, Selection


def semantic(snapshot: Snapshot, options: SemanticOptions | None = None) -> Selection:
    """Keep the main block and the blocks with words similar to its own."""
    options = options or SemanticOptions()
    reading = read(snapshot)
    reasons = Reasons(len(snapshot), "no readable text")
    tree = text_tree(snapshot, reading.texts, literal=options.literal)
    if not len(tree.texts):
        nothing = np.zeros(len(snapshot))
        return select(reading, nothing > 0, nothing, reasons)
    ranges = density_ranges(tree, options.tau, 0.0 if options.literal else options.smoothing)
    blocks = range_blocks(snapshot, tree, ranges)
    read_texts = (snapshot.text[node] for node in reading.texts.nonzero()[0].tolist())
    language = text_language(read_texts, snapshot.page.language)
    cut = segmenter(language) if options.dictionary else None
    texts = blocks.texts(snapshot, reading.texts)
    words = [terms(text, language, segment=cut) for text in texts]
    pruning = prune(words, range_densities(tree, ranges), options)
    reasons.give((blocks.of < 0) & (reading.counts.chars > 0), "contains several blocks")
    for block, nodes in enumerate(blocks.nodes()):
        reasons.give(nodes, _reason(pruning, block, options))
    return select(
        reading,
        np.append(pruning.kept, False)[blocks.of],
        np.append(pruning.similarity, 0.0)[blocks.of],
        reasons,
        warnings=_warnings(language, cut, options),
    )


def _reason(pruning: Pruning, block: int, options: SemanticOptions) -> str:
    if block == pruning.main:
        return f"main block: {pruning.words[block]} feature words"
    sign = "≥" if pruning.kept[block] else "<"
    score = f"similarity {pruning.similarity[block]:.3f} to the main block"
    return f"{score} {sign} {options.threshold:g}"


def _warnings(
    language: str, cut: Segmenter | None, options: SemanticOptions
) -> tuple[PageWarning, ...]:
    name = SEGMENTED.get(language.strip().lower()[:2])
    if cut is not None or name is None or not options.dictionary:
        return ()
    message = f"without the extra miolo[cjk], each {name} character counts as a word"
    return (PageWarning("no-segmenter", message),)


METHOD = Method(
    lambda page, _, options: semantic(page, options),
    "blocks that are similar to the main block, segmented by link density",
    "from the sources",
    SemanticOptions(),
    {"literal": SemanticOptions(literal=True)},
)
