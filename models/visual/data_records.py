"""Records of a data region: blocks in order, regrouped by their looks (ViDE).

Source: Liu, Meng and Meng, *ViDE* (TKDE 2010), section 4, as recalled; Liu and Meng 2006 in
the X-CEX thesis, 3.3.2: records are flush left and adjacent, look alike, and show their
parts in one order. Blocks are clustered by appearance, the largest cluster gives each record
one block, and the others are assigned to the record that they stand in.

Departure: what stands before those blocks in *every* record, in the same order, belongs to
the record that follows. The source looks for that by the position of the first mandatory
item.
"""

from __future__ import annotations

from itertools import pairwise

from .appearance import Appearance, similarity
from .block_tree import BlockTree
from .data_region import RegionOptions

__all__ = ["cluster_looks", "data_records"]


def cluster_looks(looks: list[Appearance], min_similarity: float) -> list[int]:
    """Cluster of each block: the first one whose first member it resembles.

    O(b·k) for b blocks of k looks. Clusters are numbered in order of their first members.
    """
    known: dict[Appearance, int] = {}
    first: list[Appearance] = []
    for look in looks:
        if look in known:
            continue
        fits = (i for i, one in enumerate(first) if similarity(one, look) >= min_similarity)
        number = next(fits, len(first))
        if number == len(first):
            first.append(look)
        known[look] = number
    return [known[look] for look in looks]


def data_records(
    tree: BlockTree, leaves: list[int], looks: list[Appearance], options: RegionOptions
) -> list[list[int]]:
    """Group the leaves of a data region into records.

    Parameters
    ----------
    tree
        The blocks.
    leaves
        Leaves of the region without noise, in order.
    looks
        How each looks.
    options
        The parameters.

    Returns
    -------
    The records, each with its blocks in order. What stands before the first record, and
    kinds of blocks after the last one's that no other record has, is left out. No record if
    no two blocks are of one kind.
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
    """Where the largest kind of block begins.

    Blocks of a kind that follow each other count once: a summary and its byline may look
    alike. Of equals, the kind that stands furthest left, where records are flush; then the
    first. If every kind comes in one stretch, each block of the largest is a record.
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

    found = min(begins.values(), key=rank, default=[])
    return found if len(found) > 1 else min(members.values(), key=rank, default=[])


def _shared_before(kinds: list[int], seeds: list[int]) -> int:
    """How many blocks before each seed are of the same kinds in the same order."""
    room = min([seeds[0], *(two - one - 1 for one, two in pairwise(seeds))])
    shared = 0
    while shared < room:
        if len({kinds[seed - shared - 1] for seed in seeds}) > 1:
            break
        shared += 1
    return shared
