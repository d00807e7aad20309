"""A plain GET, of robots.txt, sitemaps, feeds or pages as served, and its redirects."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urljoin

from ...errors import NavigationError, TooLargeError
from .exchange import REDIRECTS, Exchange
from .origins import WEB, check_address

MAX_REDIRECTS = 20  # the same number as in Chromium


@dataclass(frozen=True)
class GetRequest:
    """A plain GET: its URL, and its limits on time and length."""

    url: str
    seconds: float
    max_bytes: int

    def too_large(self) -> TooLargeError:
        """The error for a response that is longer than allowed."""
        return TooLargeError(f"{self.url} is larger than {self.max_bytes:,} bytes", url=self.url)

    def failure(self, cause: str) -> NavigationError:
        """The error for a URL that cannot be opened."""
        return NavigationError(f"{self.url} cannot be opened: {cause}", url=self.url, cause=cause)


async def follow_redirects(
    get: GetRequest, ask: Callable[[str], Awaitable[Exchange]]
) -> list[Exchange]:
    """The responses to a GET: its redirects, and the final response."""
    answers: list[Exchange] = []
    url = get.url
    for _ in range(1 + MAX_REDIRECTS):
        answer = await ask(url)
        answers.append(answer)
        target = leads_to(answer)
        if not target:
            return answers
        try:
            url = urljoin(url, target)
            check_address(url, WEB)
        except (NavigationError, ValueError):
            raise get.failure("ERR_UNSAFE_REDIRECT") from None
    raise get.failure("ERR_TOO_MANY_REDIRECTS")


def leads_to(answer: Exchange) -> str:
    """Target of a redirect, as written in its header; "" for any other response."""
    return answer.header("location") if answer.status in REDIRECTS else ""
