"""Join an article that is split over several pages.

From each page, starting with the first, the link to the next one is found (`features.next_page`).
The next page is rendered and extracted. It is joined if it has the same template and the title of
the same article, and contains new text. The number of pages and the time are limited. Pages joined
before a failure are kept, and a warning gives the reason for stopping.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urldefrag

from ..errors import MioloError, PageWarning
from ..features.next_page import next_page
from ..features.outline import path_likeness
from ..features.words import words
from ..models.kinds.blocked import BLOCKED
from ..models.kinds.model import shipped_kind_model
from ..output.body import Body
from ..output.extraction import Extraction
from ..output.metadata import known
from ..patterns import lazy_re
from ..renderer.network.origins import site_of
from ..renderer.options import RenderOptions, restrict_policy
from ..renderer.page.snapshot import Snapshot

if TYPE_CHECKING:
    from ..renderer.renderer import Renderer

Extract = Callable[[Snapshot], Extraction]


@dataclass(frozen=True)
class FollowOptions:
    """Limits on following an article over several pages.

    Raises
    ------
    ValueError
        There is less than one page, the time is negative, or a share is not in [0, 1].
    """

    max_pages: int = 10
    """Maximum number of pages of one article, including the first."""
    seconds: float = 60.0
    """Maximum wall-clock time for all following pages together. The limit of a single page also
    applies."""
    min_likeness: float = 0.5
    """Minimum similarity of the tag paths of the first page and a following one, in [0, 1]. A less
    similar page is considered to have another template."""
    min_new: float = 0.5
    """Minimum share of a page's words that are in paragraphs not found on any earlier page."""

    def __post_init__(self) -> None:
        if not self.max_pages >= 1:
            raise ValueError("max_pages must be at least 1")
        if not self.seconds >= 0:
            raise ValueError("seconds must not be negative")
        for name in ("min_likeness", "min_new"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1")


async def follow_pages(
    renderer: Renderer,
    snapshot: Snapshot,
    extract: Extract,
    options: RenderOptions | None = None,
    follow: FollowOptions | None = None,
) -> Extraction:
    """Extract a page and the pages on which its article continues, and join them.

    Blocks, scores and reasons are those of the first page, since they refer to its nodes. `options`
    are those of the following pages, within the remaining time. They reach private addresses only
    if the policy is "always"; see `resolve_policy`. The warnings ``pages-joined`` and
    ``pages-stopped`` say what was joined, and why an existing link was not followed. If the first
    page is not an article, its link is not followed, since the next page most likely continues a
    list.
    """
    options, follow = options or RenderOptions(), follow or FollowOptions()
    if not options.proxy:
        # Links come from the page, not from the caller, so they are not trusted.
        options = restrict_policy(options)
    ends = time.monotonic() + follow.seconds
    pages, stopped = [extract(snapshot)], ""
    addresses, seen, latest = [], {_plain(snapshot)}, snapshot
    while link := next_page(latest, len(pages) if len(pages) > 1 else None):
        left = ends - time.monotonic()
        if stopped := _stop_reason(len(pages), left, link.url in seen, follow):
            break
        if len(pages) == 1 and not (kind := shipped_kind_model().judge(snapshot)).is_article:
            stopped = f"the first page is not an article ({kind.kind})"
            break
        try:
            limits = replace(options.limits, seconds=min(options.limits.seconds, left))
            latest = await renderer.render(link.url, replace(options, limits=limits))
            page = extract(latest)
        except MioloError as error:
            stopped = f"it failed: {error}"
            break
        if stopped := _differs(snapshot, latest, pages, page, follow):
            break
        if _plain(latest) in seen:
            stopped = "it leads to a page that is already part of the article"
            break
        seen |= {link.url, _plain(latest)}
        pages.append(page)
        addresses.append(link.url)
    article = join_pages(pages)
    if addresses:
        message = f"{len(pages)} pages were joined: {pages[0].url}, {', '.join(addresses)}"
        article = _add_warnings(article, PageWarning("pages-joined", message))
    if link and stopped:
        message = f"the next page, {link.url}, was not joined: {stopped}"
        article = _add_warnings(article, PageWarning("pages-stopped", message))
    return article


def join_pages(pages: list[Extraction]) -> Extraction:
    """The first extraction, with the text, body, comments and warnings of all.

    `truncated` is dropped, since its value for the first page does not apply to the whole article.
    The confidence is the lowest of all pages.
    """
    if len(pages) == 1:
        return pages[0]
    warnings = dict.fromkeys(warning for page in pages for warning in page.warnings)
    metadata = pages[0].metadata
    provenance = {k: v for k, v in metadata.provenance.items() if k != "truncated"}
    confidences = [page.confidence for page in pages if page.confidence is not None]
    return replace(
        pages[0],
        deferred_confidence=known(min(confidences, default=None)),
        deferred_metadata=known(replace(metadata, truncated=None, provenance=provenance)),
        body=Body(tuple(nodes for page in pages for nodes in page.body.pages)),
        comments=tuple(dict.fromkeys(text for page in pages for text in page.comments)),
        warnings=tuple(warnings),
    )


def _stop_reason(pages: int, left: float, seen: bool, follow: FollowOptions) -> str:
    """Reason not to render another page; empty if there is none."""
    if seen:
        return "it is already part of the article"
    if pages >= follow.max_pages:
        return f"the limit of {follow.max_pages} pages was reached"
    if left <= 0:
        return f"the time limit for the following pages ({follow.seconds:g} s) was reached"
    return ""


def _differs(
    first: Snapshot,
    latest: Snapshot,
    pages: list[Extraction],
    page: Extraction,
    follow: FollowOptions,
) -> str:
    """Reason why a page does not continue the article; empty if it does."""
    status = latest.page.status
    if status is not None and status >= 400:
        return f"it returned status {status}"
    if site_of(latest.page.url) != site_of(first.page.url):
        return f"it leads to another site, {latest.page.url}"
    if page.kind == BLOCKED:
        return "it is blocked"
    likeness = path_likeness(first, latest)
    if likeness < follow.min_likeness:
        return f"it has a different template (likeness {likeness:.2f})"
    titles = (pages[0].title, page.title), (first.page.title, latest.page.title)
    if not any(same_title(*pair) for pair in titles):
        return f"it has a different title, {page.title or latest.page.title!r}"
    new = _new_share(pages, page)
    return "" if new >= follow.min_new else f"only {new:.0%} of its text is new"


def _new_share(pages: list[Extraction], page: Extraction) -> float:
    """Share of a page's words in paragraphs not found on any earlier page; 0 without text."""
    before = {part for earlier in pages for part in earlier.text.split("\n\n")}
    parts = [(part, len(words(part))) for part in page.text.split("\n\n")]
    total = sum(count for _, count in parts)
    return sum(count for part, count in parts if part not in before) / total if total else 0.0


def _plain(snapshot: Snapshot) -> str:
    return urldefrag(snapshot.page.url).url


def _add_warnings(extraction: Extraction, warning: PageWarning) -> Extraction:
    return replace(extraction, warnings=(*extraction.warnings, warning))


# Comparison of the titles of pages, ignoring page numbers.

# Page numbers added to titles: "(2/3)", "Page 2 of 3", "– Seite 2", "第2页", ", part 2".
MARKER = lazy_re(
    r"(?:(?<!\W)\W+)?"
    r"(?:\b(?:page|seite|página|pagina|strona|sida|sayfa|part|teil|partie|parte)\s*\d{1,2}"
    r"(?:\s*(?:of|von|de|di|sur|/)\s*\d{1,2})?|[(\[]\s*\d{1,2}(?:\s*(?:/|of|von|de)\s*\d{1,2})?"
    r"\s*[)\]]|\b\d{1,2}\s*/\s*\d{1,2}|第\s*\d{1,2}\s*[页頁]|\d{1,2}\s*ページ目?)(?!\w)",
    re.IGNORECASE,
)
MIN_SHARED = 0.8
# Titles of fewer words are contained in too many others.
MIN_WHOLE = 4
MAX_TITLE = 1000


def same_title(one: str, other: str) -> bool:
    """Whether two titles belong to the same article.

    Page numbers are removed first. Two titles match if nearly all words of the longer one are in
    the other, or if the second consists of the first and a heading of its own page.

    >>> same_title("A long walk", "A long walk (2/3)")
    True
    >>> same_title("A long walk home | The Paper", "A short walk out | The Paper")
    False
    >>> same_title("", "A long walk")
    False
    """
    first, second = _terms(one), _terms(other)
    if not first or not second:
        return False
    shared = len(first & second)
    nearly = shared >= MIN_SHARED * max(len(first), len(second))
    return nearly or (shared == len(first) and shared >= MIN_WHOLE)


def _terms(title: str) -> frozenset[str]:
    return frozenset(words(MARKER.sub(" ", title[:MAX_TITLE]).casefold()))
