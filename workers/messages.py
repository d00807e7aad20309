"""Messages between a pool and its workers, as pickles with their lengths, and the workers' lines.

Both ends run this package on the same machine; no data from a page is ever unpickled.
"""

from __future__ import annotations

import asyncio
import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import MioloError

HEAD = struct.Struct("<Q")

# Limits for one worker, because a page may make a library write without end.
MAX_LINES, MAX_LINE_BYTES = 1000, 2000

Note = Callable[[str], None]


@dataclass(frozen=True)
class Task:
    """A job for the worker, with a number that is unique in its pool, and the job's deadline."""

    id: int
    job: Any
    seconds: float


@dataclass(frozen=True)
class Stop:
    """Nobody waits for a task any more; it is answered nevertheless."""

    id: int


@dataclass(frozen=True)
class Answer:
    """The result of a task, or the error with which it failed."""

    id: int
    result: Any = None
    error: MioloError | None = None


@dataclass(frozen=True)
class Ready:
    """The worker is ready for tasks."""


@dataclass(frozen=True)
class BrowserStarted:
    """The worker starts a browser."""


@dataclass(frozen=True)
class Fatal:
    """The worker cannot work, and neither could any other worker."""

    error: MioloError


@dataclass(frozen=True)
class SlotReleased:
    """A task has released its slot; its remaining work does not delay other tasks."""

    id: int


def pack(message: Any) -> bytes:
    """Serialize a message."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return HEAD.pack(len(data)) + data


async def receive(reader: asyncio.StreamReader) -> Any:
    """Receive the next message, or raise `EOFError` if the other end has closed the connection."""
    try:
        (length,) = HEAD.unpack(await reader.readexactly(HEAD.size))
        return pickle.loads(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        raise EOFError from error


async def pass_lines(reader: asyncio.StreamReader, note: Note) -> None:
    """Read all lines of a stream and pass on the first 1,000; long lines are split."""
    left, rest = MAX_LINES, b""
    while part := await reader.read(MAX_LINE_BYTES):
        *lines, rest = (rest + part).split(b"\n")
        if len(rest) >= MAX_LINE_BYTES:
            lines, rest = [*lines, rest], b""
        for line in lines[:left]:
            note(line.decode("utf-8", "replace"))
        left = max(left - len(lines), 0)
    if rest and left:
        note(rest.decode("utf-8", "replace"))
