"""Anchors: what identifies a block or an element of a page in another rendering of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from rapidfuzz.distance import Levenshtein

from ..renderer.page.snapshot import Snapshot
from .selectors import Selectors
from .words import collapse

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


MAX_TEXT = 500
MAX_PLACES = 1000
MAX_STEPS = 250
MAX_SAME = 40
"""Maximum number of elements with the same text that are compared by their places."""

ALIKE = 0.6
"""Minimum similarity of the texts of an element and its anchor if they differ."""


@dataclass(frozen=True)
class Anchor:
    """What identifies an element in another capture of its page."""

    xpath: str
    """Path from the root, such as ``/html[1]/body[1]/p[2]``."""
    css: str
    """Shortest selector of tag, class or id, and those of the parent, that matches no other
    element; empty if there is none."""
    text: str
    """The first 500 characters of its text, with white space collapsed."""


def anchor_of(snapshot: Snapshot, node: int) -> Anchor:
    """The anchor of an element.

    >>> page = Snapshot.from_html("<main><p class=lead>Bread rises.</p><p>Dough.</p></main>")
    >>> anchor_of(page, int(page.with_tag("p").nonzero()[0][0]))
    Anchor(xpath='/html[1]/body[1]/main[1]/p[1]', css='p.lead', text='Bread rises.')
    """
    selectors = Selectors(snapshot)
    unique = (name for name in selectors.of(node) if len(selectors.nodes(name)) == 1)
    text = collapse(" ".join(filter(None, snapshot.text[node : snapshot.end[node]])))
    return Anchor(_xpath(snapshot, node), min(unique, key=len, default=""), text[:MAX_TEXT])


def find(snapshot: Snapshot, anchor: Anchor) -> int | None:
    """The element that an anchor of another capture identifies; None if the page has none.

    An element with the same text is preferred, then that of the selector, then that of the path, if
    their texts are similar. Of several with the same text, it is the one at the most similar place.

    >>> page = Snapshot.from_html("<p>Advertisement</p><main><p>Bread rises.</p></main>")
    >>> find(page, Anchor("/html[1]/body[1]/p[1]", "", "Bread rises.")) == len(page) - 2
    True
    """
    steps = anchor.xpath.split("/")
    tag = steps[-1].partition("[")[0]
    chosen = set(Selectors(snapshot).nodes(anchor.css).tolist()) if anchor.css else set[int]()
    alike = _with_text(snapshot, anchor.text, tag)
    if alike:
        paths = {node: _xpath(snapshot, node).split("/") for node in alike}
        return max(
            alike,
            key=lambda node: (
                paths[node][-1].startswith(f"{tag}["),
                node in chosen,
                sum(map(str.__eq__, paths[node], steps)),
            ),
        )
    nodes = [*chosen][:1] if len(chosen) == 1 else []
    at_path = _at_path(snapshot, steps[1:])
    for node in [*nodes, *([] if at_path is None else [at_path])]:
        text = anchor_of(snapshot, node).text
        if Levenshtein.normalized_similarity(text, anchor.text) >= ALIKE:
            return node
    return None


def _with_text(snapshot: Snapshot, text: str, tag: str) -> list[int]:
    """Elements whose text is the given one, or begins with it if that is cut off."""
    wanted = "".join(text.split())
    if not wanted:
        return []
    bare = ["".join((each or "").split()) for each in snapshot.text]
    starts = np.append(0, np.cumsum(list(map(len, bare))))
    whole, found, place = "".join(bare), list[int](), -1
    for _ in range(MAX_PLACES):
        place = whole.find(wanted, place + 1)
        if place < 0:
            break
        low, high = (
            np.searchsorted(starts[:-1], place),
            np.searchsorted(starts[:-1], place, "right"),
        )
        nodes = np.arange(low, high)[~snapshot.is_text[low:high]]
        stops = starts[snapshot.end[nodes]]
        whole_text = stops == place + len(wanted)
        if len(text) >= MAX_TEXT:
            is_tag = np.array([snapshot.tag_name(node) == tag for node in nodes.tolist()], bool)
            whole_text = is_tag & (stops >= place + len(wanted))
        found += nodes[whole_text].tolist()[-MAX_SAME:]
    return found[:MAX_SAME]


def _xpath(snapshot: Snapshot, node: int) -> str:
    steps: list[str] = []
    while node >= 0:
        same = snapshot.parent[: node + 1] == snapshot.parent[node]
        turn = int((same & (snapshot.tag[: node + 1] == snapshot.tag[node])).sum())
        steps.append(f"{snapshot.tag_name(node)}[{turn}]")
        node = int(snapshot.parent[node])
        if len(steps) == MAX_STEPS:
            break
    return "/".join(["", *reversed(steps)])


def _at_path(snapshot: Snapshot, steps: Sequence[str]) -> int | None:
    """The element at a path."""
    node = -1
    for step in steps:
        tag, _, turn = step.rstrip("]").partition("[")
        children = (snapshot.parent == node).nonzero()[0].tolist()
        same = [child for child in children if snapshot.tag_name(child) == tag]
        if not (turn.isdecimal() and 0 < int(turn[:9]) <= len(same)):
            return None
        node = same[int(turn[:9]) - 1]
    return node if node >= 0 else None
