"""What a hostile page is in the table, and the parts that pages are made of."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["HEAD", "MARK", "STORY", "Hostile", "Wire", "document", "head_of", "script"]

MARK = "The harbour master closed the north quay on Tuesday after the crane had failed twice."

# Longer than 600 characters: beyond these a script may no longer leave the page.
STORY = "".join(
    f"<p>{MARK} Entry {number}: forty ships waited in the roads while divers looked at the "
    "piles, and the pilots were sent home until the tide turned again in the evening.</p>"
    for number in range(5)
)

HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html; charset=utf-8\r\n"


@dataclass(frozen=True)
class Wire:
    """A connection that a page answers on.

    Attributes
    ----------
    send
        Writes bytes; OSError once the browser has hung up.
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
        Also its path.
    answer
        Its body as HTML, or a function that answers by itself.
    errors
        Names of the typed errors that it may end with; empty where a snapshot must come.
    warns
        Code of a warning that the snapshot must have, if one comes.
    keeps
        Whether the story must be on the snapshot, if one comes.
    seconds
        Deadline.
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
    """The page whose last element is a script."""
    return document(after=f"<script>{code}</script>")


def head_of(*lines: str) -> bytes:
    """A response's head with these lines beside a page's own, to its empty line."""
    return HEAD + "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n"
