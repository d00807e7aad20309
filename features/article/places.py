"""Features of a block's look, position and neighbours, and of its page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...patterns import lazy_re
from ...renderer.page.snapshot import POSITIONS, Snapshot
from ..blocks import TextBlocks
from .columns import Columns
from .groups import Weights, meeting_depth

NEIGHBOURS = 2
FAR = 60
LONGEST_BODY = 1 << 20
WORD_COUNT = lazy_re(r'"wordCount"\s*:\s*"?(\d{1,6})')

LOOKS = (
    "x", "y", "width", "height", "from_left", "wider", "size", "larger", "weight", "lightness",
    "fixed", "lines",
)  # fmt: skip
"""Features of a block's look."""

SHOWN = (
    "text.words", "text.linked", "tag.heading", "tag.item", "hint.related", "hint.body",
    "hint.caption", "alike.words", "alike.prose", "beside.prose", "tree.depth",
)  # fmt: skip
"""Features that are repeated for each of a block's neighbours."""


def put_look(columns: Columns, page: TextBlocks, weights: Weights) -> None:
    """Add box, font and colours, in part relative to the page's prose; NaN without geometry."""
    snapshot, first = page.snapshot, page.first
    if not snapshot.page.has_geometry:
        columns.put("look", **dict.fromkeys(LOOKS, np.nan))
        return
    box = page.box.astype(np.float64)
    width, height = (max(1, size) for size in snapshot.page.page_size)
    prose = np.maximum(weights.prose, 1e-9)
    size, weight = snapshot.font_size[first], snapshot.font_weight[first]
    usual = (
        _weighted_median(box[:, 0], prose),
        _weighted_median(box[:, 2], prose),
        _weighted_median(size, prose),
    )
    colors = snapshot.color[first]
    position = snapshot.position[page.owner]
    looks = (
        box[:, 0] / width,
        box[:, 1] / height,
        box[:, 2] / width,
        np.log1p(box[:, 3]),
        (box[:, 0] - usual[0]) / width,
        np.log((box[:, 2] + 1) / (usual[1] + 1)),
        size,
        np.log(np.maximum(size, 1) / max(usual[2], 1)),
        weight,
        _lightness(colors) - _weighted_median(_lightness(colors), prose),
        np.isin(position, [POSITIONS.index("fixed"), POSITIONS.index("sticky")]),
        box[:, 3] / np.maximum(size, 1),
    )
    known = [np.where(page.hidden, np.nan, look) for look in looks]
    columns.put("look", **dict(zip(LOOKS, known, strict=True)))


def _weighted_median(values: NDArray, weights: NDArray[np.float64]) -> float:
    """Weighted median; 0 without values."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, total[-1] / 2)]) if len(order) else 0.0


def _lightness(colors: NDArray[np.uint32]) -> NDArray[np.float64]:
    red, green, blue = (colors >> 24) & 255, (colors >> 16) & 255, (colors >> 8) & 255
    return (0.3 * red + 0.59 * green + 0.11 * blue) / 255


def put_place(columns: Columns, page: TextBlocks, weights: Weights, headline: int) -> None:
    """Add the position on the page and the distance from the headline."""
    order = np.arange(len(page))
    total = max(weights.words.sum(), 1)
    before = np.cumsum(weights.words) - weights.words
    prose_before = np.cumsum(weights.prose) - weights.prose
    prose = max(weights.prose.sum(), 1)
    columns.put(
        "place",
        at=order / max(1, len(page)),
        words_before=before / total,
        prose_before=prose_before / prose,
        prose_after=1 - (prose_before + weights.prose) / prose,
    )
    if headline < 0:
        columns.put("headline", blocks=np.nan, words=np.nan, prose=np.nan, shared=np.nan)
        return
    element = int(page.owner[headline])
    columns.put(
        "headline",
        blocks=np.clip(order - headline, -FAR, FAR),
        words=np.sign(order - headline) * np.log1p(np.abs(before - before[headline])),
        prose=(prose_before - prose_before[headline]) / prose,
        shared=page.snapshot.depth[element] - meeting_depth(page, element),
    )


def put_articles(columns: Columns, page: TextBlocks, weights: Weights, headline: int) -> None:
    """Add which of the page's articles a block is in, by the headlines and elements before it."""
    snapshot, order = page.snapshot, np.arange(len(page))
    top = (columns["tag.in_heading"] == 1) & (columns["text.words"] > np.log1p(2)) & ~page.hidden
    tops = np.cumsum(top)
    outer = page.article
    articles = sorted(set(outer.tolist()))
    prose = max(weights.prose.sum(), 1)
    start = headline if headline >= 0 else int(np.argmax(weights.prose)) if len(page) else 0
    main = int(np.argmax(np.bincount(outer + 1, weights.prose))) - 1 if len(page) else -1
    columns.put(
        "articles",
        tops=tops,
        tops_since=tops - tops[start] if len(page) else 0,
        elements=len(articles) - (articles[:1] == [-1]),
        inside=outer >= 0,
        same=(outer == outer[start]) if len(page) else 0,
        main=outer == main,
        prose=np.where(outer >= 0, weights.of("prose", outer) / prose, np.nan),
        before=np.searchsorted(articles, outer),
    )
    heading = (columns["tag.in_heading"] < 7) | (columns["tag.heading"] < 7)
    last = np.maximum.accumulate(np.where(heading, order, -1))
    has_heading = last >= 0
    columns.put(
        "under",
        level=np.where(has_heading, columns["tag.in_heading"][last], np.nan),
        blocks=np.where(has_heading, np.minimum(order - last, FAR), np.nan),
        words=np.where(has_heading, columns["text.words"][last], np.nan),
        related=np.where(
            has_heading, columns["hint.related"][last] + columns["phrase.more"][last], 0
        ),
        comment=np.where(
            has_heading, columns["hint.comment"][last] + columns["phrase.comment"][last], 0
        ),
        linked=np.where(has_heading, columns["text.linked"][last], np.nan),
    )
    written = _word_count(snapshot)
    columns.put("declared", word_count=np.log(written / prose) if written else np.nan)


def _word_count(snapshot: Snapshot) -> int:
    """Number of words of the article as declared in JSON-LD, 0 for none."""
    for source in snapshot.page.json_ld:
        match = WORD_COUNT.search(source[:LONGEST_BODY])
        if match:
            return int(match[1])
    return 0


def put_runs(columns: Columns, page: TextBlocks, weights: Weights) -> None:
    """Add the nearest prose before and after a block, and its distance."""
    order = np.arange(len(page))
    prose = weights.prose > 0
    before = np.maximum.accumulate(np.where(prose, order, -1))
    before = np.concatenate([[-1], before[:-1]]) if len(page) else before
    after = np.minimum.accumulate(np.where(prose, order, len(page))[::-1])[::-1]
    after = np.concatenate([after[1:], [len(page)]]) if len(page) else after
    for name, at in (("prose_before", before), ("prose_after", after)):
        has_prose = (at >= 0) & (at < len(page))
        other = np.clip(at, 0, max(len(page) - 1, 0))
        columns.put(
            name,
            far=np.where(has_prose, np.minimum(np.abs(at - order), FAR), FAR),
            words=np.where(has_prose, np.log1p(weights.prose[other]), np.nan),
            depth=np.where(
                has_prose,
                page.snapshot.depth[page.owner[other]] - page.snapshot.depth[page.owner],
                0,
            ),
            alike=np.where(has_prose, columns["alike.prose"][other], np.nan),
        )


def put_page(columns: Columns, page: TextBlocks, weights: Weights) -> None:
    """Add sizes and shares of the page as a whole."""
    words = max(weights.words.sum(), 1)
    columns.put(
        "page",
        blocks=np.log1p(len(page)),
        words=np.log1p(words),
        prose=weights.prose.sum() / words,
        linked=(weights.words * weights.linked).sum() / words,
        paragraphs=(weights.prose > 0).sum(),
        geometry=page.snapshot.page.has_geometry,
        hidden=page.hidden.mean() if len(page) else 0,
    )


def put_neighbours(columns: Columns, weights: Weights) -> None:
    """Add features of the blocks before and after, and shares of prose and links around a block."""
    shown = np.array([columns[name] for name in SHOWN])
    labels = [name.replace(".", "_") for name in SHOWN]
    for step in (*range(-NEIGHBOURS, 0), *range(1, NEIGHBOURS + 1)):
        side = f"prev{-step}" if step < 0 else f"next{step}"
        columns.put(side, **dict(zip(labels, _shift(shown, step), strict=True)))
    for reach in (4, 10):
        columns.put(
            "around",
            **{
                f"prose{reach}": _window(weights.prose, reach) / max(weights.prose.sum(), 1),
                f"linked{reach}": _window(weights.words * weights.linked, reach)
                / np.maximum(_window(weights.words, reach), 1),
            },
        )


def _shift(values: NDArray, step: int) -> NDArray[np.float32]:
    """Values shifted along the last axis, NaN where no value moves in."""
    moved = np.full(values.shape, np.nan, np.float32)
    if abs(step) >= values.shape[-1]:
        return moved
    if step > 0:
        moved[..., :-step] = values[..., step:]
    else:
        moved[..., -step:] = values[..., :step]
    return moved


def _window(values: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    sums = np.concatenate([[0.0], np.cumsum(values)])
    place = np.arange(len(values))
    return sums[np.minimum(place + reach + 1, len(values))] - sums[np.maximum(place - reach, 0)]
