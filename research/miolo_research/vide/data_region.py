"""The data region of a page, the noise at its ends, and the records in it (ViDE).

Source: Liu and Meng 2006, as described in the X-CEX thesis, 3.3.2; Liu, Meng and Meng, *ViDE: a
vision-based approach for deep Web data extraction* (TKDE 2010), from memory. The region is large
and centred horizontally. Its content is flush left; blocks at its top and bottom that are not are
noise.

Departures. The smallest of several such blocks is chosen. Since a main column and a side column are
also centred when taken together, the column with the largest area in the middle half of the page is
then chosen, and wrappers are replaced by the block that they wrap. At the ends, blocks of links are
noise as well, and a block that is not flush left is noise only if it is short, since quotations and
listings are indented. If lines run from right to left, blocks are flush right.

Records (section 4 of the TKDE paper) are flush left and adjacent, look alike, and show their parts
in the same order. Blocks are clustered by appearance, the largest cluster gives each record one
block, and the other blocks are assigned to the record that contains them. Departure: blocks that
precede those of the largest cluster in *every* record, in the same order, belong to the record that
follows. The source determines this by the position of the first mandatory item.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..vips.block_tree import BlockTree
from ..vips.columns import area_shares, central_shares, in_columns
from .appearance import Appearance, similarity

__all__ = ["RegionOptions", "cluster_looks", "data_records", "data_region", "find_noise"]


@dataclass(frozen=True)
class RegionOptions:
    """Parameters of ViDE.

    Attributes
    ----------
    min_area
        Minimum area of the region, as a share of the page's (T_region).
    max_offset
        Maximum distance of its centre from the page's, as a share of the page's width.
    wrapped
        A block wraps a child that has at least this share of its area.
    short
        A block at an end that is not flush left and has fewer characters than this is noise.
    max_link_density
        A block at an end with a larger share of characters in links is noise.
    min_similarity
        Blocks whose appearance is at least this similar are of one kind (T_as).
    """

    min_area: float = 0.4
    max_offset: float = 0.2
    wrapped: float = 0.9
    short: int = 40
    max_link_density: float = 0.5
    min_similarity: float = 0.8


# Maximum distance of edges that count as the same, CSS px.
FLUSH = 2

# Minimum share of the region's text that begins at an edge for it to count as a main edge.
EDGE_SHARE = 0.2


def data_region(tree: BlockTree, options: RegionOptions) -> tuple[int, bool]:
    """The block of the data region, and whether any block met both conditions.

    If none did, the search starts from the page instead.
    """
    shares = area_shares(tree)
    middle = tree.box[:, 0] + tree.box[:, 2] / 2
    offset = np.abs(middle - middle[0])
    fits = ~tree.layer & (shares >= options.min_area)
    fits &= offset <= options.max_offset * tree.box[0, 2]
    fits[0] = False
    candidates = np.flatnonzero(fits)
    if not len(candidates):
        return _innermost(tree, 0, options), False
    # Of equally small blocks, the last in preorder is the innermost.
    smallest = candidates[np.lexsort((-candidates, shares[candidates]))[0]]
    return _innermost(tree, int(smallest), options), True


def _innermost(tree: BlockTree, block: int, options: RegionOptions) -> int:
    """Descend to the main column and through wrappers."""
    shares, columns = area_shares(tree), in_columns(tree)
    central = central_shares(tree) * tree.box[:, 3]
    while True:
        below = [child for child in tree.children(block) if not tree.layer[child]]
        if columns[block]:
            block = max(below, key=lambda child: central[child])
            continue
        wrapped = [child for child in below if shares[child] >= options.wrapped * shares[block]]
        if not wrapped:
            return block
        block = wrapped[0]


def find_noise(
    tree: BlockTree,
    region: int,
    chars: NDArray[np.integer],
    links: NDArray[np.integer],
    options: RegionOptions,
) -> tuple[list[int], dict[int, str]]:
    """Leaves of the region without noise at its ends, and the reasons for the removed leaves.

    Parameters
    ----------
    region
        The block of the data region.
    chars, links
        int, shape (b,): characters of each leaf, and those of them in links.
    options
        The parameters.

    Returns
    -------
    The leaves that are kept, in order, and the deciding figures for each removed leaf. If all
    leaves are noise, all are kept.
    """
    inside = tree.leaves[(tree.leaves >= region) & (tree.leaves < tree.end[region])]
    leaves: list[int] = inside.tolist()
    sides = tree.box[:, 0], tree.box[:, 0] + tree.box[:, 2]
    edge, edges = max(
        ((side, _main_edges(side[leaves], chars[leaves])) for side in sides),
        key=lambda pair: _flush_chars(pair[0][leaves], pair[1], chars[leaves]),
    )
    why = {
        leaf: _noise_reason(float(edge[leaf]), edges, int(chars[leaf]), int(links[leaf]), options)
        for leaf in leaves
    }
    stay = [place for place, leaf in enumerate(leaves) if not why[leaf]]
    if not stay:
        return leaves, {}
    kept = leaves[stay[0] : stay[-1] + 1]
    cut = leaves[: stay[0]] + leaves[stay[-1] + 1 :]
    return kept, {leaf: why[leaf] for leaf in cut}


def _noise_reason(
    edge: float, edges: NDArray[np.float64], chars: int, links: int, options: RegionOptions
) -> str:
    """Why a block at an end would be noise; the empty string if it would not."""
    density = links / max(chars, 1)
    if density > options.max_link_density:
        return f"link density {density:.2f} > {options.max_link_density:g}"
    away = np.abs(edges - edge).min(initial=np.inf)
    if away > FLUSH and chars < options.short:
        return (
            f"{away:.0f} px from the nearest edge of the text, and {chars} < {options.short} "
            "characters"
        )
    return ""


def _main_edges(edge: NDArray[np.floating], chars: NDArray[np.integer]) -> NDArray[np.float64]:
    """Edges at which much of the text begins, CSS px; there are several in a grid."""
    order = np.argsort(edge, kind="stable")
    edges, weight = edge[order].astype(np.float64), np.append(0, np.cumsum(chars[order]))
    start = np.searchsorted(edges, edges - FLUSH)
    stop = np.searchsorted(edges, edges + FLUSH, side="right")
    return np.unique(np.rint(edges[weight[stop] - weight[start] >= EDGE_SHARE * weight[-1]]))


def _flush_chars(
    edge: NDArray[np.floating], edges: NDArray[np.float64], chars: NDArray[np.integer]
) -> int:
    """Characters of the blocks that are flush with one of the edges."""
    if not len(edges):
        return 0
    return int(chars[np.abs(edge[:, None] - edges).min(axis=1) <= FLUSH].sum())


def cluster_looks(looks: list[Appearance], min_similarity: float) -> list[int]:
    """Cluster of each block: the first one whose first member it resembles.

    O(b·k) for b blocks and k clusters. Clusters are numbered in order of their first members.
    """
    number_of: dict[Appearance, int] = {}
    first: list[Appearance] = []
    for look in looks:
        if look in number_of:
            continue
        fits = (i for i, one in enumerate(first) if similarity(one, look) >= min_similarity)
        number = next(fits, len(first))
        if number == len(first):
            first.append(look)
        number_of[look] = number
    return [number_of[look] for look in looks]


def data_records(
    tree: BlockTree, leaves: list[int], looks: list[Appearance], options: RegionOptions
) -> list[list[int]]:
    """Group the leaves of a data region into records.

    Parameters
    ----------
    leaves
        Leaves of the region without noise, in order.
    looks
        Appearance of each leaf.
    options
        The parameters.

    Returns
    -------
    The records, each with its blocks in order; none if no two blocks are of one kind. Blocks
    before the first record are omitted. The last record ends before the first block of a kind
    that no other record has.
    """
    kinds = cluster_looks(looks, options.min_similarity)
    seeds = _seeds(tree, leaves, kinds)
    if len(seeds) < 2:
        return []
    before = _shared_before(kinds, seeds)
    starts = [seed - before for seed in seeds]
    usual = {kind for start, stop in pairwise(starts) for kind in kinds[start:stop]}
    stop = starts[-1]
    while stop < len(leaves) and kinds[stop] in usual:
        stop += 1
    bounds = [*starts, stop]
    return [leaves[start:end] for start, end in pairwise(bounds)]


def _seeds(tree: BlockTree, leaves: list[int], kinds: list[int]) -> list[int]:
    """Positions of the most frequent kind of block, at which records begin.

    Consecutive blocks of a kind count once, since a summary and its byline may look alike. Ties
    go to the leftmost kind, since records are flush left, then to the first. If no kind has more
    than one run, each block of the most frequent kind is a record.
    """
    begins: dict[int, list[int]] = {}
    members: dict[int, list[int]] = {}
    for place, kind in enumerate(kinds):
        members.setdefault(kind, []).append(place)
        if not place or kinds[place - 1] != kind:
            begins.setdefault(kind, []).append(place)

    def rank(places: list[int]) -> tuple[int, float, int]:
        left = min(float(tree.box[leaves[place], 0]) for place in places)
        return -len(places), round(left), places[0]

    seeds = min(begins.values(), key=rank, default=[])
    return seeds if len(seeds) > 1 else min(members.values(), key=rank, default=[])


def _shared_before(kinds: list[int], seeds: list[int]) -> int:
    """Number of blocks before each seed that have the same kinds in the same order."""
    room = min([seeds[0], *(two - one - 1 for one, two in pairwise(seeds))])
    shared = 0
    while shared < room:
        if len({kinds[seed - shared - 1] for seed in seeds}) > 1:
            break
        shared += 1
    return shared
