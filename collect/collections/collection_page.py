"""`CollectionPage`: state of a page in a collection, and the path of its snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from ...renderer.network.origins import site_of
from ..batch.jobs import Counts

__all__ = ["STATES", "CollectionPage", "HostCount", "Pages", "State", "domain_of"]

State = Literal["queued", "running", "done", "failed", "duplicate"]

STATES: tuple[State, ...] = ("queued", "running", "done", "failed", "duplicate")


@dataclass(frozen=True)
class CollectionPage:
    """A page of a collection.

    Attributes
    ----------
    id
        Number of the page in the collection, from 1.
    url
        Address or file, as given.
    state
        ``"queued"``, ``"running"``, ``"done"``, ``"failed"`` or ``"duplicate"``: the address leads
        to a page of another address.
    file
        Path of the snapshot, if one was kept.
    host
        Scheme, host and port; the empty string for a file.
    depth
        Number of links from the start of a crawl.
    tries
        Number of visits so far.
    kind, error, http_status
        Reason why the page failed, is to be retried or is a duplicate: name of the error, its
        message, HTTP status.
    seconds
        Duration of the last visit.
    """

    id: int
    url: str
    state: State
    file: Path
    host: str = ""
    depth: int = 0
    tries: int = 0
    kind: str | None = None
    error: str | None = None
    http_status: int | None = None
    seconds: float | None = None

    @property
    def domain(self) -> str:
        """Registrable domain of the page's address; the empty string if it has none."""
        return domain_of(self.url)


@dataclass(frozen=True)
class HostCount:
    """Number of pages of one host, without duplicates: in all states, done and failed."""

    host: str
    pages: int
    done: int
    failed: int


@dataclass(frozen=True)
class Confidence:
    """Confidence of the texts of a collection, also of those that made their pages fail.

    Attributes
    ----------
    texts
        Number of texts with a confidence.
    mean
        Mean confidence, which is the expected share of right texts.
    doubtful
        Number of texts that are more likely wrong than right.
    """

    texts: int
    mean: float
    doubtful: int


class Pages(Protocol):
    """List of a collection's pages: its state, or the files of a plain folder."""

    def pages(self, states: Sequence[State]) -> Iterator[CollectionPage]:
        """Pages in the given states, in order of number."""
        ...

    def referrers(self) -> dict[int, str]:
        """Addresses of the pages that link to failed pages, by the numbers of these."""
        ...

    def counts(self) -> Counts:
        """Number of pages in each state."""
        ...

    def hosts(self) -> list[HostCount]:
        """Number of pages of each host, in descending order."""
        ...

    def seconds(self, share: float) -> float | None:
        """Quantile of the durations of visits in seconds; None if they are not recorded."""
        ...

    def confidence(self) -> Confidence | None:
        """Confidence of the texts; None if it is not recorded."""
        ...

    def facts(self) -> dict[str, str]:
        """Recorded facts of the collection."""
        ...

    def journal_length(self, name: str) -> int | None:
        """Committed length of a journal in bytes; None if unknown."""
        ...

    def superseded(self) -> frozenset[int]:
        """Byte offsets of the superseded lines of the results."""
        ...


def domain_of(url: str) -> str:
    """Registrable domain of an address; the empty string for a file or other text."""
    return site_of(url) or ""
