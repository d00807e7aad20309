"""Which pages need a browser, by what earlier pages of their host came to with one and without.

A page is *compared*: rendered, and read as served as well. Once `ENOUGH` pages of a host in a row
came to the same article, its next pages are read as served, and every so often one is compared
again. The first that differs has the host's pages rendered, until as many were and the
comparing begins anew.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import Enum

__all__ = ["ENOUGH", "SPELL", "Way", "Ways"]

# Pages of a host that come to the same, one after the other, before it is trusted.
ENOUGH = 5

# Pages that are visited as the last comparison advises before there is another.
SPELL = 20


class Way(Enum):
    """How a page is visited."""

    RENDERED = "rendered"
    COMPARED = "compared"
    SERVED = "served"


@dataclass
class _Host:
    alike: int = 0
    left: int = 0


class Ways:
    """The way of each page in turn; memory grows with the number of hosts."""

    def __init__(self) -> None:
        self._hosts: dict[str, _Host] = defaultdict(_Host)

    def next(self, host: str) -> Way:
        """How the next page of a host is to be visited."""
        known = self._hosts[host]
        trusted = known.alike >= ENOUGH
        if known.left:
            known.left -= 1
            return Way.SERVED if trusted else Way.RENDERED
        if trusted:
            known.left = SPELL
        return Way.COMPARED

    def learn(self, host: str, alike: bool) -> None:
        """What a comparison came to."""
        known = self._hosts[host]
        known.alike = known.alike + 1 if alike else 0
        if not alike or known.alike == ENOUGH:
            known.left = SPELL
