"""A report on one page, in one HTML file: its picture with boxes, and the why of each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...features.blocks import TextBlock, text_blocks
from ...features.counts import Counts, count_nodes
from ...features.links import link_mask
from ...renderer.snapshot import Snapshot
from ..article import extract_snapshot
from ..extraction import Block, Extraction
from ..methods.table import DEFAULT_METHOD
from .picture import KINDS, ROLE_KINDS, outlines
from .report_page import page_facts, page_fields
from .report_parts import fill, inert_json, number, numbers, picture, picture_size, stage_size

__all__ = ["inspect_snapshot"]

TEMPLATE = Path(__file__).with_name("report.html")
MAX_IDENTITY = 80

ABOUT = {
    "kept": "the body",
    "title": "the headline",
    "separator": "nodes that the method marked",
    "comments": "the comment area",
    "overlays": "layers over the page",
    "other": "everything left out",
}


def inspect_snapshot(
    snapshot: Snapshot, extraction: Extraction | None = None, method: str = DEFAULT_METHOD
) -> str:
    """Write a report that shows what was taken out of a page, and why.

    Parameters
    ----------
    snapshot
        The page. Without a screenshot the boxes are drawn on blank paper; without geometry
        there are only the texts.
    extraction
        What was taken out of this very snapshot; by default `method` is run.
    method
        Name of a method; see `METHODS`.

    Returns
    -------
    HTML that needs no other file and no network, and in which nothing of the page is
    markup. Every block can be hovered and focused for its figures and its reason.

    Raises
    ------
    UnknownMethod
        There is no method of this name.
    ValueError
        The extraction is one of another page.
    """
    if extraction is None:
        extraction = extract_snapshot(snapshot, method)
    title = snapshot.page.title or snapshot.page.url
    data = inert_json(_data(snapshot, extraction))
    return fill(TEMPLATE, title, {"PICTURE": picture(snapshot), "DATA": data})


def _data(snapshot: Snapshot, extraction: Extraction) -> dict[str, Any]:
    counts = count_nodes(snapshot)
    items = _blocks(snapshot, extraction, counts) + _marks(snapshot, extraction, counts)
    return {
        "title": snapshot.page.title,
        "url": snapshot.page.url,
        "method": extraction.method,
        "language": extraction.language or snapshot.page.language,
        "kinds": [
            {"name": name, "about": ABOUT[name], "color": kind.hex} for name, kind in KINDS.items()
        ],
        "stage": stage_size(snapshot),
        "picture": picture_size(snapshot),
        "items": items,
        "nodes": _nodes(snapshot, extraction, counts, [item["node"] for item in items]),
        "reasons": extraction.reasons,
        "heat": _heat(snapshot, extraction),
        "warnings": [[warning.code, warning.message] for warning in extraction.warnings],
        "facts": page_facts(snapshot),
        "fields": page_fields(extraction),
    }


def _blocks(snapshot: Snapshot, extraction: Extraction, counts: Counts) -> list[dict[str, Any]]:
    found = text_blocks(snapshot)
    if [b.owner for b in found] != [b.node for b in extraction.blocks]:
        raise ValueError("the extraction is of another page: pass the one of this snapshot")
    links = _nearest_links(snapshot)
    return [
        _block(block, texts, counts, links)
        for block, texts in zip(extraction.blocks, found, strict=True)
    ]


def _block(block: Block, texts: TextBlock, counts: Counts, links: list[int]) -> dict[str, Any]:
    """Figures of the block's own texts: one element may hold many blocks."""
    nodes = list(texts.nodes)
    chars = int(counts.text.chars[nodes].sum())
    return {
        "kind": ROLE_KINDS.get(block.role, "other"),
        "node": block.node,
        "tag": block.tag,
        "text": block.text,
        "box": numbers(block.box, 1),
        "chars": chars,
        "words": int(counts.text.words[nodes].sum()),
        "links": len({links[node] for node in nodes} - {-1}),
        "density": round(int(counts.text.link_chars[nodes].sum()) / max(1, chars), 4),
        "score": number(block.score, 4),
        "reason": block.reason,
    }


def _nearest_links(snapshot: Snapshot) -> list[int]:
    """For each node the link that it is, or is in; -1 for none."""
    nearest = [-1] * len(snapshot)
    for node, (parent, is_link) in enumerate(
        zip(snapshot.parent.tolist(), link_mask(snapshot).tolist(), strict=True)
    ):
        nearest[node] = node if is_link else nearest[parent] if parent >= 0 else -1
    return nearest


def _marks(snapshot: Snapshot, extraction: Extraction, counts: Counts) -> list[dict[str, Any]]:
    return [
        {
            "kind": outline.kind,
            "name": outline.label,
            "node": outline.node,
            "tag": snapshot.tag_name(outline.node),
            "box": numbers(outline.box, 1),
            **_figures(outline.node, counts),
            "score": _score(extraction, outline.node),
            "reason": extraction.why(outline.node) if len(extraction.reason) else "",
        }
        for outline in outlines(snapshot, extraction)[len(extraction.blocks) :]
    ]


def _heat(snapshot: Snapshot, extraction: Extraction) -> list[list[float]] | None:
    """x, y, width, height, score before and after smoothing; None without a detector."""
    judged = extraction.template
    if judged is None or not snapshot.page.has_geometry:
        return None
    rows = zip(judged.tree.nodes.tolist(), judged.raw, judged.smoothed, strict=True)
    return [
        [*numbers(snapshot.box[node].tolist(), 1), *numbers((raw, smoothed), 3)]
        for node, raw, smoothed in rows
    ]


def _figures(node: int, counts: Counts) -> dict[str, Any]:
    chars = int(counts.text.chars[node])
    return {
        "chars": chars,
        "words": int(counts.text.words[node]),
        "links": int(counts.links[node]),
        "density": round(int(counts.text.link_chars[node]) / max(1, chars), 4),
    }


def _nodes(
    snapshot: Snapshot, extraction: Extraction, counts: Counts, wanted: Iterable[int]
) -> dict[int, dict[str, Any]]:
    """These nodes and all their ancestors, each once: pages may be very deep."""
    parents = snapshot.parent.tolist()
    table: dict[int, dict[str, Any]] = {}
    for node in wanted:
        while node >= 0 and node not in table:
            table[node] = {
                "parent": parents[node],
                "tag": snapshot.tag_name(node),
                "identity": _identity(snapshot, node),
                "box": numbers(snapshot.box[node].tolist(), 1),
                **_figures(node, counts),
                "score": _score(extraction, node),
                "reason": _why_code(extraction, node),
            }
            node = parents[node]
    return table


def _identity(snapshot: Snapshot, node: int) -> str:
    """Id and classes as a selector writes them."""
    identity = (snapshot.attributes.get(node, "id") or "").strip()
    classes = (snapshot.attributes.get(node, "class") or "").split()
    text = (f"#{identity}" if identity else "") + "".join(f".{name}" for name in classes)
    return text if len(text) <= MAX_IDENTITY else text[: MAX_IDENTITY - 1] + "…"


def _score(extraction: Extraction, node: int) -> float | None:
    return number(float(extraction.scores[node]), 4) if len(extraction.scores) else None


def _why_code(extraction: Extraction, node: int) -> int:
    return int(extraction.reason[node]) if len(extraction.reason) else -1
