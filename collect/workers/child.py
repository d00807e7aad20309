"""The worker's side: what it is told, and a certain end."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from ...errors import MioloError
from .messages import Fatal, pack, receive
from .scratch import SCRATCH

__all__ = ["Send", "Work", "end_within", "run_worker"]

# What a worker that is to end may still take.
END_SECONDS = 12.0

Send = Callable[[Any], None]
Work = Callable[[Any, AsyncIterator[Any], Send], Awaitable[None]]


def run_worker(work: Work) -> None:
    """Work until standard input ends.

    Parameters
    ----------
    work
        Is given the first message, all further ones, and what sends an answer.
    """
    # Whatever else prints goes to standard error, never between the messages.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def send(message: Any) -> None:
        # Nobody is there to be told: standard input has ended, too.
        with contextlib.suppress(BrokenPipeError):
            answers.write(pack(message))
            answers.flush()

    try:
        asyncio.run(_work(work, send))
    finally:
        scratch = Path(tempfile.gettempdir())
        if scratch.name.startswith(SCRATCH):
            shutil.rmtree(scratch, ignore_errors=True)


def end_within(seconds: float | None) -> None:
    """End the process after so long, whatever holds it up; None takes that back.

    The watch is the interpreter's own: code that never lets go of it is no obstacle.
    """
    if seconds is None:
        faulthandler.cancel_dump_traceback_later()
    else:
        faulthandler.dump_traceback_later(seconds, exit=True, file=sys.stderr)


async def _work(work: Work, send: Send) -> None:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    inbox = _messages(reader)
    try:
        await work(await anext(inbox), inbox, send)
    except StopAsyncIteration:
        return
    except MioloError as error:
        send(Fatal(error))


async def _messages(reader: asyncio.StreamReader) -> AsyncIterator[Any]:
    while True:
        try:
            yield await receive(reader)
        except EOFError:
            end_within(END_SECONDS)
            return
