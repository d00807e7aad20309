"""Which processes of a browser have a memory limit, and when all of them are known to have it."""

from __future__ import annotations

import asyncio
import sys

import psutil
import pytest
from miolo.renderer.browser import engine

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no such bound")


class Process:
    """A process with these command lines, one after the other; the last one is repeated."""

    def __init__(self, *commands: list[str] | None) -> None:
        self.commands = list(commands)
        self.family: list[Process] = []
        self.bound: tuple[int, int] | None = None

    def cmdline(self) -> list[str]:
        command = self.commands.pop(0) if len(self.commands) > 1 else self.commands[0]
        if command is None:
            raise psutil.NoSuchProcess(1)
        return command

    def children(self, recursive: bool) -> list[Process]:
        assert recursive
        return self.family

    def rlimit(self, _: int, bound: tuple[int, int]) -> None:
        self.bound = bound


BROWSER = ["chromium", "--headless"]
ZYGOTE = ["chromium", "--type=zygote"]


def are_bounded(*children: Process) -> list[bool]:
    browser = Process(BROWSER)
    browser.family = list(children)
    asyncio.run(engine.bound_memory(browser))  # pyright: ignore[reportArgumentType]
    return [child.bound == (engine.PAGE_BYTES, engine.PAGE_BYTES) for child in children]


@pytest.mark.parametrize("first", [BROWSER, []])
def test_a_process_that_is_still_being_started_is_waited_for(first):
    late = Process(first, first, ZYGOTE)
    assert are_bounded(Process(ZYGOTE), late, Process(["chromium", "--type=gpu-process"])) == [
        True, True, False
    ]  # fmt: skip


def test_overwritten_command_lines_are_recognised():
    assert are_bounded(Process(["chromium --type=zygote --headless", ""])) == [True]


def test_a_missing_process_does_not_keep_others_from_being_limited(monkeypatch):
    monkeypatch.setattr(engine, "PAUSE", 0)
    assert are_bounded(Process(BROWSER), Process(None), Process(ZYGOTE)) == [False, False, True]
