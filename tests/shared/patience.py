"""Limits of waits, which grow with the time that this machine takes.

Waits end on events, so that a long limit costs nothing unless a test fails.
"""

import asyncio
import os
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

import psutil

Value = TypeVar("Value")

LOOK_SECONDS = 0.02

# A core of 2024 that does nothing else counts to `COUNT` in this time.
COUNT = 1_000_000
FAST_SECONDS = 0.03
MARGIN = 3.0


def _slowness() -> float:
    """How much longer than a fast machine this one takes, and at least 1."""
    start = time.perf_counter()
    for _ in range(COUNT):
        pass
    return max(1.0, (time.perf_counter() - start) / FAST_SECONDS)


# Measured once: all workers of a run inherit the variable.
SLOWNESS = MARGIN * float(os.environ.setdefault("MIOLO_TESTS_SLOWNESS", f"{_slowness():.2f}"))


def patient(seconds: float) -> float:
    """A limit in seconds on this machine, given that of a fast machine."""
    return seconds * SLOWNESS


def until(met: Callable[[], Value], seconds: float = 60.0) -> Value:
    """Value of a condition once it is met.

    The tests wait in this function alone where no event tells what another process does.
    """
    due = time.monotonic() + patient(seconds)
    while not (value := met()):
        assert time.monotonic() < due, "it never came"
        time.sleep(LOOK_SECONDS)
    return value


async def until_async(met: Callable[[], Value], seconds: float = 60.0) -> Value:
    """Value of a condition of this event loop once it is met."""
    due = time.monotonic() + patient(seconds)
    while not (value := met()):
        assert time.monotonic() < due, "it never came"
        await asyncio.sleep(LOOK_SECONDS)
    return value


def remaining_processes(processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    """Processes that do not end."""
    return psutil.wait_procs(list(processes), patient(20))[1]
