"""Build an `Extraction` from a snapshot and the selection of a method."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingSiteError
from ..features.anchors import BlockAnchors
from ..features.blocks import TextBlocks, text_blocks
from ..features.stand_ins import with_stand_ins
from ..features.words import count_chars
from ..models.article.roles import DEFAULT_PRESET, PRESETS, ROLES, Preset
from ..models.kinds.blocked import BLOCKED, blocked_kind, word_count
from ..models.kinds.model import ARTICLE, FORUM, PageKind, kind_of
from ..models.site_titles import DeclaredTitles
from ..names import check_type
from ..output.body import body_of
from ..output.extraction import Block, Extraction, Post
from ..output.metadata import Deferred
from ..renderer.page.elements import HEADINGS
from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import innermost
from .metadata.posts import find_entries
from .methods.method import TITLES, Learned
from .methods.registry import DEFAULT_METHOD, find_method
from .methods.selection import Lazy, Selection
from .options import ExtractOptions
from .threads import thread_of
from .versions import extract_fullest

if TYPE_CHECKING:
    from ..models.site import Site
    from .metadata.describing import Description
    from .metadata.finding import RoleText

ROLE_OF_TAG = {
    **dict.fromkeys(HEADINGS, "subheading"),
    **dict.fromkeys(("li", "dd", "dt"), "list-item"),
    **dict.fromkeys(("td", "th", "tr"), "table"),
    **dict.fromkeys(("pre", "code"), "code"),
    "blockquote": "quotation",
    "figcaption": "caption",
}
"""Role of a kept block by its tag, for methods without roles. Other tags are paragraphs."""

MAX_HEADING = 80
"""Maximum width of the heading of a section; see `miolo.features.words`."""

ENDED = tuple('.!?…。！？।”"»）')

OUTSIDE = "outside of the elements that the text comes from"

MIN_WRITTEN = 0.1
"""Minimum probability that a page is an article or a thread for its bylines to count."""


def extract_snapshot(
    snapshot: Snapshot,
    method: str = DEFAULT_METHOD,
    *,
    site: Site | None = None,
    model: Any = None,
    preset: Preset = DEFAULT_PRESET,
    include: Collection[str] = (),
    exclude: Collection[str] = (),
    within: Collection[str] = (),
    without: Collection[str] = (),
    restore: bool = True,
) -> Extraction:
    """Extract the article from a snapshot; no browser is needed.

    Parameters
    ----------
    snapshot
        A rendered, loaded or static page.
    method, site, model, preset, include, exclude, within, without
        How the article is extracted; see `ExtractOptions`.
    restore
        Whether the default method uses the page as its server sent it, or the page's data, where
        they have more of the article; see `extract_fullest`.

    Raises
    ------
    UnknownRoleError
        There is no preset or role of this name.
    MissingSiteError
        The method needs a learned site.
    ElementNotFoundError
        A selector of `within` or `without` matches no element.
    PageNotAcceptedError
        The method reads pages with the site's wrappers, and none of them accepts this page.
    UnknownMethodError
        There is no method of this name, or it has no such option.
    TypeError
        An argument has a wrong type, or no method accepts a model of this type.
    """
    options = ExtractOptions(method, preset, include, exclude, site, model, within, without)
    return extract_with(snapshot, options, restore=restore)


def extract_with(
    snapshot: Snapshot, options: ExtractOptions, *, restore: bool = True
) -> Extraction:
    """Extract the article from a snapshot; see `extract_snapshot`."""
    check_type("a snapshot", snapshot, Snapshot)
    method, chosen = options.method, find_method(options.method)
    has_notes = options.preset != "body" and "note" not in options.exclude
    site = options.site_of(snapshot)
    if site is None and chosen.needs_site and options.site is not None:
        raise MissingSiteError(
            f"the method {method} needs a learned site, and there is none for {snapshot.page.url}: "
            "learn one from pages of its host"
        )
    learned = Learned(site, options.model, options.roles, notes=has_notes)
    titles = learned.find_part(TITLES, DeclaredTitles)

    # The other methods reproduce what is published about them.
    is_default = method.partition(":")[0] == DEFAULT_METHOD

    def read(page: Snapshot) -> Extraction:
        page = with_stand_ins(page) if is_default else page
        selection = chosen.select(page, learned)
        extraction = compose(
            page,
            selection,
            method,
            article_only=chosen.article_only,
            site_titles=titles,
        )
        # Scores of methods without roles are no probabilities.
        if selection.roles is None:
            return extraction
        return replace(extraction, deferred_confidence=Deferred(partial(_confidence, extraction)))

    is_whole = options.roles >= PRESETS["body"]
    if options.within or options.without:
        from ..features.scope import outside, within_scope

        out = outside(snapshot, tuple(options.within), tuple(options.without))
        return _within(read(snapshot), read(within_scope(snapshot, out)), out.tolist())
    return extract_fullest(snapshot, read, restore=restore and is_default, is_whole=is_whole)


def _confidence(extraction: Extraction) -> float:
    from .confidence import text_confidence

    return text_confidence(extraction)


def _within(whole: Extraction, part: Extraction, out: Sequence[bool]) -> Extraction:
    """An extraction of a part of a page, with the metadata and the other blocks of the whole."""
    others = [
        replace(block, kept=False, code=0, reasons=(OUTSIDE,), evidence=())
        for block in whole.blocks
        if out[block.node]
    ]
    blocks = sorted((*part.blocks, *others), key=lambda block: block.node)
    return replace(part, deferred_metadata=whole.deferred_metadata, blocks=tuple(blocks))


def compose(
    snapshot: Snapshot,
    selection: Selection,
    method: str,
    *,
    article_only: bool = True,
    site_titles: DeclaredTitles | None = None,
) -> Extraction:
    """Compose an extraction, still without its confidence, from the selection of a method.

    Every text node is in one block, and every block has one role, so no text occurs twice. If the
    method is for articles only, pages of any other kind get a warning.
    """
    page_blocks = text_blocks(snapshot) if selection.blocks is None else selection.blocks
    blocks = _blocks(selection, page_blocks)
    kind = _page_kind(selection, page_blocks, blocks)
    is_kept = np.array([block.kept for block in blocks], bool)
    body = page_blocks.select(is_kept)
    standfirst = _standfirsts(blocks)[is_kept]
    posts: tuple[Post, ...] = ()
    entries: tuple[tuple[Post, str], ...] = ()
    # The entries of a list have authors and times, too, such as the topics of a forum.
    if selection.records is None:
        posts, kind = thread_of(body, kind)
    description = Deferred(
        partial(_description, snapshot, selection, page_blocks, blocks, kind, posts, site_titles)
    )
    metadata = Deferred(
        lambda: description.value.metadata,
        title=lambda: description.value.title,
        date=lambda: description.value.date,
    )
    is_thread = bool(posts)
    if selection.records is None and not posts:
        entries = find_entries(body, lambda: metadata.part("date") or "")
    # An entry has its time where a post has its author.
    signed = posts or tuple(replace(post, author=time) for post, time in entries)
    posts = posts or tuple(post for post, _ in entries)
    return Extraction(
        body=body_of(snapshot, body, selection.kept, standfirst, signed),
        blocks=tuple(blocks),
        # The comments of a thread are its text; others belong to other pages.
        comments=()
        if is_thread
        else tuple(block.text for block in blocks if block.role == "comment"),
        url=snapshot.page.url,
        method=method,
        kind=kind.kind,
        kind_probability=round(kind.probabilities[kind.kind], 4),
        deferred_metadata=metadata,
        deferred_limits=Deferred(lambda: description.value.is_locked_or_cut),
        marks=dict(selection.marks),
        passages=selection.passages,
        posts=posts,
        records=selection.records,
        warnings=snapshot.page.warnings
        + selection.warnings
        + (kind.warnings if article_only or kind.kind == BLOCKED else ()),
        scores=selection.scores,
        reason=selection.reason,
        reasons=selection.reasons,
        template=selection.template,
    )


def _description(
    snapshot: Snapshot,
    selection: Selection,
    page_blocks: TextBlocks,
    blocks: list[Block],
    kind: PageKind,
    posts: Sequence[Post],
    site_titles: DeclaredTitles | None,
) -> Description:
    """The sources of the page's metadata."""
    from .metadata.describing import Description
    from .metadata.finding import Scene

    roles = () if selection.roles is None else _role_texts(blocks, page_blocks, kind)
    table = selection.records
    tops = [] if table is None else [*chain.from_iterable(table.nodes)]
    entries = innermost(snapshot.parent, tops) >= 0 if tops else None
    scene = Scene(snapshot, selection.title, selection.kept, roles, kind.kind, entries)
    return Description(scene, selection.passages, site_titles, selection.site_names, posts)


def _page_kind(selection: Selection, page_blocks: TextBlocks, blocks: list[Block]) -> PageKind:
    """The kind of the page; a blocked page has no other kind."""
    # Some text is kept on every page, even if it does not resemble that of an article.
    written = PRESETS["everything"]
    prose = word_count(
        each.text for each in blocks if (each.score >= 0.5 if each.kept else each.role in written)
    )
    blocked = blocked_kind(page_blocks.select(~page_blocks.hidden), prose)
    return blocked or selection.kind or kind_of(page_blocks)


def _standfirsts(blocks: Sequence[Block]) -> NDArray[np.bool_]:
    """bool, shape (b,): standfirsts that are no headings, although pages mark them up as such.

    A short line after the byline or the date, without a full stop, is the heading of a section.
    """
    standfirst = np.array([block.role == "standfirst" for block in blocks], bool)
    heads = [place for place, block in enumerate(blocks) if block.role in ("byline", "dateline")]
    for place in standfirst.nonzero()[0].tolist():
        text = blocks[place].text
        is_sentence = text.endswith(ENDED) or count_chars(text) > MAX_HEADING
        standfirst[place] = is_sentence or not heads or place < heads[0]
    return standfirst


def _role_texts(blocks: list[Block], page_blocks: TextBlocks, kind: PageKind) -> list[RoleText]:
    from .metadata.finding import RoleText

    pairs = zip(blocks, page_blocks.node_lists(), strict=True)
    # On a product, a service or a list, bylines belong to reviews or to other pages.
    written = sum(kind.probabilities.get(each, 0) for each in (ARTICLE, FORUM))
    left_out = None if written >= MIN_WRITTEN else "byline"
    return [RoleText(block.role, nodes) for block, nodes in pairs if block.role != left_out]


def _blocks(selection: Selection, blocks: TextBlocks) -> list[Block]:
    """The blocks, each with the values of its first text node."""
    snapshot, first = blocks.snapshot, blocks.first
    tags = [snapshot.tags[code] for code in snapshot.tag[blocks.owner].tolist()]
    rows = zip(
        blocks.shown_texts,
        tags,
        blocks.owner.tolist(),
        # Rounding is exact, since float64 can represent ten thousand times a float32.
        np.round(blocks.box.astype(np.float64), 1).tolist(),
        np.round(selection.scores[first].astype(np.float64), 4).tolist(),
        _roles(selection, blocks, tags),
        selection.custom_roles or [""] * len(blocks),
        blocks.hidden.tolist(),
        selection.reason[first].tolist(),
        strict=True,
    )
    anchors = Lazy(BlockAnchors(blocks).compute, len(blocks))
    return [
        Block(
            text=text,
            tag=tag,
            node=node,
            box=(x, y, w, h),
            score=score,
            kept=kept,
            role=role,
            custom_role=custom,
            hidden=hidden,
            code=code,
            reasons=selection.reasons,
            evidence=selection.contributions,
            number=number,
            anchors=anchors,
        )
        for number, (
            text,
            tag,
            node,
            (x, y, w, h),
            score,
            (role, kept),
            custom,
            hidden,
            code,
        ) in enumerate(rows)
    ]


def _roles(selection: Selection, blocks: TextBlocks, tags: list[str]) -> list[tuple[str, bool]]:
    """Role of each block, and whether it is kept."""
    if selection.roles is not None and selection.blocks_kept is not None:
        roles = [ROLES[code] for code in selection.roles.tolist()]
        return list(zip(roles, selection.blocks_kept.tolist(), strict=True))
    title, end = -1, -1
    if selection.title is not None:
        title, end = selection.title, int(blocks.snapshot.end[selection.title])
    pairs = []
    for tag, first in zip(tags, blocks.first.tolist(), strict=True):
        if title <= first < end:
            pairs.append(("title", False))
        elif selection.kept[first]:
            pairs.append((ROLE_OF_TAG.get(tag, "paragraph"), True))
        else:
            pairs.append(("comment" if selection.comments[first] else "boilerplate", False))
    return pairs
