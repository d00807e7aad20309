"""Requests and replies as the handlers of pages see them."""

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit


class HangUpError(Exception):
    """Makes the server close the connection without an answer."""


@dataclass(frozen=True)
class Request:
    """A client's request; `stop` is set when the site closes."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    origin: str
    other_origin: str
    stop: threading.Event

    @property
    def path(self) -> str:
        """The target without its query."""
        return urlsplit(self.target).path

    def query(self, name: str, default: str = "") -> str:
        """The first value of a query parameter."""
        return parse_qs(urlsplit(self.target).query).get(name, [default])[0]

    def wait(self, seconds: float) -> None:
        """Let the client wait, but no longer than the site is served."""
        if self.stop.wait(seconds):
            raise HangUpError


@dataclass(frozen=True)
class Reply:
    """An answer; a body that is not bytes is streamed in chunks."""

    body: bytes | Iterable[bytes]
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = field(default=())
    #: A false Content-Length.
    claimed_length: int | None = None


Handler = Callable[[Request], Reply]


def page(markup: str, status: int = 200) -> Reply:
    """An HTML answer."""
    return Reply(markup.encode(), status=status)


def always(markup: str) -> Handler:
    """A handler that answers every request with the same page."""
    return lambda request: page(markup)


def redirect(target: str, status: int = 302) -> Reply:
    """A redirect with the short body that servers usually send."""
    return Reply(b"<h1>Moved</h1>", status=status, headers=(("Location", target),))


def endless(request: Request, first: bytes, piece: bytes, seconds: float) -> Iterator[bytes]:
    """`first`, then `piece` again and again until the site closes."""
    yield first
    while not request.stop.wait(seconds):
        yield piece
