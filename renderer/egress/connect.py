"""Connects to the first of several addresses that answers (RFC 8305, in short)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from .addresses import Address
from .relay import Side

__all__ = ["connect"]

# Between the beginnings of two attempts; the recommended delay.
STAGGER = 0.25

SECONDS = 20.0

MOST = 8


async def connect(addresses: Sequence[Address], port: int) -> Side:
    """A side connected to the first address that answers; it does not read yet.

    Raises
    ------
    OSError
        None does: how the last one to fail did. `TimeoutError` is one.
    """
    left = list(addresses[:MOST])
    begun: set[asyncio.Task[Side]] = set()
    failure: BaseException = OSError("there is no address")
    try:
        async with asyncio.timeout(SECONDS):
            while left or begun:
                if left:
                    begun.add(asyncio.ensure_future(_attempt(left.pop(0), port)))
                done, _ = await asyncio.wait(
                    begun,
                    timeout=STAGGER if left else None,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                for task in done:
                    begun.discard(task)
                    error = task.exception()
                    if error is None:
                        return task.result()
                    failure = error
        raise failure
    finally:
        for task in begun:
            task.add_done_callback(_too_late)
            task.cancel()


async def _attempt(address: Address, port: int) -> Side:
    loop = asyncio.get_running_loop()
    # The address is written out, so nobody is asked for it again.
    _, side = await loop.create_connection(Side, str(address), port)
    return side


def _too_late(task: asyncio.Task[Side]) -> None:
    if not task.cancelled() and task.exception() is None:
        task.result().reset()
