"""Retry policy: how often and when a visit is retried, by the kind of failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

from ...errors import BrowserCrashedError, MioloError, NavigationError, PageTimeoutError
from ..frontier.robots import UNREACHABLE, Robots

# Maximum number of visits for each kind of failure.
BUSY_TRIES = 5
ONCE_MORE = 2

NETWORK_TRIES = 3  # maximum number of visits to a page whose connection fails

# Number of requests for a host's robots.txt before it counts as unreachable for the whole run.
ROBOTS_TRIES = 3

BUSY = frozenset((429, 503))  # statuses of a server that is overloaded

PASSING_STATUS = frozenset((408, 425, 500, 502, 504, 520, 521, 522, 523, 524)) | BUSY

# Failures of name resolution and of connections may be transient; a bad certificate is not.
PASSING_CAUSES = (
    "ERR_ADDRESS_UNREACHABLE", "ERR_CONNECTION", "ERR_CONTENT_LENGTH_MISMATCH", "ERR_DNS",
    "ERR_EMPTY_RESPONSE", "ERR_HTTP2", "ERR_INCOMPLETE_CHUNKED_ENCODING",
    "ERR_INTERNET_DISCONNECTED", "ERR_NAME_NOT_RESOLVED", "ERR_NETWORK", "ERR_PROXY", "ERR_QUIC",
    "ERR_SOCKET", "ERR_TIMED_OUT", "ERR_TUNNEL",
)  # fmt: skip

FIRST_WAIT = 2.0

LONGEST_WAIT = 300.0  # maximum number of seconds until a page is visited again


@dataclass(frozen=True)
class Verdict:
    """Consequence of a failure: the seconds until the page is retried (None if it is not retried in
    this run), whether another run may succeed, and for how long no page of the host is visited.
    """

    wait: float | None
    passing: bool
    pause: float = 0.0


def verdict(error: MioloError, tries: int, *, is_replayed: bool = False) -> Verdict:
    """Judge the failure of a visit, given the visits so far; an archive always answers alike."""
    if is_replayed and isinstance(error, NavigationError):
        return Verdict(None, passing=False)
    allowed = _tries(error)
    backoff = min(FIRST_WAIT * 4 ** (tries - 1), LONGEST_WAIT)
    pause = 0.0
    if isinstance(error, NavigationError) and error.status in BUSY:
        requested = error.retry_after if error.retry_after is not None else backoff
        pause = backoff = min(max(requested, 0.0), LONGEST_WAIT)
    elif is_unreachable(error) and tries < allowed:
        pause = backoff
    return Verdict(backoff if tries < allowed else None, allowed > 1, pause)


def is_unreachable(error: MioloError | None) -> TypeGuard[NavigationError]:
    """Whether no connection to the host of the page could be made."""
    return isinstance(error, NavigationError) and error.unreachable


def robots_wait(robots: Robots, tries: int) -> float | None:
    """Seconds until an unreachable robots.txt is requested again after so many tries, if it is."""
    if robots.reason != UNREACHABLE or tries >= ROBOTS_TRIES:
        return None
    return FIRST_WAIT * 4 ** (tries - 1)


def _tries(error: MioloError) -> int:
    if isinstance(error, NavigationError):
        if error.status in BUSY:
            return BUSY_TRIES
        if error.status in PASSING_STATUS or (error.cause or "").startswith(PASSING_CAUSES):
            return NETWORK_TRIES
        return 1
    return ONCE_MORE if isinstance(error, PageTimeoutError | BrowserCrashedError) else 1
