"""Appearance of blocks, and the similarity of two appearances (ViDE).

Source: Liu, Meng and Meng, *ViDE* (TKDE 2010), section 4.2, from memory: the mean of the
similarities of two blocks' images, plain texts and link texts, each weighted by its share of the
two blocks' areas. Departure: the source compares the *number* of fonts of the texts, so that two
blocks of one font each would be similar whatever the fonts. Here the fonts themselves are compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from miolo.features.links import link_mask
from miolo.features.readable import readable_texts
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import subtree_mask

from ..vips.block_tree import BlockTree
from ..vips.look import compute_look

__all__ = ["Appearance", "leaf_appearances", "similarity"]

Font = tuple[float, int, int]


@dataclass(frozen=True)
class Appearance:
    """Appearance of a block.

    Attributes
    ----------
    areas
        Areas of its images, plain texts and link texts, px².
    plain_fonts, link_fonts
        Font size, weight and text colour of plain and of link texts.
    """

    areas: tuple[float, float, float]
    plain_fonts: frozenset[Font]
    link_fonts: frozenset[Font]


def similarity(one: Appearance, other: Appearance) -> float:
    """Similarity of two appearances, in [0, 1]; symmetric, and 1 for equal ones."""
    total = sum(one.areas) + sum(other.areas)
    if not total:
        return 1.0
    parts = (
        _ratio(one.areas[0], other.areas[0]),
        _overlap(one.plain_fonts, other.plain_fonts),
        _overlap(one.link_fonts, other.link_fonts),
    )
    pairs = zip(one.areas, other.areas, strict=True)
    return min(1.0, sum((a + b) * part for (a, b), part in zip(pairs, parts, strict=True)) / total)


def leaf_appearances(snapshot: Snapshot, tree: BlockTree, leaves: list[int]) -> list[Appearance]:
    """Appearances of the given leaves of a page, in their order."""
    look, linked = compute_look(snapshot), subtree_mask(link_mask(snapshot), snapshot.end)
    sides = look.box[:, 2:] - look.box[:, :2]
    area = sides[:, 0] * sides[:, 1]
    place = {leaf: number for number, leaf in enumerate(leaves)}
    areas = [[0.0, 0.0, 0.0] for _ in leaves]
    fonts: list[tuple[set[Font], set[Font]]] = [(set(), set()) for _ in leaves]
    texts = readable_texts(snapshot)
    for node in np.flatnonzero((texts | look.picture) & np.isin(tree.of, leaves)).tolist():
        number, kind = place[int(tree.of[node])], 1 + bool(linked[node])
        if look.picture[node]:
            areas[number][0] += float(area[node])
            continue
        if not snapshot.text[node].strip():
            continue
        areas[number][kind] += float(area[node])
        fonts[number][kind - 1].add(_font(snapshot, node))
    return [
        Appearance((a[0], a[1], a[2]), frozenset(plain), frozenset(link))
        for a, (plain, link) in zip(areas, fonts, strict=True)
    ]


def _font(snapshot: Snapshot, node: int) -> Font:
    size = round(float(snapshot.font_size[node]), 1)
    return size, int(snapshot.font_weight[node]), int(snapshot.color[node])


def _ratio(one: float, other: float) -> float:
    return min(one, other) / max(one, other) if one or other else 1.0


def _overlap(one: frozenset[Font], other: frozenset[Font]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0
