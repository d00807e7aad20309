"""What a run asks of its workers, and their answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ...errors import MioloError
from .batch_options import BatchOptions
from .planner import HostMemory, VisitMode
from .validators import Validators


@dataclass(frozen=True)
class Setup:
    """What all visits of a run share: its collection's folder, its options, and whether workers
    return the links of each page, and its validators.
    """

    folder: Path
    options: BatchOptions
    links: bool = False


@dataclass(frozen=True)
class Visit:
    """Visit a page and keep its files; `memory` has the results of comparisons on its host."""

    id: int
    url: str
    mode: VisitMode = VisitMode.RENDERED
    memory: HostMemory = field(default_factory=HostMemory)


@dataclass(frozen=True)
class Visits:
    """Visits that a worker makes one after the other, as many as it has time for."""

    visits: tuple[Visit, ...]

    @property
    def url(self) -> str:
        """Address of the first page."""
        return self.visits[0].url


@dataclass(frozen=True)
class Fetch:
    """Request for a file that is not a page, such as robots.txt."""

    url: str


@dataclass(frozen=True)
class Learn:
    """Learn a site from snapshots of its pages, one of which has the address `url`, and save it."""

    url: str
    files: tuple[Path, ...]
    file: Path


@dataclass(frozen=True)
class Answer:
    """Outcome of a visit."""

    row: bytes = b""  # line of the results; it counts without an error, or with a `TextError`
    error: MioloError | None = None
    confidence: float | None = None  # of the text, if its method states one
    seconds: float = 0.0
    records: bytes = b""  # WARC records, ready to be appended to the archive
    url: str = ""  # of the page after redirects
    links: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    alike: bool | None = None  # whether the article is the same without a browser, if compared
    incomplete: bool = False  # whether a browser, not used, would most likely change the article
    validators: Validators | None = None
    # Hash of the page's declared address and its text; empty without a text. Pages with the same
    # hash are one page under several addresses.
    content: str = ""
    matches: bool | None = None  # whether it matches the site that the crawl has learned, if any


@dataclass(frozen=True)
class FetchResult:
    """Result of a fetch; `url` is the address after redirects, `status` is 0 without a response."""

    url: str
    status: int = 0
    body: bytes = field(default=b"", repr=False)
    records: bytes = b""
    cause: str = "no answer"
    """Why there is no response."""
