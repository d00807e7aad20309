"""One Chromium with its Playwright connection, from its start to its end.

The memory of each page's process is limited, because only JavaScript's heap has a limit of its own;
buffers, images and the page's tree have none. The kernel enforces the limit: a process that exceeds
it is refused the memory and dies alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, cast

import psutil
from playwright.async_api import Browser, BrowserContext, Playwright, async_playwright

from ...errors import RenderError
from ...workers.process_limits import check_resources, unlimited_children
from ...workers.processes import family, kill_processes
from ...workers.system import IS_LINUX
from .chromium import EVEN_LOOPBACK, launch
from .identity import Identity, window_identity
from .keeper import Keeper
from .protocol import BrowserWire, Tasks, playwright_errors

# A browser that does not close by itself in this time is killed.
CLOSE_SECONDS = 10.0

# Limit on the private writable memory of a page's process. An empty page has some 0.65 GB, most of
# it stacks and heaps that are never touched; the largest news page seen has 1.1 GB.
PAGE_BYTES = 3 << 30

# How often to check whether all processes have started, and the seconds between two checks.
TRIES, PAUSE = 50, 0.02


@dataclass(eq=False)
class Engine:
    """A running browser, with the numbers of its pages so far and of those being rendered now.

    A retired browser takes no new pages because it is old, too large, or broken. A stuck one no
    longer responds, and has to be killed. The keeper ends the browser if this process is killed.
    """

    playwright: Playwright
    browser: Browser
    wire: BrowserWire
    process: psutil.Process | None
    keeper: Keeper | None
    identity: Identity
    pages: int = 0
    active: int = 0
    retired: bool = False
    stuck: bool = False
    # Open contexts, each with the target of its page, which is "" until that is open.
    contexts: dict[str, str] = field(default_factory=dict)
    _restored: dict[str, BrowserContext] = field(default_factory=dict)
    _tasks: Tasks = field(default_factory=Tasks)

    @classmethod
    async def start(cls, extra_switches: tuple[str, ...] = (), *, sealed: bool = False) -> Engine:
        """Start Playwright and a browser."""
        check_resources()
        with unlimited_children(), _compiled_driver():
            starting = asyncio.ensure_future(async_playwright().start())
            try:
                playwright = await asyncio.shield(starting)
            except asyncio.CancelledError:
                await (await starting).stop()
                raise
        keeper = None
        try:
            browser = await launch(playwright, extra_switches=extra_switches, sealed=sealed)
            wire = BrowserWire(await browser.new_browser_cdp_session())
            infos, version = await asyncio.gather(
                wire.send("SystemInfo.getProcessInfo"), wire.send("Browser.getVersion")
            )
            process = None
            with contextlib.suppress(StopIteration, psutil.Error):
                process = psutil.Process(
                    next(info["id"] for info in infos["processInfo"] if info["type"] == "browser")
                )
            keeper = process and Keeper(process)
            await bound_memory(process)
            identity = window_identity(version["userAgent"])
            engine = cls(playwright, browser, wire, process, keeper, identity)
            # Every new page stops before it runs: those of our contexts, and windows they open.
            await wire.attach_to_new(engine._on_attached, "page", flatten=True)
        except BaseException:
            await playwright.stop()  # also ends what it has started
            if keeper:
                keeper.release()
            raise
        browser.on("disconnected", engine._on_disconnected)
        return engine

    def _on_attached(self, event: dict[str, Any]) -> None:
        if not event["waitingForDebugger"]:
            return  # not a new page, but one to which we have attached ourselves
        target, context = event["targetInfo"]["targetId"], event["targetInfo"]["browserContextId"]
        if self.contexts.get(context):  # a window that the page has opened
            self._tasks.start(self._try("Target.closeTarget", targetId=target))
            return
        if context in self.contexts:
            self.contexts[context] = target
        # The page runs once nothing that stopped it is attached to it.
        session = event["sessionId"]
        self._tasks.start(self._try("Target.detachFromTarget", sessionId=session))

    async def _try(self, method: str, **params: Any) -> None:
        with contextlib.suppress(RenderError):  # the target is gone
            await self.wire.send(method, **params)

    async def open_context(self, proxy: dict[str, str], state: Any) -> str:
        """Open a context for one page, with a storage state; returns its ID."""
        if state and state.get("origins"):
            context = await self._restore(proxy, state)
        else:
            method = "Target.createBrowserContext"
            answer = await self.wire.send(method, disposeOnDetach=True, **proxy)
            context = str(answer["browserContextId"])
        self.contexts[context] = ""
        return context

    async def _restore(self, proxy: dict[str, str], state: Any) -> str:
        """Open a context of Playwright's, since databases in a state have a form of its own."""
        server = {"server": proxy["proxyServer"], "bypass": EVEN_LOOPBACK} if proxy else None
        with playwright_errors():
            context = await self.browser.new_context(
                storage_state=state, proxy=cast(Any, server), no_viewport=True
            )
            try:
                page = await context.new_page()
                session = await context.new_cdp_session(page)
                info = (await session.send("Target.getTargetInfo"))["targetInfo"]
                await page.close()
            except BaseException:
                await context.close()
                raise
        self._restored[info["browserContextId"]] = context
        return str(info["browserContextId"])

    async def close_context(self, context: str) -> None:
        """Close a context with all its pages."""
        del self.contexts[context]
        restored = self._restored.pop(context, None)
        with contextlib.suppress(RenderError), playwright_errors():  # the browser is gone
            if restored:
                await restored.close()
            else:
                await self.wire.send("Target.disposeBrowserContext", browserContextId=context)

    async def responds(self) -> bool:
        """Whether the browser answers; if its driver has died, it runs on without a connection."""
        if not self.browser.is_connected():
            return False
        try:
            await asyncio.wait_for(self.wire.send("Browser.getVersion"), CLOSE_SECONDS)
        except Exception:
            # For a driver that has died, Playwright raises a bare `Exception`.
            self.stuck = True
            return False
        return True

    def give_up(self) -> None:
        """Open no more pages in a browser that does not answer, and kill it after its last one."""
        self.retired = self.stuck = True

    def _on_disconnected(self, _: Browser) -> None:
        self.retired = True
        self.wire.close()

    def memory(self) -> int:
        """Bytes of all the browser's processes, without memory pages that they share."""
        total = 0
        for process in self._family():
            with contextlib.suppress(psutil.Error):
                total += process.memory_full_info().uss
        return total

    async def close(self) -> None:
        """Close the browser and the connection; afterwards no process remains."""
        processes = self._family()
        if self.stuck:
            kill_processes(processes)
        for close in (self.browser.close, self.playwright.stop):
            # What does not close, for whatever reason, is killed.
            with contextlib.suppress(Exception):
                await asyncio.wait_for(close(), CLOSE_SECONDS)
        kill_processes(processes)
        if self.keeper:
            await asyncio.to_thread(self.keeper.release)

    def _family(self) -> list[psutil.Process]:
        return [] if self.process is None else family(self.process)


@contextlib.contextmanager
def _compiled_driver() -> Iterator[None]:
    """Let a driver that starts keep its compiled code beside Python's, which saves a fifth of its
    start from the second time on.
    """
    name, folder = "NODE_COMPILE_CACHE", str(Path(cache_from_source(__file__)).parent / "driver")
    is_ours = name not in os.environ and not sys.dont_write_bytecode
    if is_ours:
        os.environ[name] = folder
    try:
        yield
    finally:
        if is_ours:
            os.environ.pop(name, None)


async def bound_memory(browser: psutil.Process | None) -> None:
    """Limit the memory of every process that will render pages for a browser.

    These processes are forked from the browser's zygotes and inherit their limits. If there are no
    zygotes, or the system refuses, pages have no such limit.
    """
    if browser is None or not IS_LINUX:
        return
    with contextlib.suppress(psutil.Error):
        for _ in range(TRIES):
            if _bound_started(browser):
                return
            await asyncio.sleep(PAUSE)


def _bound_started(browser: psutil.Process) -> bool:
    """Limit the zygotes that exist; returns whether all processes have started.

    A process that is still starting has the browser's own command line, or none.
    """
    unstarted = {"", _command(browser)}
    commands = {child: _command(child) for child in browser.children(recursive=True)}
    for child, command in commands.items():
        if "--type=zygote" in command:
            with contextlib.suppress(psutil.Error, PermissionError):
                child.rlimit(psutil.RLIMIT_DATA, (PAGE_BYTES, PAGE_BYTES))
    return unstarted.isdisjoint(commands.values())


def _command(process: psutil.Process) -> str:
    """Command line of a process, joined by spaces: Chromium overwrites it with such a string."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return "gone"
