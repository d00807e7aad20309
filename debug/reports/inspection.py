"""`inspection`: a page and its extraction as plain values, for the report and the web page."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from ...features.anchors import match_keys
from ...features.counts import Counts, count_nodes
from ...features.links import link_mask
from ...models.article.explanation import Contribution
from ...models.article.roles import role_set
from ...output.extraction import Extraction
from ...output.formats import FORMATS
from ...output.write_options import WriteOptions
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import innermost, nearest_marked
from ..block_nodes import of_snapshot, text_nodes
from ..comparison.text_versions import shorten
from ..pictures.canvas import screenshot_if_any
from ..pictures.clipping import node_boxes
from ..pictures.picture import Outline, outlines
from .report_parts import number, numbers, page_facts, page_fields, picture_size, stage_size

MAX_BLOCKS = 5000
"""Maximum number of blocks listed for a page: those of the article, then the first others."""

MAX_MARKS = 200
MAX_NODES = 50_000
MAX_HEAT = 20_000

PHOTOGRAPHS = ("img", "video", "canvas", "svg", "object", "embed")
LEAST_PHOTOGRAPH = 32.0  # px

# Maximum characters of all blocks' texts together, of each output, and of a page's other texts.
MAX_TEXT = 4_000_000
MAX_OUTPUT = 1_000_000
MAX_FIELD = 2000
MAX_REASON = 500
MAX_IDENTITY = 80

FORMS = ("text", "markdown", "html", "json")

# Elements that the article view shows as what they are, also within a list item or a quotation.
SHAPED = frozenset("h1 h2 h3 h4 h5 h6 pre td th dt dd tr".split())

# Initial position of the slider. The reader model decides page by page, by expected F1, so no
# single threshold reproduces its decisions.
SLIDER_START = 0.5

# Distance from 0 and 1 at which scores are clipped so that their log-odds are finite, as in
# `explain`.
LEAST_PROBABILITY = 1e-6

Item = dict[str, Any]


def inspection(
    snapshot: Snapshot, extraction: Extraction, text: Collection[str] | None = None
) -> dict[str, Any]:
    """All data needed to show a page and its extraction, as values for JSON of bounded size.

    ``items`` are the blocks in document order and then the marked nodes. A block is identified by
    ``first``, its first text node, and in another rendering of the page by its ``keys``. Its
    ``kind`` is its role. ``base``, the log-odds before any evidence, and the rows of ``moved``
    (kind of evidence, value, and the log-odds that it adds) add up to ``log_odds``, those of the
    score. ``text_roles`` count as the text when a role is corrected; by default they are those of
    the default preset. ``blocks`` is the number of blocks of the page, which may exceed
    `MAX_BLOCKS`. ``nodes`` are the items' elements with their ancestors, and index ``reasons``.
    """
    counts = count_nodes(snapshot)
    extraction = of_snapshot(extraction)
    nodes = text_nodes(snapshot, extraction)
    drawn = outlines(snapshot, extraction, screenshot_if_any(snapshot), nodes)
    blocks = len(extraction.blocks)
    items = _blocks(snapshot, extraction, counts, nodes, drawn[:blocks])
    items += _marks(snapshot, extraction, counts, drawn[blocks:])
    outputs = {name: FORMATS[name](extraction, WriteOptions()) for name in FORMS}
    page = snapshot.page
    return {
        "title": shorten(page.title, MAX_FIELD),
        "url": shorten(page.url, MAX_FIELD),
        "content": page.content_hash,
        "method": extraction.method,
        "language": extraction.language or page.language,
        "threshold": SLIDER_START,
        "text_roles": sorted(role_set() if text is None else text),
        "stage": stage_size(snapshot),
        "picture": picture_size(snapshot),
        "items": items,
        "blocks": blocks,
        **_nodes(snapshot, extraction, counts, [item["node"] for item in items]),
        "heat": _heat(snapshot, extraction),
        "photographs": _photographs(snapshot),
        "outputs": {name: text[:MAX_OUTPUT] for name, text in outputs.items()},
        "cut_outputs": [name for name, text in outputs.items() if len(text) > MAX_OUTPUT],
        "warnings": [
            [warning.code, shorten(warning.message, MAX_FIELD)] for warning in extraction.warnings
        ],
        "facts": _short(page_facts(snapshot)),
        "fields": _short(page_fields(extraction)),
    }


def _short(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    return [[shorten(value, MAX_FIELD) for value in row] for row in rows]


def _blocks(
    snapshot: Snapshot,
    extraction: Extraction,
    counts: Counts,
    nodes: Sequence[list[int]],
    drawn: Sequence[Outline],
) -> list[Item]:
    every = extraction.blocks
    # Blocks of the article first.
    first = sorted(range(len(every)), key=lambda n: not every[n].kept and every[n].role != "title")
    chosen = sorted(first[:MAX_BLOCKS])
    links = innermost(snapshot.parent, link_mask(snapshot)).tolist()
    blocks = [(extraction.blocks[place], nodes[place], drawn[place].box) for place in chosen]
    before = [0, *accumulate(len(block.text) for block, *_ in blocks)]
    keys = match_keys([block.anchor for block, *_ in blocks])
    shapes = _shapes(snapshot, [(block.tag, of[0]) for block, of, _ in blocks])
    scores = extraction.scores  # empty if the extraction was read from JSON
    return [
        {
            "kind": block.role,
            "kept": block.kept,
            "first": of[0],
            "node": block.node,
            "tag": block.tag,
            "shape": shape,
            "text": block.text[: max(0, MAX_TEXT - written)],
            "box": numbers(box, 1),
            **_figures(of, counts, len({links[node] for node in of} - {-1})),
            "score": number(block.score, 4),
            "reason": shorten(block.reason, MAX_REASON),
            **_account(block.contributions, float(scores[of[0]]) if len(scores) else block.score),
            "keys": own_keys,
        }
        for (block, of, box), written, own_keys, shape in zip(
            blocks, before[:-1], keys, shapes, strict=True
        )
    ]


def _shapes(snapshot: Snapshot, blocks: Iterable[tuple[str, int]]) -> Iterator[str]:
    """The element as which the article view shows each block, from its tag and first text node.

    The first block of a list item is the item, and the others are its further paragraphs.
    """
    holders = nearest_marked(snapshot.parent, snapshot.with_tag("li", "blockquote"))
    begun: set[int] = set()
    for tag, first in blocks:
        holder = int(holders[first])
        if tag in SHAPED or holder < 0:
            yield tag
        else:
            name = snapshot.tag_name(holder)
            yield "p" if name == "li" and holder in begun else name
        begun.add(holder)


def _account(contributions: Sequence[Contribution], score: float) -> Item:
    """Log-odds before any evidence, added by each kind of evidence, and of the score."""
    if not contributions:
        return {"base": None, "moved": [], "log_odds": None}
    sure = min(max(score, LEAST_PROBABILITY), 1 - LEAST_PROBABILITY)
    log_odds = math.log(sure / (1 - sure))
    base = log_odds - sum(each.log_odds for each in contributions)
    moved = [[each.feature, number(each.value, 4), each.log_odds] for each in contributions]
    return {"base": round(base, 4), "moved": moved, "log_odds": round(log_odds, 4)}


def _marks(
    snapshot: Snapshot, extraction: Extraction, counts: Counts, drawn: Sequence[Outline]
) -> list[Item]:
    scores = extraction.scores
    return [
        {
            "kind": outline.kind,
            "kept": False,
            "name": outline.label,
            "clear": outline.is_clear,
            "node": outline.node,
            "tag": snapshot.tag_name(outline.node),
            "box": numbers(outline.box, 1),
            **_figures(outline.node, counts, int(counts.links[outline.node])),
            "score": number(scores[outline.node], 4) if len(scores) else None,
            "reason": extraction.why(outline.node) if len(extraction.reason) else "",
            **_account((), 0.0),
        }
        for outline in drawn[:MAX_MARKS]
    ]


def _heat(snapshot: Snapshot, extraction: Extraction) -> list[list[float]] | None:
    """x, y, width, height, score before and after smoothing; None if there is no detector."""
    scores = extraction.template
    if scores is None or not snapshot.page.has_geometry:
        return None
    boxes = node_boxes(snapshot, scores.tree.nodes.tolist()[:MAX_HEAT])
    return [
        [*numbers(box, 1), *numbers((raw, smoothed), 3)]
        for box, raw, smoothed in zip(boxes, scores.raw, scores.smoothed, strict=False)
    ]


def _photographs(snapshot: Snapshot) -> list[list[float]]:
    """Boxes of pictures and videos, except icons."""
    shown = snapshot.with_tag(*PHOTOGRAPHS) & snapshot.visible
    shown &= (snapshot.box[:, 2:] >= LEAST_PHOTOGRAPH).all(axis=1)
    nodes = np.flatnonzero(shown)[:MAX_HEAT].tolist()
    return [numbers(box, 1) for box in node_boxes(snapshot, nodes)]


def _figures(of: int | list[int], counts: Counts, links: int) -> Item:
    """Figures of an element, or of the text nodes of a block, since one may hold many blocks."""
    chars = int(counts.text.chars[of].sum())
    return {
        "chars": chars,
        "words": int(counts.text.words[of].sum()),
        "links": links,
        "density": round(int(counts.text.link_chars[of].sum()) / max(1, chars), 4),
    }


def _nodes(
    snapshot: Snapshot, extraction: Extraction, counts: Counts, nodes: Iterable[int]
) -> dict[str, Any]:
    """These nodes and all their ancestors, each once: pages may be very deep."""
    parents, scores = snapshot.parent.tolist(), extraction.scores
    table: dict[int, Item] = {}
    sentences: dict[str, int] = {}
    by_code: dict[int, int] = {}

    def reason(node: int) -> int:
        code = int(extraction.reason[node]) if len(extraction.reason) else -1
        if code not in by_code:
            why = shorten(extraction.why(node), MAX_REASON) if code >= 0 else ""
            by_code[code] = sentences.setdefault(why, len(sentences))
        return by_code[code]

    for node in nodes:
        while node >= 0 and node not in table and len(table) < MAX_NODES:
            table[node] = {
                "parent": parents[node],
                "tag": snapshot.tag_name(node),
                "identity": _identity(snapshot, node),
                **_figures(node, counts, int(counts.links[node])),
                "score": number(scores[node], 4) if len(scores) else None,
                "reason": reason(node),
            }
            node = parents[node]
    for item, box in zip(table.values(), node_boxes(snapshot, list(table)), strict=True):
        item["box"] = numbers(box, 1)
    return {"nodes": table, "reasons": list(sentences)}


def _identity(snapshot: Snapshot, node: int) -> str:
    """Id and classes, written as in a selector."""
    identity = (snapshot.attributes.get(node, "id") or "").strip()
    classes = (snapshot.attributes.get(node, "class") or "").split()
    text = (f"#{identity}" if identity else "") + "".join(f".{name}" for name in classes)
    return shorten(text, MAX_IDENTITY)
