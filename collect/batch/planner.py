"""Which pages of a host are read without a browser, by comparing some of them.

A *compared* page is rendered and also read as its server sends it. When `ENOUGH` pages of a host in
a row give the same article, its next pages are read without a browser, unless an extraction cannot
be trusted; every so often a page is compared again. After a difference, pages are compared until
enough of them in a row agree. A host without any agreement is rendered, with a comparison every so
often.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import Enum

__all__ = ["ENOUGH", "SPELL", "VisitMode", "VisitPlanner"]

# Pages of a host that must agree, one after the other, before the host is trusted.
ENOUGH = 5

# Pages that are visited according to the last comparison before the next one.
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
    """How each page is visited. Memory grows with the number of hosts."""

    def __init__(self) -> None:
        self._hosts: dict[str, _Host] = defaultdict(_Host)

    def next(self, host: str) -> VisitMode:
        """How the next page of a host is visited."""
        record = self._hosts[host]
        trusted = record.alike >= ENOUGH
        if record.left:
            record.left -= 1
            return VisitMode.SERVED if trusted else VisitMode.RENDERED
        if trusted:
            record.left = SPELL
        return VisitMode.COMPARED

    def learn(self, host: str, alike: bool) -> None:
        """Note the result of a comparison."""
        record = self._hosts[host]
        if alike:
            record.ever = True
            record.alike += 1
        else:
            record.alike = 0
        if record.alike <= ENOUGH:
            record.left = SPELL if record.alike == ENOUGH or not record.ever else 0
