"""Snapshot and selection to `Extraction`: the one place where an answer is put together."""

from __future__ import annotations

from typing import Any

import numpy as np
from bs4 import BeautifulSoup

from ..features.blocks import TextBlock, text_blocks
from ..features.words import collapse
from ..models.site import Site
from ..models.templates.model import TemplateModel
from ..renderer.snapshot import Snapshot
from .clean import clean_tree
from .extraction import Block, Extraction, Link
from .formats import to_markdown
from .metadata import declared
from .methods.learned import Learned
from .methods.selection import Selection
from .methods.table import DEFAULT_METHOD, method_named

__all__ = ["extract_snapshot"]

# Blocks of these follow each other without an empty line between them.
TIGHT = frozenset(("li", "td", "th", "dt", "dd", "tr"))


def extract_snapshot(
    snapshot: Snapshot,
    method: str = DEFAULT_METHOD,
    *,
    site: Site | None = None,
    model: TemplateModel | None = None,
) -> Extraction:
    """Take the article out of a snapshot; no browser is needed.

    Parameters
    ----------
    snapshot
        A rendered, loaded or static page.
    method
        Name of a method; see `METHODS`.
    site
        What is known of the page's site, from `learn_site`; some methods need it.
    model
        A template model of your own, for the method that uses one.

    Raises
    ------
    SiteNeeded
        The method needs to know the site.
    PageNotAccepted
        The method reads pages with the site's wrappers, and none takes this page.
    UnknownMethod
        There is no method of this name.
    """
    return compose(snapshot, method_named(method).select(snapshot, Learned(site, model)), method)


def compose(snapshot: Snapshot, selection: Selection, method: str) -> Extraction:
    """Put an answer together from what a method selected.

    A text node is in one block, and a block in one role, so nothing is said twice.
    """
    blocks = text_blocks(snapshot)
    roles = [_role(snapshot, selection, block) for block in blocks]
    body = [block for block, role in zip(blocks, roles, strict=True) if role == "body"]
    tree = clean_tree(snapshot, body, selection.kept)
    title = _title(snapshot, selection)
    fields, provenance = declared(snapshot)
    _fill(fields, provenance, selection)
    if title:
        provenance["title"] = f"{method}, node {selection.title}"
    said: dict[str, Any] = fields
    return Extraction(
        title=title,
        text=_plain(snapshot, body),
        html=str(tree),
        markdown=to_markdown(tree),
        blocks=tuple(
            _block(snapshot, selection, block, role)
            for block, role in zip(blocks, roles, strict=True)
        ),
        comments=tuple(b.text for b, role in zip(blocks, roles, strict=True) if role == "comment"),
        links=_links(tree),
        url=snapshot.page.url,
        method=method,
        provenance=provenance,
        marks=dict(selection.marks),
        passages=selection.passages,
        records=selection.records,
        warnings=snapshot.page.warnings + selection.warnings,
        scores=selection.scores,
        reason=selection.reason,
        reasons=selection.reasons,
        template=selection.template,
        **said,
    )


def _fill(fields: dict[str, object], provenance: dict[str, str], selection: Selection) -> None:
    """Fill what the page does not declare from passages that are known for what they are."""
    for name, field, single in (("author", "authors", False), ("date", "date", True)):
        for passage in selection.passages:
            if passage.name == name and field not in fields:
                fields[field] = passage.text if single else (passage.text,)
                provenance[field] = f"passage at {passage.place}"


def _role(snapshot: Snapshot, selection: Selection, block: TextBlock) -> str:
    first = block.nodes[0]
    title = selection.title
    if title is not None and title <= first < snapshot.end[title]:
        return "title"
    if selection.kept[first]:
        return "body"
    return "comment" if selection.comments[first] else "other"


def _block(snapshot: Snapshot, selection: Selection, block: TextBlock, role: str) -> Block:
    first = block.nodes[0]
    x, y, width, height = (round(float(value), 1) for value in block.box)
    return Block(
        text=block.text,
        tag=snapshot.tag_name(block.owner),
        node=block.owner,
        box=(x, y, width, height),
        score=round(float(selection.scores[first]), 4),
        kept=role == "body",
        role=role,
        reason=selection.reasons[selection.reason[first]],
    )


def _title(snapshot: Snapshot, selection: Selection) -> str:
    node = selection.title
    if node is None:
        return ""
    inside = np.flatnonzero(snapshot.is_text[node : snapshot.end[node]]) + node
    return collapse(" ".join([snapshot.text[i] for i in inside.tolist()]))


def _plain(snapshot: Snapshot, body: list[TextBlock]) -> str:
    parts: list[str] = []
    before = ""
    for block in body:
        tag = snapshot.tag_name(block.owner)
        if parts:
            parts.append("\n" if tag in TIGHT and before in TIGHT else "\n\n")
        parts.append(block.text)
        before = tag
    return "".join(parts)


def _links(tree: BeautifulSoup) -> tuple[Link, ...]:
    return tuple(
        Link(collapse(anchor.get_text()), str(anchor["href"]))
        for anchor in tree.find_all("a", href=True)
    )
