"""`Crew`: so many worker processes, each replaced when it ends."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from abc import ABC, abstractmethod
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from ...errors import MioloError
from .family import kill_family
from .messages import Fatal, Ready, Spared, packed, received
from .scratch import new_scratch, remove_scratch, scratch_environment

__all__ = ["Crew", "Member", "Task"]

# A worker that was told to end is killed when it has not by then.
CLOSE_SECONDS = 15.0

REST_SECONDS = 1.0


class Task(Protocol):
    """What a worker is told to do; its answer has the same number."""

    @property
    def id(self) -> int:
        """Unique among what is under way."""
        ...


T = TypeVar("T", bound=Task)


@dataclass(eq=False)
class Member(Generic[T]):
    """A worker.

    Attributes
    ----------
    process, scratch
        Its process and its folder for temporary files.
    tasks, timers
        What it works on, by number, and what ends it when that takes too long.
    spared
        Numbers of those that take no place any more.
    ready
        Whether it has said so.
    done
        Tasks that it has answered.
    old
        Whether it is given no more.
    idle
        Set when the last of its tasks has ended, and once it is dead.
    """

    process: Process
    scratch: Path
    tasks: dict[int, T] = field(default_factory=dict)
    timers: dict[int, asyncio.TimerHandle] = field(default_factory=dict)
    spared: set[int] = field(default_factory=set)
    ready: bool = False
    done: int = 0
    old: bool = False
    idle: asyncio.Event = field(default_factory=asyncio.Event)


class Crew(ABC, Generic[T]):
    """Worker processes, from start to a certain end.

    Parameters
    ----------
    program
        Module that they run.
    setup
        What each is told first.
    number
        Of workers.
    lifetime
        Tasks after which a worker is replaced: what its libraries keep grows page by page.
    quiet
        Whether what they write to standard error is dropped.
    """

    def __init__(
        self, program: str, setup: Any, number: int, *, lifetime: int, quiet: bool = False
    ) -> None:
        self._program = program
        self._setup = setup
        self._number = number
        self._lifetime = lifetime
        self._quiet = quiet
        self._members: list[Member[T]] = []
        self._jobs: set[asyncio.Task[None]] = set()
        self._closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        try:
            for _ in range(self._number):
                await self._hire()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.shield(self.close())

    @property
    def busy(self) -> int:
        """Tasks under way."""
        return sum(len(member.tasks) for member in self._members)

    async def close(self) -> None:
        """End all workers; none is left, nor what they have started."""
        self._closing.set()
        members, self._members = self._members, []
        await asyncio.gather(*(self._end(member) for member in members))
        await asyncio.gather(*self._jobs, return_exceptions=True)

    def kill(self) -> None:
        """End all workers at once, and have no others."""
        self._closing.set()
        for member in self._members:
            kill_family(member.process.pid)

    @abstractmethod
    def _answered(self, member: Member[T], task: T, answer: Any) -> None:
        """A task is done."""

    @abstractmethod
    def _lost(self, member: Member[T], task: T) -> None:
        """The worker has died over a task."""

    @abstractmethod
    def _patience(self, member: Member[T]) -> float | None:
        """Seconds until a dead worker is replaced; None for never."""

    @abstractmethod
    def _unable(self, error: MioloError) -> None:
        """No worker can work."""

    def _became_ready(self) -> None:
        """A worker has become ready."""

    def _gave_way(self) -> None:
        """A task takes no place any more."""

    def _ready(self) -> list[Member[T]]:
        return [member for member in self._members if member.ready and not member.old]

    def _give(self, member: Member[T], task: T, seconds: float) -> None:
        """Give a worker a task; it is killed when that takes longer."""
        loop = asyncio.get_running_loop()
        member.idle.clear()
        member.tasks[task.id] = task
        member.timers[task.id] = loop.call_later(seconds, self._kill, member)
        self._say(member, task)

    def _say(self, member: Member[T], message: Any) -> None:
        assert member.process.stdin is not None
        # A pipe that broke just now is noticed by the reader, which gives the tasks back.
        with contextlib.suppress(ConnectionError):
            member.process.stdin.write(packed(message))

    def _kill(self, member: Member[T]) -> None:
        # The reader notices, and has it replaced.
        self._job(asyncio.to_thread(kill_family, member.process.pid))

    def _renew(self, member: Member[T]) -> None:
        """Replace a worker that is old, once what it has to do is done."""
        if not member.old:
            member.old = True
            self._job(self._succeed(member))

    async def _succeed(self, member: Member[T]) -> None:
        await self._hire_again()
        if member.tasks:
            await member.idle.wait()
        if member in self._members:
            self._members.remove(member)
            await self._end(member)

    def _job(self, work: Coroutine[Any, Any, None]) -> None:
        job = asyncio.ensure_future(work)
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)

    async def _hire(self) -> None:
        if self._closing.is_set():
            return
        scratch = new_scratch()
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", self._program),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL if self._quiet else None,
                env=scratch_environment(scratch),
                start_new_session=True,
            )
        except BaseException:
            remove_scratch(scratch)
            raise
        member: Member[T] = Member(process, scratch)
        self._say(member, self._setup)
        if self._closing.is_set():
            await self._end(member)
            return
        self._members.append(member)
        self._job(self._read(member))

    async def _read(self, member: Member[T]) -> None:
        """Pass on what a worker says, until it says no more."""
        assert member.process.stdout is not None
        with contextlib.suppress(EOFError):
            while True:
                self._hear(member, await received(member.process.stdout))
        if member in self._members:
            await self._replace(member)

    def _hear(self, member: Member[T], message: Any) -> None:
        if isinstance(message, Ready):
            member.ready = True
            self._became_ready()
        elif isinstance(message, Fatal):
            self._members.remove(member)
            self._job(self._end(member))
            self._unable(message.error)
        elif message.id not in member.tasks:
            return
        elif isinstance(message, Spared):
            member.spared.add(message.id)
            self._gave_way()
        else:
            member.timers.pop(message.id).cancel()
            member.done += 1
            member.spared.discard(message.id)
            task = member.tasks.pop(message.id)
            if not member.tasks:
                member.idle.set()
            if member.done >= self._lifetime:
                self._renew(member)
            self._answered(member, task, message)

    async def _replace(self, member: Member[T]) -> None:
        self._members.remove(member)
        await self._bury(member)
        patience = self._patience(member)
        if patience is None:
            return
        # An old one's successor is hired already.
        hires = not member.old
        # Who is told of a lost task may give it to another worker at once.
        if hires and not patience:
            await self._hire_again()
        for task in member.tasks.values():
            self._lost(member, task)
        if hires and patience:
            await self._rest(patience)
            await self._hire_again()

    async def _hire_again(self) -> None:
        """Hire once the machine lets us: it may be short of processes or memory."""
        hired = False
        while not hired:
            try:
                await self._hire()
                hired = True
            except OSError:
                await self._rest(REST_SECONDS)

    async def _rest(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), seconds)

    async def _end(self, member: Member[T]) -> None:
        assert member.process.stdin is not None
        member.process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(member.process.wait(), CLOSE_SECONDS)
        await self._bury(member)

    async def _bury(self, member: Member[T]) -> None:
        """See to it that nothing of a worker is left."""
        member.idle.set()
        for timer in member.timers.values():
            timer.cancel()
        if member.process.returncode is None:
            await asyncio.to_thread(kill_family, member.process.pid)
        await member.process.wait()
        await asyncio.to_thread(remove_scratch, member.scratch)
