"""`PageJob`: what is done with a page, in one frozen object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ..errors import PageBlockedError
from ..models.article.roles import DEFAULT_PRESET, Preset, role_set
from ..models.kinds.blocked import BLOCKED
from ..renderer.options import RenderOptions
from ..renderer.snapshot import Snapshot
from .methods.registry import DEFAULT_METHOD, method_named
from .output.extraction import Extraction
from .output.page_result import PageResult
from .pagination import FollowOptions
from .pipeline import extract_snapshot
from .sources import Source, source_url

if TYPE_CHECKING:
    from ..models.site import Site

__all__ = ["Artefact", "PageJob", "refuse_blocked"]


@dataclass(frozen=True)
class Artefact:
    """Something that is made of a page beside its extraction, in the page's own time.

    Attributes
    ----------
    name
        Where its value is in `PageResult.artefacts`.
    make
        Makes it of the result so far, which has the snapshot and what was recorded. An `OSError`
        fails the page by a `StorageError`.
    of_failures
        Whether it is made of a page that failed, too.
    """

    name: str
    make: Callable[[PageResult], Any]
    of_failures: bool = False


@dataclass(frozen=True)
class PageJob:
    """What is done with a page. It is checked where it is made.

    Attributes
    ----------
    source
        The page; see `miolo.extract.sources.Source`.
    render
        How it is rendered.
    methods
        What the article is taken out by; none to render alone.
    preset, include, exclude
        Roles that count as the text; see `extract_snapshot`.
    site
        What is known of the page's site, or what finds that out for a snapshot.
    model
        A model for methods that accept its kind; see `Method.model_type`.
    follow
        How far the pages are followed that the article goes on at; None for the page alone.
    check
        Raises an error for an extraction that is not to be kept; see `refuse_blocked`.
    record
        Whether all that rendering took is kept; of addresses alone.
    keep_snapshot
        Whether the result has the snapshot.
    artefacts
        What else is made of the page, in this order.
    deadline
        Seconds that rendering, extraction and artefacts may take together, some of which are
        kept from rendering; following pages have time of their own, and waiting for a thread takes
        none. None to bound the rendering alone, by ``render.limits.seconds``.
    requested_url
        What the page is asked for by, where the source does not tell.

    Raises
    ------
    UnknownMethodError, UnknownRoleError
        There is no method, preset or role of this name.
    """

    source: Source
    render: RenderOptions = field(default_factory=RenderOptions)
    methods: tuple[str, ...] = (DEFAULT_METHOD,)
    preset: str = DEFAULT_PRESET
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    site: Site | Callable[[Snapshot], Site | None] | None = None
    model: Any = None
    follow: FollowOptions | None = None
    check: Callable[[Extraction], None] | None = None
    record: bool = False
    keep_snapshot: bool = False
    artefacts: tuple[Artefact, ...] = ()
    deadline: float | None = None
    requested_url: str = ""

    def __post_init__(self) -> None:
        for method in self.methods:
            method_named(method)
        role_set(self.preset, self.include, self.exclude)
        if not self.requested_url:
            object.__setattr__(self, "requested_url", source_url(self.source))

    def extract(self, snapshot: Snapshot, method: str) -> Extraction:
        """Take the article out of a snapshot as the job says."""
        return extract_snapshot(
            snapshot,
            method,
            site=self.site(snapshot) if callable(self.site) else self.site,
            model=self.model,
            preset=cast(Preset, self.preset),
            include=self.include,
            exclude=self.exclude,
        )


def refuse_blocked(extraction: Extraction) -> None:
    """Refuse a page that is none of its site's own content.

    Raises
    ------
    PageBlockedError
        The page is a bot check, a consent wall, a login wall or an error page.
    """
    if extraction.kind == BLOCKED:
        reasons = [each.message for each in extraction.warnings if each.code == BLOCKED]
        raise PageBlockedError("; ".join(reasons) or "the page is blocked", url=extraction.url)
