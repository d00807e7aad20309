"""Hashes of subtrees, which are equal where a reader sees the same content.

Every node gets a 64-bit hash of its subtree. Hashes are computed over arrays, level by level from
the leaves up, in time linear in the number of nodes and without recursion. Equal subtrees have
equal hashes in every process and on every machine. The probability that any two of a million
different subtrees collide is below one in ten million.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import count_equals, levels, subtree_sums
from .links import absolute_url, link_mask
from .readable import readable_texts
from .words import collapse

Hashing = Literal["structure", "html", "text"]
HASHINGS: tuple[Hashing, ...] = get_args(Hashing)
"""Kinds of input of the hash; see `subtree_hashes`."""

PICTURES = ("img", "svg", "picture", "video", "audio", "canvas", "object", "embed", "iframe")

# Odd constants of splitmix64, which spread every bit of a number over all bits.
STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)

# Any odd number has an inverse modulo 2**64.
BASE = 0x5851F42D4C957F2D

UInt64Array = NDArray[np.uint64]


def subtree_hashes(snapshot: Snapshot, hashing: Hashing = "structure") -> UInt64Array:
    """64-bit hash of the subtree of every node.

    `hashing`: ``"structure"``: tags, texts with white space collapsed, the absolute address of
    every ``href`` and ``src``, and the order of children; other attributes are ignored. ``"html"``:
    tags, all attributes and unmodified texts. ``"text"``: the sequence of the subtree's texts,
    whatever elements contain them.

    The template-detection report writes ``h(i)`` for "the node" and leaves the function open.

    Returns uint64, shape (n,).
    """
    if hashing == "text":
        return _sequences(snapshot)
    tokens = _structure_tokens(snapshot) if hashing == "structure" else _html_tokens(snapshot)
    once = cache(text_hash)
    return _combine(snapshot, np.fromiter(map(once, tokens), np.uint64, len(snapshot)))


def has_content(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): subtrees with readable text, a link or a picture.

    All other subtrees are alike; if they were compared, every line break would be a template.
    """
    written = np.fromiter((bool(text.strip()) for text in snapshot.text), bool, len(snapshot))
    shown = link_mask(snapshot) | snapshot.with_tag(*PICTURES)
    return subtree_sums(shown | (written & readable_texts(snapshot)), snapshot.end) > 0


def _structure_tokens(snapshot: Snapshot) -> Iterator[str]:
    leads: dict[int, list[str]] = {}
    for name in ("href", "src"):
        for node, reference in snapshot.attributes.with_attribute(name):
            # The same menu has different relative addresses at each level of a site, but a place on
            # the page has the same one, whatever the page's address.
            whole = None if reference[:1] == "#" else absolute_url(snapshot, node, reference)
            leads.setdefault(node, []).append(f"\0{name}={whole or reference}")
    for node, (tag, text) in enumerate(zip(snapshot.tag.tolist(), snapshot.text, strict=True)):
        token = snapshot.tags[tag] if tag else f"#{collapse(text)}"
        yield token + "".join(leads[node]) if node in leads else token


def _html_tokens(snapshot: Snapshot) -> Iterator[str]:
    for node, (tag, text) in enumerate(zip(snapshot.tag.tolist(), snapshot.text, strict=True)):
        if tag:
            rows = snapshot.attributes.of(node).items()
            yield "\0".join([snapshot.tags[tag], *(f"{name}={value}" for name, value in rows)])
        else:
            yield f"#{text}"


def text_hash(text: str) -> int:
    """64-bit hash of a string, the same in every process and on every machine."""
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def _combine(snapshot: Snapshot, tokens: UInt64Array) -> UInt64Array:
    """Hashes of each node's token and its children's hashes, each mixed with the child's place."""
    total = tokens.copy()
    parent = snapshot.parent
    place = count_equals(parent + 1)[1].astype(np.uint64)
    with np.errstate(over="ignore"):
        for level in levels(snapshot.depth):
            total[level] = _mix(total[level])
            below = level[parent[level] >= 0]
            np.add.at(total, parent[below], _mix(total[below] ^ (place[below] * STEP)))
    return total


def _mix(values: UInt64Array) -> UInt64Array:
    values = (values ^ (values >> np.uint64(30))) * FIRST
    values = (values ^ (values >> np.uint64(27))) * SECOND
    return values ^ (values >> np.uint64(31))


def _sequences(snapshot: Snapshot) -> UInt64Array:
    """Polynomial hashes of the texts of every subtree, from prefix sums over the page."""
    (nodes,) = np.nonzero(snapshot.is_text)
    texts = [collapse(snapshot.text[node]) for node in nodes.tolist()]
    filled = [i for i, text in enumerate(texts) if text]
    nodes, tokens = nodes[filled], [text_hash(texts[i]) for i in filled]
    start = np.searchsorted(nodes, np.arange(len(snapshot)))
    stop = np.searchsorted(nodes, snapshot.end)
    powers, inverses = (
        np.cumprod(np.array([1, *[base] * len(tokens)], np.uint64))
        for base in (BASE, pow(BASE, -1, 1 << 64))
    )
    with np.errstate(over="ignore"):
        terms = np.array(tokens, np.uint64) * powers[:-1]
        sums = np.cumsum(np.append(np.uint64(0), terms))
        keys = (sums[stop] - sums[start]) * inverses[start]
        return _mix(keys + (stop - start).astype(np.uint64) * STEP)
