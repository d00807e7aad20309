"""Asynchronous work for synchronous callers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from typing import Any, TypeVar

__all__ = ["run"]

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to completion, in a new thread if an event loop is already running.

    If the caller is interrupted while it waits for the thread, the coroutine is cancelled, and the
    interrupt is raised after it has ended.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    result: Future[T] = Future()
    stop: Future[None] = Future()

    async def stoppable() -> T:
        task = asyncio.ensure_future(work)
        asyncio.wrap_future(stop).add_done_callback(lambda _: task.cancel())
        return await task

    def target() -> None:
        try:
            result.set_result(asyncio.run(stoppable()))
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=target, name="miolo-render").start()
    try:
        wait([result])
    except BaseException:
        stop.cancel()
        # Not `Thread.join`, which in Python 3.11 returns at once after it was interrupted.
        wait([result])
        raise
    return result.result()
