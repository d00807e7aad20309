"""Messages between a process and its workers, and what workers write to standard error.

Messages are pickles with their length before them. Both ends are this package on this machine;
nothing of a page is ever unpickled.
"""

from __future__ import annotations

import asyncio
import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...errors import MioloError

__all__ = ["Fatal", "Note", "Ready", "SlotReleased", "pack", "pass_lines", "receive"]

HEAD = struct.Struct("<Q")

# Of one worker: a page may have a library write without end.
MAX_LINES, MAX_LINE_BYTES = 1000, 2000

Note = Callable[[str], None]


@dataclass(frozen=True)
class Ready:
    """The worker is ready for tasks."""


@dataclass(frozen=True)
class Fatal:
    """The worker cannot work, and no other worker could."""

    error: MioloError


@dataclass(frozen=True)
class SlotReleased:
    """A task has released its slot: what remains of it does not delay another."""

    id: int


def pack(message: Any) -> bytes:
    """A message as bytes."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return HEAD.pack(len(data)) + data


async def receive(reader: asyncio.StreamReader) -> Any:
    """The next message.

    Raises
    ------
    EOFError
        The other end is gone.
    """
    try:
        (length,) = HEAD.unpack(await reader.readexactly(HEAD.size))
        return pickle.loads(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        raise EOFError from error


async def pass_lines(reader: asyncio.StreamReader, note: Note) -> None:
    """Pass on the first lines, and read all.

    Parameters
    ----------
    reader
        Where they come from.
    note
        Given each of the first thousand; longer ones are divided.
    """
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
