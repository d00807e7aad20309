"""The `rtdm` method: the text that varies over the pages of a template, read by its wrapper."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...errors import MissingSiteError, PageNotAcceptedError, PageWarning
from ...features.dates import is_date
from ...features.page_tree import PageTree
from ...models.site import Site
from ...models.wrappers.passages import Passage, body_of, passages, title_of
from ...models.wrappers.wrappers import Wrapper
from ...output.extraction import TemplateField
from ...patterns import lazy_re
from ...renderer.page.snapshot import Snapshot
from .method import Method
from .reading import Reading, read
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
    reading = read(snapshot)
    kept, pages = np.zeros(len(snapshot), bool), len(wrapper.urls)
    reasons = Reasons(len(snapshot), f"the same on all {pages} pages of the template")
    varies = f"varies across the template's {pages} pages"
    names: dict[int | None, str] = {title: "title"} | dict.fromkeys(parts, "body")
    named: list[TemplateField] = []
    for place, passage in enumerate(fields):
        nodes = tree.nodes[passage.first : passage.last]
        inside = slice(int(nodes[0]), int(snapshot.end[nodes].max()))
        if place in parts:
            kept[inside] = True
            reasons.give(inside, f"the body: {varies}; words here: {passage.words}")
        else:
            reasons.give(inside, f"{varies}, but is not the body")
        first, text = inside.start, passage.text
        name = names.get(place) or field_name(snapshot, first, text)
        named.append(TemplateField(name, text, wrapper.pattern.path(passage.place), first))
    kept &= ~reading.overlays & (reading.texts | ~snapshot.is_text)
    reasons.give(snapshot.is_text & ~reading.texts, "not painted")
    reasons.give(reading.overlays, "part of a layer over the page")
    headline = _headline(reading, tree, None if title is None else fields[title], kept)
    if headline is not None:
        reasons.give(*headline)
    return Selection(
        kept=kept,
        scores=kept.astype(np.float32),
        reason=reasons.codes,
        reasons=reasons.table,
        comments=np.zeros(len(snapshot), bool),
        title=None if headline is None else headline[0],
        warnings=()
        if parts
        else (PageWarning("no-body", "the wrapper found no body on this page"),),
        passages=tuple(named),
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


def _headline(
    reading: Reading, tree: PageTree, title: Passage | None, kept: NDArray[np.bool_]
) -> tuple[int, str] | None:
    """Node of the headline, and the reason. Without a title passage, `find_title` finds it."""
    snapshot = reading.snapshot
    if title is None or kept[tree.nodes[title.first]]:
        return find_title(snapshot, reading.texts, reading.counts, kept)
    node = int(tree.nodes[title.first])
    if snapshot.end[node] < snapshot.end[tree.nodes[title.first : title.last]].max():
        node = int(snapshot.parent[node])
    return node, "the title: it precedes the body, which contains its words"


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
