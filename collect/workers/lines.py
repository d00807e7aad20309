"""What a worker writes to standard error, line by line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["Note", "pass_lines"]

# Of one worker: a page may have a library write without end.
MAX_LINES, MAX_LINE_BYTES = 1000, 2000

Note = Callable[[str], None]


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
