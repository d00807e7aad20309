"""Pages in the job store: addresses to visit, jobs and counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...renderer.network.origins import plain_origin


@dataclass(frozen=True)
class Address:
    """A page to visit."""

    url: str
    depth: int = 0  # number of links from the start of a crawl
    turn: int = 0  # smaller ones are visited first, among addresses of the same rank
    linked_from: int | None = None  # number of the page that links to it, if one does
    rank: int = 0  # smaller ones are visited first


@dataclass(frozen=True)
class Job:
    """A page that is being visited: its number in the collection, from 1, and the number of visits
    to it, including this one.
    """

    id: int
    url: str
    depth: int
    host: str
    tries: int


@dataclass(frozen=True)
class BadLine:
    """A line of a list that is not an address: its position, such as ``"pages.txt, line 7"``, and
    why.
    """

    place: str
    reason: str


@dataclass(frozen=True)
class Counts:
    """Numbers of pages by state."""

    queued: int
    running: int
    done: int
    failed: int
    kinds: Mapping[str, int]  # failed pages by kind of error
    passing: int = 0  # failed pages whose failure may pass; the next run visits them again
    # Links that a crawl did not queue because of its limits; one counts each time it is found.
    dropped: int = 0
    duplicates: int = 0  # addresses of a crawl that lead to pages of other addresses; no pages
    # Pages that a run with ``browser="never"`` has done although a browser would most likely change
    # their articles.
    incomplete: int = 0

    @property
    def total(self) -> int:
        """Number of all pages."""
        return self.queued + self.running + self.done + self.failed


def server_of(url: str) -> str:
    """Scheme, host and port of an address as a browser writes them; "" for a file."""
    return plain_origin(url) or ""
