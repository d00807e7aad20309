"""Records and replays all requests of a page."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from ...errors import PageWarning, RenderError
from ..archives.archive import Archive
from ..network.exchange import Exchange
from .protocol import ProtocolSession
from .recorder import Recorder
from .replay import Replay

__all__ = ["ChildTargets", "Traffic", "Watch"]


class Traffic:
    """The recorder and the replay of one page; either may be missing.

    Parameters
    ----------
    archive
        Archive that answers the requests; None for the network.
    recorded
        List to record into; None to record nothing.
    main_frame, limit, patience
        Parameters of `Recorder`.
    """

    def __init__(
        self,
        archive: Archive | None,
        recorded: list[Exchange] | None,
        main_frame: str,
        limit: int,
        patience: float,
    ) -> None:
        self.recorder: Recorder | None = None
        self.replay: Replay | None = None
        if recorded is not None:
            self.recorder = Recorder(recorded, main_frame, limit, patience)
        if archive is not None:
            self.replay = Replay(archive, self.recorder)
        self._frames: ChildTargets | None = None

    async def open(self, session: ProtocolSession, guard: Guard, watch: Watch) -> None:
        """Start to record, watch workers, and guard frames in other processes.

        Parameters
        ----------
        guard, watch
            Called with the session of each such frame, and with the session and the URL of each
            worker.
        """
        if self.recorder:
            self.recorder.watch(session)
        self._frames = ChildTargets(session, guard, watch)
        await self._frames.attach()

    def warnings(self) -> list[PageWarning]:
        """Warnings about what could not be recorded, and what the archive lacks."""
        of_recorder = self.recorder.warnings() if self.recorder else []
        return of_recorder + (self.replay.warnings() if self.replay else [])

    def close(self) -> None:
        """Hand over what was recorded."""
        if self.recorder:
            self.recorder.close()
        if self._frames:
            self._frames.close()


# Frames in other processes and workers: each is paused until it is set up or watched, then resumed.

Guard = Callable[[ProtocolSession], Awaitable[None]]
Watch = Callable[[ProtocolSession, str], Awaitable[None]]

FRAMES, WORKERS, NOTHING_ELSE = {"type": "iframe"}, {"type": "worker"}, {"exclude": True}


class ChildTargets:
    """Attaches to workers, and to frames below that of a session and those below them.

    Parameters
    ----------
    session
        Session of the page, or of a frame.
    guard, watch
        Called with the session of each frame, and with the session and the URL of each worker,
        before it runs. The frame of a worker reports its script, but no other request.
    """

    def __init__(self, session: ProtocolSession, guard: Guard, watch: Watch) -> None:
        self._session = session
        self._guard = guard
        self._watch = watch
        self._below: dict[str, ProtocolSession] = {}
        self._held: list[ChildTargets] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def attach(self) -> None:
        """Start to attach to targets as they appear."""
        self._session.on("Target.receivedMessageFromTarget", self._on_received)
        self._session.on("Target.attachedToTarget", self._on_attached)
        self._session.on("Target.detachedFromTarget", self._on_detached)
        await self._session.send(
            "Target.setAutoAttach",
            autoAttach=True,
            waitForDebuggerOnStart=True,
            flatten=False,
            filter=[FRAMES, WORKERS, NOTHING_ELSE],
        )

    def _on_received(self, event: dict[str, Any]) -> None:
        session = self._below.get(event["sessionId"])
        if session:
            session.receive(event["message"])

    def _on_attached(self, event: dict[str, Any]) -> None:
        wire: Any = _Through(self._session)
        session = self._below[event["sessionId"]] = ProtocolSession(wire, event["sessionId"])
        task = asyncio.ensure_future(self._open(session, event["targetInfo"]))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_detached(self, event: dict[str, Any]) -> None:
        session = self._below.pop(event["sessionId"], None)
        if session:
            session.close()

    async def _open(self, session: ProtocolSession, target: dict[str, Any]) -> None:
        # If the target is gone, so are its requests.
        with contextlib.suppress(RenderError):
            if target["type"] == "worker":
                await self._watch(session, target["url"])
            else:
                await self._guard(session)
                below = ChildTargets(session, self._guard, self._watch)
                self._held.append(below)
                await below.attach()
            await session.send("Runtime.runIfWaitingForDebugger")

    def close(self) -> None:
        """Fail the pending commands of all targets."""
        for session in self._below.values():
            session.close()
        for below in self._held:
            below.close()


class _Through:
    """The wire of a frame's session, which is the session of the surrounding page."""

    def __init__(self, session: ProtocolSession) -> None:
        self._session = session

    async def send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        return await self._session.send(method, **params)
