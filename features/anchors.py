"""Anchors: what identifies a block of a page in another rendering of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from zlib import crc32

from ..renderer.page.snapshot import Snapshot

__all__ = ["Anchors", "block_anchors", "match_anchors"]

Anchors = tuple[int, ...]
"""Hashes of a block's text, its elements and its neighbours, from the most to the least exact.

A hash that several blocks of the page share is 0.
"""


def block_anchors(snapshot: Snapshot, owners: Iterable[int], texts: Sequence[str]) -> list[Anchors]:
    """Anchors of the b blocks of a page.

    `owners`: b nodes, one of each block; the names of their elements and of those around them are
    used.
    """
    paths = _paths(snapshot)
    of = [paths[owner] for owner in owners]
    codes = _codes(texts)
    before, after = [0, *codes][:-1], [*codes, 0][1:]
    places, repeats = _turns(list(zip(of, codes, strict=True))), _turns(codes)
    # Ages and numbers of comments change.
    bare = ("".join(letter for letter in text if not letter.isdecimal()) for text in texts)
    rows = [
        (
            (path, text, early, late),
            (path, text, early),
            (path, text, late),
            (path, text, place),
            (text, early),
            (text, late),
            (text, repeat),
            (path, bare),
        )
        for path, text, early, late, place, repeat, bare in zip(
            of, codes, before, after, places, repeats, _codes(bare), strict=True
        )
    ]
    hashes = [tuple(crc32(repr(key).encode()) for key in row) for row in rows]
    counts = [Counter(column) for column in zip(*hashes, strict=True)]
    return [
        tuple(key if count[key] == 1 else 0 for key, count in zip(row, counts, strict=True))
        for row in hashes
    ]


def match_anchors(earlier: Sequence[Anchors], later: Sequence[Anchors]) -> list[int]:
    """For each block of an earlier rendering, its index in a later one; -1 if it is gone.

    No two blocks are matched with the same one, and time is linear.
    """
    found = [-1] * len(earlier)
    taken: set[int] = set()
    for level in range(max(map(len, earlier), default=0)):
        places = {row[level]: place for place, row in enumerate(later) if place not in taken}
        for block, row in enumerate(earlier):
            place = places.get(row[level], -1) if row[level] and found[block] < 0 else -1
            if place >= 0 and place not in taken:
                found[block] = place
                taken.add(place)
    return found


def _paths(snapshot: Snapshot) -> list[int]:
    """A hash of the names of each node's element and of those around it."""
    paths: list[int] = []
    names = [snapshot.tag_name(node).encode() for node in range(len(snapshot))]
    for node, parent in enumerate(snapshot.parent.tolist()):
        around = paths[parent] if parent >= 0 else 0
        paths.append(around if snapshot.is_text[node] else crc32(names[node] + b">", around))
    return paths


def _codes(texts: Iterable[str]) -> list[int]:
    return [crc32(text.encode("utf-8", "replace")) for text in texts]


def _turns(keys: Sequence[Hashable]) -> list[tuple[int, int]]:
    """For each key, how many equal ones precede it, and how many there are."""
    totals, seen = Counter(keys), defaultdict[Hashable, int](int)
    turns = []
    for key in keys:
        turns.append((seen[key], totals[key]))
        seen[key] += 1
    return turns
