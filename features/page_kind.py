"""Features that indicate the kind of a page: article, list, product, thread or manual.

They form one vector of numbers per page: the shape of its address, what it declares itself to be,
the distribution of its text over paragraphs, links and headings, its repeated parts, and traces of
shops, forums and manuals. Geometry is not used, so that a page has the same values whether it was
rendered or parsed. Missing values are NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.elements import HEADINGS
from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import subtree_mask, subtree_sums
from .blocks import TextBlocks, text_blocks
from .links import link_mask
from .page_address import ADDRESS_FEATURES, address_features
from .page_traces import TRACE_FEATURES, trace_features
from .words import WIDE

__all__ = ["PAGE_KIND_FEATURES", "page_kind_features"]

LONG = 160
"""Minimum width of a long paragraph; see `miolo.features.words`."""

SHORT = 40
MIN_GROUP = 4
ENDED = tuple(".!?:;…。！？”\"'»）)")

TAGS = (
    "p", "h1", "h2", "h3", "li", "article", "main", "time", "img", "pre", "code", "table",
    "blockquote", "form", "input", "button", "select", "video", "iframe", "figure", "section",
)  # fmt: skip
"""Tags whose elements are counted."""

TEXT_FEATURES = (
    "text", "blocks", "block length", "long paragraphs", "long share", "longest run",
    "run share", "run places", "link density", "short share", "sentence share", "wide share",
    "fullest parent", "parents",
)  # fmt: skip
PART_FEATURES = tuple(
    f"{part} text" for part in ("heading", "list", "table", "code", "quote", "article", "main")
)
REPEAT_FEATURES = (
    "repeated groups", "largest group", "linked group", "pictured group", "group text",
    "group item length", "text before run", "page numbers", "next link",
)  # fmt: skip

PAGE_KIND_FEATURES = (
    *ADDRESS_FEATURES,
    *TRACE_FEATURES,
    *TEXT_FEATURES,
    *PART_FEATURES,
    *(f"<{tag}>" for tag in TAGS),
    *REPEAT_FEATURES,
)
"""Columns of `page_kind_features`."""


@dataclass(frozen=True, eq=False)
class _Texts:
    """Blocks of a page: their elements, widths, linked shares and texts."""

    owner: NDArray[np.int32]
    width: NDArray[np.float64]
    linked: NDArray[np.float64]
    text: list[str]


def page_kind_features(snapshot: Snapshot, blocks: TextBlocks | None = None) -> NDArray[np.float32]:
    """Features of a page that indicate its kind.

    Returns
    -------
    float32, shape (f,), in the order of `PAGE_KIND_FEATURES`; NaN for unknown values.

    Notes
    -----
    Time is linear in nodes and text, except for sorting siblings. The features are our own.
    """
    blocks = text_blocks(snapshot) if blocks is None else blocks
    links = link_mask(snapshot)
    texts = _texts(blocks, subtree_mask(links, snapshot.end))
    long = (texts.width >= LONG) & (texts.linked < 0.4)
    run = _longest_run(texts.width, long)
    counts = np.bincount(snapshot.tag, minlength=len(snapshot.tags))
    by_tag = dict(zip(snapshot.tags, counts.tolist(), strict=True))
    return np.concatenate(
        [
            address_features(snapshot.page.url),
            trace_features(snapshot, texts.text),
            _text_features(snapshot, texts, long, run),
            _part_features(snapshot, texts),
            np.log1p([by_tag.get(tag, 0) for tag in TAGS]),
            _repeat_features(snapshot, texts, links, run),
        ]
    ).astype(np.float32)


def _texts(blocks: TextBlocks, linked: NDArray[np.bool_]) -> _Texts:
    width = np.array(list(map(_width, blocks.texts)), float)
    nodes = blocks.nodes
    chars = np.array([len(blocks.snapshot.text[node]) for node in nodes.tolist()], np.int64)
    linked_chars = np.bincount(blocks.of[nodes], linked[nodes] * chars, len(blocks))
    lengths = np.array(list(map(len, blocks.texts)), float)
    shares = np.minimum(linked_chars / np.maximum(lengths, 1), 1.0)
    return _Texts(blocks.owner, width, shares, blocks.texts)


def _width(text: str) -> int:
    return len(text) if text.isascii() else len(text) + len(WIDE.findall(text))


def _text_features(
    snapshot: Snapshot, texts: _Texts, long: NDArray[np.bool_], run: tuple[int, int]
) -> list[float]:
    width, total = texts.width, max(float(texts.width.sum()), 1.0)
    first, last = run
    run_width = float(width[first:last][long[first:last]].sum())
    parent = snapshot.parent[texts.owner[long]]
    by_parent = np.bincount(np.maximum(parent, 0), width[long])
    ended = np.fromiter((t.endswith(ENDED) for t in texts.text), bool, len(width))
    chars = sum(map(len, texts.text))
    return [
        math.log1p(total),
        math.log1p(len(width)),
        math.log1p(total / max(len(width), 1)),
        math.log1p(long.sum()),
        float(width[long].sum()) / total,
        math.log1p(run_width),
        run_width / total,
        math.log1p(last - first),
        float((width * texts.linked).sum()) / total,
        float(width[width <= SHORT].sum()) / total,
        float(width[ended].sum()) / total,
        total / max(chars, 1) - 1,
        float(by_parent.max()) / float(width[long].sum()) if long.any() else math.nan,
        math.log1p(np.count_nonzero(by_parent)),
    ]


def _longest_run(width: NDArray[np.float64], long: NDArray[np.bool_]) -> tuple[int, int]:
    """First and last block (exclusive) of the run of long paragraphs with the most text.

    Up to three short blocks, such as a heading, a caption and a date, do not break a run.
    """
    places = long.nonzero()[0]
    if not len(places):
        return 0, 0
    starts = (np.diff(places, prepend=-9) > 4).nonzero()[0]
    run_widths = np.add.reduceat(width[places], starts)
    best = int(run_widths.argmax())
    stop = starts[best + 1] if best + 1 < len(starts) else len(places)
    return int(places[starts[best]]), int(places[stop - 1]) + 1


def _part_features(snapshot: Snapshot, texts: _Texts) -> list[float]:
    """Share of the text inside headings, lists and so on."""
    total = max(float(texts.width.sum()), 1.0)
    parts = (
        HEADINGS, ("li", "dd", "dt"), ("table",), ("pre", "code"),
        ("blockquote", "q"), ("article",), ("main",),
    )  # fmt: skip
    inside = (_inside(snapshot, texts.owner, names) for names in parts)
    return [float(texts.width[mask].sum()) / total for mask in inside]


def _inside(
    snapshot: Snapshot, nodes: NDArray[np.int32], tags: tuple[str, ...]
) -> NDArray[np.bool_]:
    """Whether each node is inside an element of one of the tags: more began than ended."""
    roots = snapshot.with_tag(*tags).nonzero()[0]
    if not len(roots):
        return np.zeros(len(nodes), bool)
    begun = np.searchsorted(roots, nodes, side="right")
    return begun > np.searchsorted(np.sort(snapshot.end[roots]), nodes, side="right")


def _repeat_features(
    snapshot: Snapshot, texts: _Texts, links: NDArray[np.bool_], run: tuple[int, int]
) -> list[float]:
    """Features of repeated siblings: of one tag and class, each with a text and a link in it."""
    first, last = run
    width = np.bincount(texts.owner, texts.width, len(snapshot))
    widths = subtree_sums(width, snapshot.end)
    linked = subtree_sums(links.astype(np.int64), snapshot.end) > 0
    has_picture = (
        subtree_sums(snapshot.with_tag("img", "picture").astype(np.int64), snapshot.end) > 0
    )
    nodes = ((widths > 0) & linked & ~links & (snapshot.parent >= 0)).nonzero()[0]
    key = snapshot.parent[nodes].astype(np.int64) * (1 << 32)
    key += snapshot.tag[nodes].astype(np.int64) * (1 << 20)
    key += (snapshot.attributes.column("class")[nodes] + 1) % (1 << 20)
    _, group, size = np.unique(key, return_inverse=True, return_counts=True)
    text = np.bincount(group, widths[nodes], len(size))
    shown = np.bincount(group, has_picture[nodes], len(size))
    large = size >= MIN_GROUP
    total = max(float(texts.width.sum()), 1.0)
    fullest = int(np.where(large, text, -1).argmax()) if large.any() else -1
    return [
        math.log1p(large.sum()),
        math.log1p(size[large].max(initial=0)),
        math.log1p(size[fullest]) if fullest >= 0 else 0.0,
        math.log1p(shown[large].max(initial=0)),
        float(text[fullest]) / total if fullest >= 0 else 0.0,
        math.log1p(text[fullest] / size[fullest]) if fullest >= 0 else math.nan,
        float(texts.width[:first].sum()) / total if last > first else math.nan,
        math.log1p(sum([text.isdecimal() for text in texts.text if len(text) <= 3])),
        float(_has_next(snapshot)),
    ]


def _has_next(snapshot: Snapshot) -> bool:
    _, values = snapshot.attributes.nodes_with("rel")
    relations = (snapshot.attributes.strings[value] for value in set(values.tolist()))
    return any("next" in value.lower().split() for value in relations)
