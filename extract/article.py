"""Snapshot and selection to `Extraction`: the one place where an answer is put together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..features.blocks import TextBlock, text_blocks
from ..models.article.model import ArticleModel
from ..models.article.roles import ROLES as ARTICLE_ROLES
from ..models.site import Site
from ..models.templates.model import TemplateModel
from ..renderer.snapshot import Snapshot, Warn
from .clean import body_of
from .extraction import Block, Extraction
from .metadata import Metadata, describe
from .methods.default import DEFAULT_METHOD
from .methods.learned import Learned
from .methods.page_kind import kind_of
from .methods.selection import Selection
from .methods.table import method_named

__all__ = ["extract_snapshot"]

# Blocks of these follow each other without an empty line between them.
TIGHT = frozenset(("li", "td", "th", "dt", "dd", "tr"))

ROLES = ("other", "comment", "body", "title")
OTHER, COMMENT, BODY, TITLE = range(len(ROLES))

NOT_FOR_ARTICLES = frozenset(("records", "adeater"))
"""Methods that are for pages of any kind, and so no page is the wrong one for them."""


def extract_snapshot(
    snapshot: Snapshot,
    method: str = DEFAULT_METHOD,
    *,
    site: Site | None = None,
    model: TemplateModel | ArticleModel | None = None,
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
        A model of your own, for a method that uses one of its kind.

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
    found = text_blocks(snapshot) if selection.blocks is None else list(selection.blocks)
    blocks = _blocks(snapshot, selection, found)
    body = [block for block, made in zip(found, blocks, strict=True) if made.kept]
    about = describe(
        snapshot, title_node=selection.title, kept=selection.kept, passages=selection.passages
    )
    return Extraction(
        title=about.title,
        text=_plain(snapshot, body),
        body=body_of(snapshot, body, selection.kept),
        blocks=tuple(blocks),
        comments=tuple(block.text for block in blocks if block.role == "comment"),
        url=snapshot.page.url,
        method=method,
        language=about.language,
        authors=about.authors,
        date=about.date,
        modified=about.modified,
        site_name=about.site_name,
        image=about.image,
        tags=about.tags,
        section=about.section,
        description=about.description,
        canonical_url=about.url,
        paywalled=about.paywalled,
        truncated=about.truncated,
        provenance=_provenance(about),
        marks=dict(selection.marks),
        passages=selection.passages,
        records=selection.records,
        warnings=snapshot.page.warnings
        + selection.warnings
        + _of_kind(snapshot, selection, found, method),
        scores=selection.scores,
        reason=selection.reason,
        reasons=selection.reasons,
        template=selection.template,
    )


def _of_kind(
    snapshot: Snapshot, selection: Selection, blocks: list[TextBlock], method: str
) -> tuple[Warn, ...]:
    """A warning where a page is none that the method is for."""
    if method in NOT_FOR_ARTICLES:
        return ()
    return (selection.kind or kind_of(snapshot, blocks)).warnings


def _provenance(about: Metadata) -> dict[str, str]:
    """Where each field was found, by the fields' names in an `Extraction`."""
    return {("canonical_url" if k == "url" else k): v for k, v in about.provenance.items()}


def _blocks(snapshot: Snapshot, selection: Selection, blocks: list[TextBlock]) -> list[Block]:
    """The blocks as their first texts have it."""
    if not blocks:
        return []
    firsts = np.array([block.nodes[0] for block in blocks])
    # As exact as `round`: ten times a float32 fits a float64.
    boxes = np.round(np.stack([block.box for block in blocks]).astype(np.float64), 1)
    reasons = [selection.reasons[code] for code in selection.reason[firsts].tolist()]
    rows = zip(
        blocks,
        boxes.tolist(),
        selection.scores[firsts].tolist(),
        _roles(snapshot, selection, firsts),
        reasons,
        strict=True,
    )
    return [
        Block(
            text=block.text,
            tag=snapshot.tag_name(block.owner),
            node=block.owner,
            box=(x, y, width, height),
            score=round(score, 4),
            kept=role == "body",
            role=role,
            reason=reason,
        )
        for block, (x, y, width, height), score, role, reason in rows
    ]


def _roles(snapshot: Snapshot, selection: Selection, firsts: NDArray[np.intp]) -> list[str]:
    if selection.roles is not None:
        return [ARTICLE_ROLES[role] for role in selection.roles.tolist()]
    roles = np.where(selection.comments[firsts], COMMENT, OTHER)
    roles[selection.kept[firsts]] = BODY
    if selection.title is not None:
        title = selection.title
        roles[(firsts >= title) & (firsts < snapshot.end[title])] = TITLE
    return [ROLES[role] for role in roles.tolist()]


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
