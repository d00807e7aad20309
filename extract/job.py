"""`PageJob`: everything that is to be done with one page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ..errors import EmptyPageError, LowConfidenceError, PageBlockedError
from ..models.kinds.blocked import BLOCKED
from ..names import check_type
from ..output.extraction import Extraction
from ..output.page_result import PageResult
from ..renderer.network.written_addresses import whole_address
from ..renderer.options import RenderOptions
from ..renderer.page.served import AS_SERVED
from ..renderer.page.snapshot import Snapshot
from .options import ExtractOptions
from .sources import Source, source_url

if TYPE_CHECKING:
    from .pagination import FollowOptions

Way = ExtractOptions | str


def is_trusted(snapshot: Snapshot, extraction: Extraction) -> bool:
    """Whether a page needs no browser; see `miolo.extract.plain.is_trusted`."""
    from .plain import is_trusted

    return is_trusted(snapshot, extraction)


EXPLAINING = (BLOCKED, "not-an-article", "no-content", AS_SERVED.code)
"""Codes of the warnings that may explain why a page has no text."""


@dataclass(frozen=True)
class Artefact:
    """Something made from a page in addition to its extraction, within the page's deadline."""

    name: str
    """Key of its value in `PageResult.artefacts`."""
    make: Callable[[PageResult], Any]
    """Function of the result so far, which contains the snapshot and the recorded exchanges. If it
    raises an `OSError`, the page fails with a `StorageError`."""
    of_failures: bool = False
    """Whether it is also made for a page that failed."""


@dataclass(frozen=True)
class PageJob:
    """A page and how to process it. The values are checked when the job is created.

    Raises
    ------
    TypeError
        The options have a wrong type.
    ValueError
        Recording is requested for pages that may be read without a browser.
    """

    source: Source
    """The page; see `miolo.extract.sources.Source`. An address may lack its scheme."""
    render: RenderOptions = field(default_factory=RenderOptions)
    """How the page is rendered."""
    extract: Way | tuple[Way, ...] = field(default_factory=ExtractOptions)
    """How the article is extracted: in one way, in several by different methods, or, if empty, not
    at all. The name of a method stands for `ExtractOptions` with this method."""
    follow: FollowOptions | None = None
    """Limits on following an article over several pages; None for the page alone."""
    check: Callable[[Extraction], None] | None = None
    """Function that raises an error for an unwanted extraction; see `refuse_blocked`,
    `refuse_empty` and `refuse_unsure`. With ``browser="auto"``, a page whose extraction it refuses
    without a browser is rendered."""
    trust: Callable[[Snapshot, Extraction], bool] = is_trusted
    """Function of a snapshot made without a browser and its extraction. It returns whether the page
    needs no browser."""
    record: bool = False
    """Whether all exchanges of the rendering are recorded. It applies only to addresses."""
    keep_snapshot: bool = False
    """Whether the result contains the snapshot."""
    keep_lazy: bool = False
    """Whether the extraction may compute its metadata when they are first used, for which it keeps
    the page. Otherwise they are computed within the deadline."""
    artefacts: tuple[Artefact, ...] = ()
    """Artefacts to make, in this order."""
    deadline: float | None = None
    """Maximum seconds for rendering, extraction and artefacts together, part of which is reserved
    for the extraction. Following pages have a time limit of their own, and waiting for a thread
    does not count. If None, only the rendering is limited, by ``render.limits.seconds``."""
    requested_url: str = ""
    """Address that is reported as the requested one; by default that of the source."""

    def __post_init__(self) -> None:
        check_type("options", self.render, RenderOptions)
        check_type("extract", self.extract, ExtractOptions, str, tuple, list)
        given = (self.extract,) if isinstance(self.extract, ExtractOptions | str) else self.extract
        ways = tuple(ExtractOptions(way) if isinstance(way, str) else way for way in given)
        for way in ways:
            check_type("a way to extract", way, ExtractOptions)
        object.__setattr__(self, "extract", ways)
        if self.record and self.render.browser == "auto":
            raise ValueError(
                'pages cannot be recorded with browser="auto", which may read them without a '
                'browser: use browser="always"'
            )
        if not self.requested_url:
            object.__setattr__(self, "requested_url", source_url(self.source))
        if isinstance(self.source, str):
            object.__setattr__(self, "source", whole_address(self.source))

    @property
    def ways(self) -> tuple[ExtractOptions, ...]:
        """The ways in which the article is extracted."""
        return cast("tuple[ExtractOptions, ...]", self.extract)


def refuse_blocked(extraction: Extraction) -> None:
    """Raise an error for a page that does not show the content of its site."""
    if extraction.kind == BLOCKED:
        reasons = [each.message for each in extraction.warnings if each.code == BLOCKED]
        raise PageBlockedError("; ".join(reasons) or "the page is blocked", url=extraction.url)


def refuse_empty(extraction: Extraction) -> None:
    """Raise an error for an extraction without any text, unless its method looks for a list."""
    if extraction.records is not None or extraction.text.strip():
        return
    reasons = [each.message for each in extraction.warnings if each.code in EXPLAINING]
    message = "; ".join(reasons) or f"the method {extraction.method} selected nothing"
    raise EmptyPageError(f"no text was found: {message}", url=extraction.url)


def refuse_unsure(extraction: Extraction, minimum: float) -> None:
    """Raise an error for an extraction whose confidence is below a minimum."""
    confidence = extraction.confidence
    if confidence is not None and confidence < minimum:
        message = f"its text is right with a probability of {confidence:.2f}, below {minimum:g}"
        raise LowConfidenceError(message, url=extraction.url)


def refuse_unusable(extraction: Extraction, min_confidence: float = 0.0) -> None:
    """Raise an error for an extraction that a collection does not count as done."""
    refuse_blocked(extraction)
    refuse_empty(extraction)
    refuse_unsure(extraction, min_confidence)
