"""`CollectionPage`: what a collection knows of a page, and where its snapshot is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from ...features.links import site_of
from ..batch.pages import Counts

__all__ = ["STATES", "CollectionPage", "HostCount", "Pages", "State", "domain_of"]

State = Literal["queued", "running", "done", "failed"]

STATES: tuple[State, ...] = ("queued", "running", "done", "failed")


@dataclass(frozen=True)
class CollectionPage:
    """A page of a collection.

    Attributes
    ----------
    id
        Its number in the collection, from 1.
    url
        Address or file, as it was given.
    state
        ``"queued"``, ``"running"``, ``"done"`` or ``"failed"``.
    file
        Where its snapshot is, if one was kept.
    host
        Scheme, host and port; the empty string for a file.
    depth
        Links away from where a crawl began.
    tries
        Visits so far.
    kind, error, http_status
        Why it failed, or was to be tried again: name of the error, its message, HTTP status.
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
        """Registrable domain of its address; the empty string where it has none."""
        return domain_of(self.url)


@dataclass(frozen=True)
class HostCount:
    """Pages of one host."""

    host: str
    pages: int
    done: int
    failed: int


class Pages(Protocol):
    """Where a collection's pages are listed: its state, or the files of a plain folder."""

    def pages(self, states: Sequence[State]) -> Iterator[CollectionPage]:
        """Pages in some states, by their numbers."""
        ...

    def counts(self) -> Counts:
        """Pages by state."""
        ...

    def hosts(self) -> list[HostCount]:
        """Pages by host, the most first."""
        ...

    def seconds(self, share: float) -> float | None:
        """Seconds that so large a share of the visits took at most."""
        ...

    def facts(self) -> dict[str, str]:
        """What was noted of the collection."""
        ...

    def journal_length(self, name: str) -> int | None:
        """Bytes of a journal that count; None where that is not known."""
        ...

    def superseded(self) -> frozenset[int]:
        """Where lines of the results begin that no longer count."""
        ...


def domain_of(url: str) -> str:
    """Registrable domain of an address; the empty string for a file, or another text."""
    return site_of(url) or ""
