"""The worker's side of a pool: its main loop, and a guaranteed exit."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from ...errors import MioloError
from ...renderer.process_limits import end_with_parent, limit_memory
from ...renderer.scratch import own_scratch, remove_scratch
from .messages import Fatal, pack, receive

__all__ = ["OUT_OF_MEMORY", "Send", "Work", "end_within", "exit_without_memory", "run_worker"]

# What a worker that is to end may still take.
END_SECONDS = 12.0

# Exit code of a worker that has no memory left.
OUT_OF_MEMORY = 75

Send = Callable[[Any], None]
Work = Callable[[Any, AsyncIterator[Any], Send], Awaitable[None]]


def run_worker(work: Work) -> None:
    """Work until standard input ends.

    Parameters
    ----------
    work
        Is given the first message, all further ones, and what sends an answer.
    """
    end_with_parent()
    limit_memory()
    # Whatever else prints goes to standard error, never between the messages.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def send(message: Any) -> None:
        # Nobody is left to notify: standard input has ended, too.
        with contextlib.suppress(BrokenPipeError):
            answers.write(pack(message))
            answers.flush()

    try:
        asyncio.run(_work(work, send))
    finally:
        scratch = own_scratch()
        if scratch is not None:
            remove_scratch(scratch)


def end_within(seconds: float | None) -> None:
    """End the process after so long, whatever holds it up; None takes that back.

    The watch is the interpreter's own: code that never releases it is no obstacle.
    """
    if seconds is None:
        faulthandler.cancel_dump_traceback_later()
    else:
        faulthandler.dump_traceback_later(seconds, exit=True, file=sys.stderr)


def exit_without_memory(error: BaseException | None) -> None:
    """End the process if a page failed by a lack of memory.

    Whatever else it works on may lack memory too, by no fault of its own.
    """
    if error is not None and isinstance(error.__cause__, MemoryError):
        os._exit(OUT_OF_MEMORY)


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
