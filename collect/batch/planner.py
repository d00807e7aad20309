"""Which pages of a host are rendered, by what comparisons have shown of the host.

A page is first read as its server sends it, which gives the probability that rendering would give
another article (`miolo.models.rendering`). That probability is updated by the pages of the host
that were *compared*: read both with and without a browser. Every page that is rendered for its
probability is compared, and so are the second page of a host and one after every `SPELL` pages,
whatever their probability. A host most of whose pages differ is rendered without a first reading,
but for these comparisons.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum

__all__ = ["SPELL", "HostMemory", "VisitMode", "VisitPlanner"]

SPELL = 40
"""Pages of a host from one comparison to the next."""

PRIOR_PAGES = 1.0
"""Number of compared pages that the probability of a page itself counts as."""

KEPT_SHARE = 0.9
"""What is left of the weight of a comparison after the next one: sites change."""

ALIKE_PAGES = 2.0
"""Weight of alike pages at which a host most likely needs no browser."""


class VisitMode(Enum):
    """How a page is visited."""

    RENDERED = "rendered"
    COMPARED = "compared"
    SERVED = "served"
    """Without a browser, unless the page's probability is too high."""


@dataclass(frozen=True)
class HostMemory:
    """Weights of the compared pages of a host that gave the same article, and another one."""

    alike: float = 0.0
    different: float = 0.0

    def update(self, probability: float) -> float:
        """The probability that rendering changes a page, given the host's other pages.

        It is the mean of a beta distribution whose prior has the mean `probability`; a page that
        most likely changes has its own probability, because it may be unlike the others.
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
        """Whether most of the host's pages differ, of two or more."""
        return self.different > self.alike + 1


@dataclass
class _Host:
    memory: HostMemory = field(default_factory=HostMemory)
    # The first comparison is that of the second page: lists of one page a host need none.
    left: int = 1


class VisitPlanner:
    """How each page is visited. Memory grows with the number of hosts."""

    def __init__(self) -> None:
        self._hosts: dict[str, _Host] = defaultdict(_Host)

    def next(self, host: str) -> tuple[VisitMode, HostMemory]:
        """How the next page of a host is visited, and what is known of the host."""
        record = self._hosts[host]
        if not record.left:
            record.left = SPELL
            return VisitMode.COMPARED, record.memory
        record.left -= 1
        mode = VisitMode.RENDERED if record.memory.is_rendered else VisitMode.SERVED
        return mode, record.memory

    def learn(self, host: str, alike: bool) -> None:
        """Note the result of a comparison."""
        record = self._hosts[host]
        record.memory = record.memory.with_comparison(alike)
        record.left = SPELL
