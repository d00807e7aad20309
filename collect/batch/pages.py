"""Pages as the job store knows them: to visit, being visited, counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

__all__ = ["Address", "BadLine", "Counts", "Job", "host_of"]


@dataclass(frozen=True)
class Address:
    """A page to visit.

    Attributes
    ----------
    url
        As it was given.
    depth
        Links away from where a crawl began; pages nearer to it come first.
    turn
        Of pages as near as each other the least comes first.
    """

    url: str
    depth: int = 0
    turn: int = 0


@dataclass(frozen=True)
class Job:
    """A page that is being visited.

    Attributes
    ----------
    id
        Its number in the collection, from 1.
    url, depth, host
        Address, depth and host of the page.
    tries
        Visits, this one among them.
    """

    id: int
    url: str
    depth: int
    host: str
    tries: int


@dataclass(frozen=True)
class BadLine:
    """A line of a list that is not an address. It fails, and the others do not.

    Attributes
    ----------
    place
        Where it stands, such as ``"pages.txt, line 7"``.
    reason
        Why it cannot be read.
    """

    place: str
    reason: str


@dataclass(frozen=True)
class Counts:
    """Numbers of pages by state.

    Attributes
    ----------
    queued, running, done, failed
        Pages.
    kinds
        Number of failed pages by error.
    dropped
        Links that a crawl did not queue, since its queue was full; one counts as often as it
        recurs.
    """

    queued: int
    running: int
    done: int
    failed: int
    kinds: Mapping[str, int]
    dropped: int = 0

    @property
    def total(self) -> int:
        """All pages."""
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
