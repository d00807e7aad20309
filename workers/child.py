"""The worker's side of a pool: its main loop, and a guaranteed exit."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from ..errors import MioloError
from .messages import Fatal, pack, receive
from .process_limits import end_within, limit_memory
from .processes import own_scratch, remove_scratch
from .system import kill_with_parent

END_SECONDS = 12.0  # time that a worker may take to end after its standard input was closed
OUT_OF_MEMORY = 75  # exit code of a worker that has run out of memory

Send = Callable[[Any], None]
Work = Callable[[Any, AsyncIterator[Any], Send], Awaitable[None]]


def run_worker(work: Work) -> None:
    """Run `work` with the first message, the further ones, and a function that sends answers."""
    kill_with_parent()
    limit_memory()
    # Output of any other code goes to standard error, so that it cannot corrupt the messages.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    warnings.showwarning = _print_warning

    def send(message: Any) -> None:
        # The parent is gone, so there is no one to notify; standard input is closed, too.
        with contextlib.suppress(BrokenPipeError):
            answers.write(pack(message))
            answers.flush()

    try:
        asyncio.run(_work(work, send))
    finally:
        scratch = own_scratch()
        if scratch is not None:
            remove_scratch(scratch)


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"miolo: {message}", file=sys.stderr, flush=True)


def exit_without_memory(error: BaseException | None) -> None:
    """End the process if a page failed for lack of memory: the others may lack it, too."""
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
            # The parent has ended or was interrupted, so nobody looks for what is still running.
            end_within(END_SECONDS, os.open(os.devnull, os.O_WRONLY))
            return
