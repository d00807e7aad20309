"""The `feature-extractor` method and its variant with clusters: the block that is mostly text."""

from __future__ import annotations

import numpy as np
from miolo.extract.methods.method import Method
from miolo.extract.methods.reading import read, select
from miolo.extract.methods.selection import Reasons, Selection
from miolo.features.block_sets import BlockSet
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import subtree_mask
from numpy.typing import NDArray

from .features import (
    FeatureOptions,
    FeatureVerdicts,
    feature_blocks,
    html_features,
    judge_features,
)

__all__ = ["METHOD", "feature_extractor"]


def feature_extractor(snapshot: Snapshot, options: FeatureOptions | None = None) -> Selection:
    """Keep the winning block, or all blocks that K-means assigns to its cluster.

    Parameters
    ----------
    options
        By default `FeatureOptions()`, which keeps the winner; with `clusters`, its cluster is kept.
    """
    options = options or FeatureOptions()
    reading = read(snapshot)
    blocks = feature_blocks(snapshot, options.blocks)
    verdicts = judge_features(html_features(snapshot, blocks, reading.counts), options)
    content = np.append(verdicts.chosen, False)[blocks.of]
    if options.inside:
        content |= _inside(snapshot, blocks, verdicts)
    return select(
        reading,
        content,
        np.append(verdicts.share, 0.0)[blocks.of],
        _reasons(snapshot, blocks, verdicts, options),
        marks={"winner": int(blocks.roots[verdicts.winner])} if verdicts.winner >= 0 else {},
    )


def _inside(snapshot: Snapshot, blocks: BlockSet, verdicts: FeatureVerdicts) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes of kept blocks that are chosen or inside a chosen block."""
    roots = np.zeros(len(snapshot), bool)
    roots[blocks.roots[verdicts.chosen]] = True
    return subtree_mask(roots, snapshot.end) & np.append(verdicts.kept, False)[blocks.of]


def _reasons(
    snapshot: Snapshot, blocks: BlockSet, verdicts: FeatureVerdicts, options: FeatureOptions
) -> Reasons:
    reasons = Reasons(len(snapshot), "not in a block")
    shares = verdicts.share.tolist()
    for block, nodes in enumerate(blocks.nodes()):
        sign = ">" if verdicts.kept[block] else "≤"
        sentences = (
            f"share of {options.desired} in the block: "
            f"{shares[block]:.2f} {sign} {options.threshold:g}"
        )
        if block == verdicts.winner:
            sentences += ", the winner"
        elif verdicts.chosen[block]:
            sentences += ", in the winner's cluster"
        elif verdicts.kept[block]:
            sentences += ", not the winner"
        reasons.give(nodes, sentences)
    return reasons


METHOD = Method(
    lambda page, _, options: feature_extractor(page, options),
    "the block that is mostly text",
    "research baselines",
    FeatureOptions(),
    {"clusters=2": FeatureOptions(clusters=2), "literal": FeatureOptions.literal()},
)
