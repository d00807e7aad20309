"""The response to the request for a page: whether it is a page, and its ``Retry-After``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time

from ...errors import NavigationError
from .source_kinds import not_a_page, type_kind

PAGES = ("text/html", "application/xhtml+xml", "application/xml", "text/xml", "text/plain", "")

MAX_VALIDATOR = 1000  # servers refuse requests with much longer headers


@dataclass(frozen=True)
class Answer:
    """The response with the main document; absent headers are empty, or None for `retry_after`."""

    status: int
    mime: str
    retry_after: float | None = None
    etag: str = ""
    last_modified: str = ""

    @classmethod
    def from_headers(cls, status: int, mime: str, headers: Mapping[str, str]) -> Answer:
        """The response with these headers, received now."""
        by_name = {name.lower(): value for name, value in headers.items()}

        def validator(name: str) -> str:
            # Chromium joins repeated headers by line breaks.
            value = by_name.get(name, "").partition("\n")[0].strip()
            return value if value.isprintable() and len(value) <= MAX_VALIDATOR else ""

        delay = retry_after_seconds(headers, time())
        return cls(status, mime, delay, validator("etag"), validator("last-modified"))


def check_answer(answer: Answer, url: str) -> None:
    """Raise an error if the response is not a page."""
    check_status(answer, url)
    if answer.mime not in PAGES:
        raise not_a_page(url, type_kind(answer.mime, url))


def check_status(answer: Answer, url: str) -> None:
    """Raise a `NavigationError` if the status is an error status."""
    if answer.status >= 400:
        raise NavigationError(
            f"{url} answered with HTTP status {answer.status}",
            url=url,
            status=answer.status,
            retry_after=answer.retry_after,
        )


def retry_after_seconds(headers: Mapping[str, str], now: float) -> float | None:
    """Delay of ``Retry-After`` in seconds (RFC 9110, 10.2.3); None if it is absent or invalid.

    >>> retry_after_seconds({"Retry-After": "120"}, now=0.0)
    120.0
    >>> retry_after_seconds({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=45.0)
    15.0
    >>> retry_after_seconds({"retry-after": "soon"}, now=0.0)
    """
    value = next((v for n, v in headers.items() if n.lower() == "retry-after"), "").strip()
    if value.isdecimal() and value.isascii():
        return float(value[:9])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError, OSError):
        return None
