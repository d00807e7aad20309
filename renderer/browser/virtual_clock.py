"""The clock of a page, which skips the time in which the page waits for its own timers.

Chromium can run a page's timers without waiting for them, and stop the page's clock while a request
is pending (`Emulation.setVirtualTimePolicy` of its protocol). The clock belongs to the scheduler of
the page's process. That process serves one page, since every page has a context of its own. Frames
of other processes and workers keep their own clocks. No command ends virtual time: after its budget
the clock stands until it runs on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from ...errors import RenderError
from .protocol import ProtocolSession

__all__ = ["VirtualClock"]

# Tasks without delay that may run before the clock advances all the same.
MAX_STARVATION = 10_000

# Seconds between two steps of a clock that keeps pace with real time.
STEP = 0.1


class VirtualClock:
    """The clock of one page."""

    def __init__(self, session: ProtocolSession) -> None:
        self._session = session
        self._expired = asyncio.Event()
        self._stands = False
        session.on("Emulation.virtualTimeBudgetExpired", self._on_expired)

    def _on_expired(self, _: dict[str, Any]) -> None:
        self._stands = True
        self._expired.set()

    async def skip(self, seconds: float, *, network: bool) -> None:
        """Start to run the timers of the next seconds of the page's time at once.

        Parameters
        ----------
        network
            Whether the clock stops while a request is pending.
        """
        self._expired.clear()
        self._stands = False
        await self._session.send(
            "Emulation.setVirtualTimePolicy",
            policy="pauseIfNetworkFetchesPending" if network else "advance",
            budget=1000 * seconds,
            maxVirtualTimeTaskStarvationCount=MAX_STARVATION,
        )

    async def stop(self) -> None:
        """Let the clock stand."""
        self._stands = True
        await self._session.send("Emulation.setVirtualTimePolicy", policy="pause")

    async def wait(self, seconds: float) -> bool:
        """Wait until the time is skipped, for some real seconds at most; whether it is."""
        try:
            async with asyncio.timeout(seconds):
                await self._expired.wait()
        except TimeoutError:
            return False
        return True

    @contextlib.asynccontextmanager
    async def keep_pace(self) -> AsyncIterator[None]:
        """Let a clock that stands go on as fast as real time, in steps."""
        steps = asyncio.ensure_future(self._go_on())
        try:
            yield
        finally:
            steps.cancel()

    async def _go_on(self) -> None:
        with contextlib.suppress(RenderError):
            while True:
                await asyncio.sleep(STEP)
                await self.step(STEP)

    async def step(self, seconds: float) -> None:
        """Let a clock that stands go on for some seconds."""
        if self._stands:
            await self.skip(seconds, network=False)

    async def run(self) -> None:
        """Let a clock that stands run on, without waiting for timers."""
        if self._stands:
            self._stands = False
            await self._session.send("Emulation.setVirtualTimePolicy", policy="advance")
