"""Which pages need a browser, by what earlier pages of their host came to with one and without.

A page is *compared*: rendered, and read as served as well. Once `ENOUGH` pages of a host in a row
came to the same article, its next pages are read as served, and every so often one is compared
again. Once one differs, pages are compared until enough in a row do not. A host of which no page
has come to the same is compared every so often too, and rendered in between.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import Enum

__all__ = ["ENOUGH", "SPELL", "VisitMode", "VisitPlanner"]

# Pages of a host that come to the same, one after the other, before it is trusted.
ENOUGH = 5

# Pages that are visited as the last comparison advises before there is another.
SPELL = 20


class VisitMode(Enum):
    """How a page is visited."""

    RENDERED = "rendered"
    COMPARED = "compared"
    SERVED = "served"


@dataclass
class _Host:
    alike: int = 0
    ever: bool = False
    left: int = 0


class VisitPlanner:
    """The way of each page in turn; memory grows with the number of hosts."""

    def __init__(self) -> None:
        self._hosts: dict[str, _Host] = defaultdict(_Host)

    def next(self, host: str) -> VisitMode:
        """How the next page of a host is to be visited."""
        known = self._hosts[host]
        trusted = known.alike >= ENOUGH
        if known.left:
            known.left -= 1
            return VisitMode.SERVED if trusted else VisitMode.RENDERED
        if trusted:
            known.left = SPELL
        return VisitMode.COMPARED

    def learn(self, host: str, alike: bool) -> None:
        """What a comparison came to."""
        known = self._hosts[host]
        if alike:
            known.ever = True
            known.alike += 1
        else:
            known.alike = 0
        if known.alike <= ENOUGH:
            known.left = SPELL if known.alike == ENOUGH or not known.ever else 0
