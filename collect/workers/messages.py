"""What goes between a process and its workers: pickles with their length before them.

Both ends are this package on this machine; nothing of a page is ever unpickled.
"""

from __future__ import annotations

import asyncio
import pickle
import struct
from dataclasses import dataclass
from typing import Any

from ...errors import MioloError

__all__ = ["Fatal", "Ready", "SlotReleased", "pack", "receive"]

HEAD = struct.Struct("<Q")


@dataclass(frozen=True)
class Ready:
    """A worker that can begin."""


@dataclass(frozen=True)
class Fatal:
    """A worker that cannot work: no task would fare better with another."""

    error: MioloError


@dataclass(frozen=True)
class SlotReleased:
    """A task takes no place any more: what is left of it keeps no other from being begun."""

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
