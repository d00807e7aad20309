"""The `rtdm` method: the text that varies over the pages of a template, read by its wrapper."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...errors import MissingSiteError, PageNotAcceptedError, PageWarning
from ...features.counts import count_texts
from ...features.dates import is_date
from ...features.overlays import overlay_mask
from ...features.page_tree import PageTree
from ...features.readable import readable_texts
from ...models.site import Site
from ...models.wrappers.passages import Passage, body_of, passages, title_of
from ...models.wrappers.patterns import Pattern
from ...models.wrappers.wrappers import Wrapper
from ...output.extraction import TemplateField
from ...patterns import lazy_re
from ...renderer.page.snapshot import Snapshot
from .method import Method
from .selection import Reasons, Selection
from .title import find_title

# Minimum number of unlinked words in running text.
MIN_RUNNING = 10


def rtdm(snapshot: Snapshot, site: Site | None) -> Selection:
    """Keep the body that the wrapper of the page's template finds."""
    if site is None or not site.wrappers:
        raise MissingSiteError(
            "the method rtdm needs a site with wrappers, learned from several pages",
            lacks="wrappers",
        )
    acceptance = site.match(snapshot)
    if acceptance is None:
        count = len(site.wrappers)
        raise PageNotAcceptedError(
            f"none of the site's {count} patterns matches {snapshot.page.url}"
        )
    wrapper, match, tree = acceptance
    fields = passages(wrapper.pattern, match, tree)
    body, title = _choose(wrapper, fields, literal=site.options.literal)
    parts = _body_parts(wrapper, fields, body, literal=site.options.literal)
    overlays = overlay_mask(snapshot)
    readable = readable_texts(snapshot) & ~overlays
    kept = _empty_selection(snapshot)
    for part in parts:
        kept |= _passage_nodes(snapshot, tree, fields[part])
    kept &= ~overlays & (readable | ~snapshot.is_text)
    reasons = _reasons(snapshot, wrapper, fields, tree, parts)
    reasons.give(snapshot.is_text & ~readable, "not painted")
    reasons.give(overlays, "part of a layer over the page")
    headline = _headline(snapshot, tree, fields, title, kept, readable)
    if headline is not None:
        reasons.give(*headline)
    return Selection(
        kept=kept,
        scores=kept.astype(np.float32),
        reason=reasons.codes,
        reasons=reasons.table,
        comments=_empty_selection(snapshot),
        title=None if headline is None else headline[0],
        warnings=()
        if parts
        else (PageWarning("no-body", "the wrapper found no body on this page"),),
        passages=_name(snapshot, wrapper.pattern, tree, fields, parts, title),
    )


def _choose(
    wrapper: Wrapper, fields: tuple[Passage, ...], *, literal: bool
) -> tuple[int | None, int | None]:
    """Indices of the body and the title among the passages."""
    if literal:
        body = body_of(fields)
        return body, None if body is None else title_of(fields, body)
    places = [passage.place for passage in fields]
    body, title = (
        places.index(place) if place in places else None for place in (wrapper.body, wrapper.title)
    )
    return body, title


def _body_parts(
    wrapper: Wrapper, fields: tuple[Passage, ...], body: int | None, *, literal: bool
) -> list[int]:
    """Indices of the body and of running text in the same container.

    A first paragraph that every page has is a passage of its own, apart from all other paragraphs.
    """
    if body is None or literal:
        return [] if body is None else [body]
    pattern = wrapper.pattern
    container = int(pattern.parent[fields[body].place])
    end = container + 1
    while end < len(pattern) and pattern.parent[end] >= container:
        end += 1
    return [
        i
        for i, passage in enumerate(fields)
        if i == body or (container < passage.place < end and _is_running_text(passage))
    ]


def _is_running_text(passage: Passage) -> bool:
    """Whether a passage is running text rather than a date or a few links."""
    own = passage.words - passage.linked_words
    return own >= MIN_RUNNING and own > passage.linked_words and not passage.in_heading


def _empty_selection(snapshot: Snapshot) -> NDArray[np.bool_]:
    return np.zeros(len(snapshot), bool)


def _passage_nodes(snapshot: Snapshot, tree: PageTree, passage: Passage) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes of the snapshot that belong to a passage."""
    mask = _empty_selection(snapshot)
    nodes = tree.nodes[passage.first : passage.last]
    mask[nodes[0] : snapshot.end[nodes].max()] = True
    return mask


def _headline(
    snapshot: Snapshot,
    tree: PageTree,
    fields: tuple[Passage, ...],
    title: int | None,
    kept: NDArray[np.bool_],
    readable: NDArray[np.bool_],
) -> tuple[int, str] | None:
    """Node of the headline, and the reason. Without a title passage, `find_title` finds it."""
    if title is not None and not kept[tree.nodes[fields[title].first]]:
        first, last = fields[title].first, fields[title].last
        node = int(tree.nodes[first])
        if snapshot.end[node] < snapshot.end[tree.nodes[first:last]].max():
            node = int(snapshot.parent[node])
        return node, "the title: it precedes the body, which contains its words"
    counts = count_texts(snapshot, readable)
    return find_title(snapshot, readable, counts, kept)


def _reasons(
    snapshot: Snapshot,
    wrapper: Wrapper,
    fields: tuple[Passage, ...],
    tree: PageTree,
    body: list[int],
) -> Reasons:
    pages = len(wrapper.urls)
    reasons = Reasons(len(snapshot), f"the same on all {pages} pages of the template")
    for i, passage in enumerate(fields):
        nodes = _passage_nodes(snapshot, tree, passage)
        if i in body:
            why = (
                f"the body: varies across the template's {pages} pages; words here: {passage.words}"
            )
        else:
            why = f"varies across the template's {pages} pages, but is not the body"
        reasons.give(nodes, why)
    return reasons


def _name(
    snapshot: Snapshot,
    pattern: Pattern,
    tree: PageTree,
    fields: tuple[Passage, ...],
    body: list[int],
    title: int | None,
) -> tuple[TemplateField, ...]:
    names: dict[int | None, str] = {title: "title"} | dict.fromkeys(body, "body")
    template_fields: list[TemplateField] = []
    for i, passage in enumerate(fields):
        node = int(tree.nodes[passage.first])
        name = names.get(i) or field_name(snapshot, node, passage.text)
        template_fields.append(TemplateField(name, passage.text, pattern.path(passage.place), node))
    return tuple(template_fields)


# Names of passages that are neither body nor title, derived from content or markup.

MARKUP = {
    "author": lazy_re(r"(?:^|[\s_-])(?:author|byline|creator)s?(?:$|[\s_-])", re.IGNORECASE),
    "section": lazy_re(
        r"(?:^|[\s_-])(?:category|categories|section|articlesection|breadcrumbs?)(?:$|[\s_-])",
        re.IGNORECASE,
    ),
}
"""Words in class, rel and itemprop that name the content of an element."""

# Number of elements around a passage whose markup may describe it.
LEVELS = 3

# Names of authors and sections are short; longer texts merely occur in such elements.
MAX_CHARS = 120


def field_name(snapshot: Snapshot, node: int, text: str) -> str:
    """``"date"``, ``"author"`` or ``"section"`` for the first node and the text of a passage.

    It is the empty string without evidence.
    """
    around = list(_nearby_attributes(snapshot, node))
    if is_date(text) or any("datetime" in attributes for attributes in around):
        return "date"
    if len(text) > MAX_CHARS:
        return ""
    for attributes in around:
        hints = " ".join(attributes.get(name, "") for name in ("class", "rel", "itemprop"))
        for name, pattern in MARKUP.items():
            if pattern.search(hints):
                return name
    return ""


def _nearby_attributes(snapshot: Snapshot, node: int) -> Iterator[dict[str, str]]:
    """Attributes of the element and of those around it, on at most three levels."""
    for _ in range(LEVELS):
        if node < 0:
            return
        if not snapshot.is_text[node]:
            yield snapshot.attributes.of(node)
        node = int(snapshot.parent[node])


METHOD = Method(
    lambda page, learned, _: rtdm(page, learned.site),
    "text that varies across the pages of a template",
    "from the sources",
    needs_site=True,
)
