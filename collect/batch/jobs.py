"""Pages in the job store: addresses to visit, jobs and counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

__all__ = ["Address", "BadLine", "Counts", "Job", "UpdatablePage", "host_of"]


@dataclass(frozen=True)
class Address:
    """A page to visit.

    Attributes
    ----------
    url
        The address, as given.
    depth
        Number of links from the start of a crawl; pages of smaller depth are visited first.
    turn
        Order among pages of equal depth; the smallest value is visited first.
    linked_from
        Number of the page that links to it; None if it was listed or typed.
    """

    url: str
    depth: int = 0
    turn: int = 0
    linked_from: int | None = None


@dataclass(frozen=True)
class Job:
    """A page that is being visited.

    Attributes
    ----------
    id
        Number of the page in the collection, from 1.
    url, depth, host
        Address, depth and host of the page.
    tries
        Number of visits to the page, including this one.
    """

    id: int
    url: str
    depth: int
    host: str
    tries: int


@dataclass(frozen=True)
class UpdatablePage:
    """A page that an update requests: its number, its address, and whether it is a duplicate."""

    id: int
    url: str
    is_duplicate: bool


@dataclass(frozen=True)
class BadLine:
    """A line of a list that is not an address; the other lines are not affected.

    Attributes
    ----------
    place
        Position of the line, such as ``"pages.txt, line 7"``.
    reason
        Why the line cannot be read.
    """

    place: str
    reason: str


@dataclass(frozen=True)
class Counts:
    """Numbers of pages by state.

    Attributes
    ----------
    queued, running, done, failed
        Number of pages in each state.
    kinds
        Number of failed pages by kind of error.
    passing
        Number of failed pages whose failure may pass; the next run visits them again.
    dropped
        Number of links that a crawl did not queue because of its limits; a link counts each time
        it is found.
    duplicates
        Number of addresses of a crawl that lead to pages of other addresses; they are not pages.
    incomplete
        Number of pages that a run with ``browser="never"`` has done although a browser would most
        likely change their articles; 0 if the counts are not those of a run.
    """

    queued: int
    running: int
    done: int
    failed: int
    kinds: Mapping[str, int]
    passing: int = 0
    dropped: int = 0
    duplicates: int = 0
    incomplete: int = 0

    @property
    def total(self) -> int:
        """Number of all pages."""
        return self.queued + self.running + self.done + self.failed


def host_of(url: str) -> str:
    """Scheme, host and port of an address in lower case; the empty string for a file."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme.lower() not in ("http", "https"):
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()
