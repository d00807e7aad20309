"""The table entry of a hostile page, and the building blocks of such pages."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["HEAD", "MARK", "STORY", "Hostile", "Wire", "document", "head_of", "script"]

MARK = "The harbour master closed the north quay on Tuesday after the crane had failed twice."

# Longer than 600 characters, beyond which a script may no longer navigate away.
STORY = "".join(
    f"<p>{MARK} Entry {number}: forty ships waited in the roads while divers looked at the "
    "piles, and the pilots were sent home until the tide turned again in the evening.</p>"
    for number in range(5)
)

HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html; charset=utf-8\r\n"


@dataclass(frozen=True)
class Wire:
    """The connection on which a page is served.

    Attributes
    ----------
    send
        Writes bytes; raises OSError once the browser has closed the connection.
    target
        Target of the request line.
    stop
        Set when the server closes.
    """

    send: Callable[[bytes], None]
    target: str
    stop: threading.Event


Answer = Callable[[Wire], None]


@dataclass(frozen=True)
class Hostile:
    """A hostile page, and its expected outcome.

    Attributes
    ----------
    name
        Name, which is also the path.
    answer
        Body as HTML, or a function that writes the whole response.
    errors
        Names of the typed errors that it may raise; empty if there must be a snapshot.
    warns
        Code of a warning that its snapshot must have, if there is a snapshot.
    keeps
        Whether its snapshot must contain the story, if there is a snapshot.
    seconds
        Deadline of the page.
    options
        Further fields of `RenderOptions`.
    """

    name: str
    answer: str | bytes | Answer
    errors: tuple[str, ...] = ()
    warns: str = ""
    keeps: bool = True
    seconds: float = 5.0
    options: Mapping[str, Any] = field(default_factory=dict)


def document(before: str = "", after: str = "", head: str = "") -> str:
    """A page with the story, and hostile content before it, after it, or in its head."""
    top = f"<!doctype html><html lang=en><head><title>Harbour</title>{head}</head>"
    return f"{top}<body>{before}<article><h1>Quay closed</h1>{STORY}</article>{after}</body></html>"


def script(code: str) -> str:
    """A page with the story, whose last element is a script."""
    return document(after=f"<script>{code}</script>")


def head_of(*lines: str) -> bytes:
    """The usual head of a response with further lines, up to and including its empty line."""
    return HEAD + "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n"
