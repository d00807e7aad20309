"""When the next visit may begin: which host may be visited, and whether resources suffice."""

from __future__ import annotations

import heapq
import itertools
import os
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic, time

import psutil

# A requested delay beyond this would keep most of a site from ever being visited.
LONGEST_DELAY = 60.0

# Below this share of free memory, or above this load per core, no visit begins.
LEAST_MEMORY_SHARE = 0.05
MAX_LOAD = 6.0

BEGINNING = time() - monotonic()


def steady_time() -> float:
    """Seconds since the epoch, by a clock that nobody sets while the program runs."""
    return BEGINNING + monotonic()


@dataclass(frozen=True)
class Politeness:
    """Limits on the visits to one host."""

    delay: float = 0.5  # minimum seconds from the start of one visit to the start of the next
    concurrency: int = 2  # maximum number of visits at a time


# Pages from an archive are not requested from their hosts.
NO_LIMITS = Politeness(delay=0.0, concurrency=sys.maxsize)


@dataclass
class _Host:
    waiting: int = 0
    running: int = 0
    ready: float = 0.0
    delay: float = 0.0
    listed: bool = False
    held: bool = False


class Hosts:
    """Queue of the hosts that have pages to visit; "" stands for local files, without limits."""

    def __init__(self, politeness: Politeness) -> None:
        self._politeness = politeness
        self._hosts: defaultdict[str, _Host] = defaultdict(_Host)
        self._turn = itertools.count()
        self._heap: list[tuple[float, int, str]] = []
        # Total over all hosts, kept because `idle` is read for every page.
        self._waiting = 0

    def add(self, pages: Mapping[str, int]) -> None:
        """Add a number of waiting pages to each host."""
        for name, count in pages.items():
            self._change_waiting(name, count)

    def next(self, now: float) -> str | None:
        """The host whose turn it is; None if no host may be visited yet."""
        while self._heap and self._heap[0][0] <= now:
            _, _, name = heapq.heappop(self._heap)
            host = self._hosts[name]
            host.listed = False
            if host.ready > now:
                self._list(name)
            elif host.waiting and not host.held and self._free(name, host):
                return name
        return None

    def next_time(self) -> float | None:
        """When to call `next` again unless a visit ends earlier; None if no host is listed."""
        return self._heap[0][0] if self._heap else None

    def begin_visit(self, name: str, now: float) -> None:
        """Record that a visit to one of a host's pages begins."""
        host = self._hosts[name]
        host.running += 1
        if name:
            host.ready = max(host.ready, now + max(host.delay, self._politeness.delay))
        self._change_waiting(name, -1)

    def drop_one(self, name: str) -> None:
        """Record that one of a host's pages will not be visited."""
        self._change_waiting(name, -1)

    def end_visit(self, name: str, *, again: bool = False) -> None:
        """Record that a visit has ended; with `again` its page is queued once more."""
        self._hosts[name].running -= 1
        self._change_waiting(name, int(again))

    def pause(self, name: str, until: float) -> None:
        """Begin no visit to a host before a given time."""
        host = self._hosts[name]
        host.ready = max(host.ready, until)
        self._list(name)

    def hold(self, name: str) -> None:
        """Begin no visit to a host until it is released."""
        self._hosts[name].held = True

    def release(self, name: str) -> None:
        """Allow visits to a held host again."""
        self._hosts[name].held = False
        self._list(name)

    def slow_down(self, name: str, delay: float) -> None:
        """Respect a longer delay that a host requests, up to `LONGEST_DELAY`."""
        self._hosts[name].delay = min(delay, LONGEST_DELAY)

    def clear_waiting(self, name: str) -> None:
        """Record that a host has no waiting pages."""
        self._change_waiting(name, -self._hosts[name].waiting)

    def has_pages(self, name: str) -> bool:
        """Whether a host has pages that are waiting or being visited."""
        host = self._hosts[name]
        return host.waiting + host.running > 0

    @property
    def idle(self) -> bool:
        """Whether no page is waiting."""
        return self._waiting == 0

    def _change_waiting(self, name: str, pages: int) -> None:
        """Change the number of a host's waiting pages."""
        self._hosts[name].waiting += pages
        self._waiting += pages
        self._list(name)

    def _free(self, name: str, host: _Host) -> bool:
        return not name or host.running < self._politeness.concurrency

    def _list(self, name: str) -> None:
        host = self._hosts[name]
        if host.waiting and not host.listed and not host.held and self._free(name, host):
            host.listed = True
            heapq.heappush(self._heap, (host.ready, next(self._turn), name))


@lru_cache(1)
def short_resource(second: int) -> str | None:
    """The resource that is short, ``"memory"``, ``"processor time"`` or None, looked up once for
    each second of a clock.
    """
    memory = psutil.virtual_memory()
    if memory.available < LEAST_MEMORY_SHARE * memory.total:
        return "memory"
    if os.getloadavg()[0] > MAX_LOAD * (os.cpu_count() or 1):
        return "processor time"
    return None
