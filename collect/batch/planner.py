"""Decides which pages of a host are rendered, from comparisons on other pages of the host.

A page is first read without a browser, which gives the probability that rendering would yield a
different article (`miolo.models.rendering`). That probability is updated with the host's pages
that were *compared*, that is, read both with and without a browser. Every page that is rendered
because of its probability is compared. The second page of a host, and one page after every
`SPELL` pages, are compared regardless of their probability. If most pages of a host differ, its
pages are rendered without reading them first, except for these comparisons.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum

SPELL = 40  # number of pages of a host between two comparisons
PRIOR_PAGES = 1.0  # weight of a page's own probability, as a number of compared pages

KEPT_SHARE = 0.9
"""Factor by which each new comparison reduces the weight of earlier ones, since sites change."""

ALIKE_PAGES = 2.0  # weight of alike pages from which a host most likely needs no browser


class VisitMode(Enum):
    """How a page is visited."""

    RENDERED = "rendered"
    COMPARED = "compared"
    SERVED = "served"
    """Read without a browser, unless the page's probability is too high."""

    SAVED = "saved"
    """Read from the snapshot of an earlier visit."""


@dataclass(frozen=True)
class HostMemory:
    """Weights of a host's compared pages whose articles were alike, and were different."""

    alike: float = 0.0
    different: float = 0.0

    def update(self, probability: float) -> float:
        """The probability that rendering changes a page, given the host's other pages.

        This is the mean of a beta distribution whose prior has the mean `probability`. A page
        that most likely changes keeps its own probability, because it may be unlike the others.
        """
        if probability > 0.5:
            return probability
        weight = PRIOR_PAGES + self.alike + self.different
        return (PRIOR_PAGES * probability + self.different) / weight

    def with_comparison(self, alike: bool) -> HostMemory:
        """The memory after another comparison."""
        return HostMemory(
            KEPT_SHARE * self.alike + alike, KEPT_SHARE * self.different + (not alike)
        )

    @property
    def is_served(self) -> bool:
        """Whether the host's pages most likely need no browser."""
        return self.alike >= ALIKE_PAGES and self.different < 0.5

    @property
    def is_rendered(self) -> bool:
        """Whether most of the host's compared pages differ, given at least two of them."""
        return self.different > self.alike + 1


@dataclass
class _Host:
    memory: HostMemory = field(default_factory=HostMemory)
    # The second page is compared first, so that lists with one page per host need no comparison.
    left: int = 1


class VisitPlanner:
    """Decides how each page is visited. Memory grows with the number of hosts."""

    def __init__(self) -> None:
        self._hosts: dict[str, _Host] = defaultdict(_Host)

    def next(self, host: str) -> tuple[VisitMode, HostMemory]:
        """How the next page of a host is visited, and the results of the host's comparisons."""
        record = self._hosts[host]
        if not record.left:
            record.left = SPELL
            return VisitMode.COMPARED, record.memory
        record.left -= 1
        mode = VisitMode.RENDERED if record.memory.is_rendered else VisitMode.SERVED
        return mode, record.memory

    def learn(self, host: str, alike: bool) -> None:
        """Record the result of a comparison."""
        record = self._hosts[host]
        record.memory = record.memory.with_comparison(alike)
        record.left = SPELL
