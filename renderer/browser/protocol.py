"""Sessions of the browser's own protocol whose replies stay a single string until they are read.

Playwright traverses every value of a reply before it passes the reply on, which takes 25 to 35 ms
for a snapshot of 2,000 nodes. A session attached with ``flatten: false`` sends each reply as one
string inside an event, which Playwright passes on unchanged: the same reply then takes about 2 ms.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
import json
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import orjson
from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from ...errors import BrowserCrashedError, MioloError, RenderError

EVENT = '{"method":"'
"""Start of Chromium's messages that are events; the event's name follows."""

Listener = Callable[[dict[str, Any]], None]
Command = tuple[str, dict[str, Any]]
"""Method of the protocol and its parameters."""

WORLD = "miolo"
"""World of Miolo's own scripts and expressions in each document."""

SILENCE_SECONDS = 1.0

CRASH_SIGNS = ("crashed", "has been closed", "Connection closed")


@contextlib.contextmanager
def playwright_errors() -> Iterator[None]:
    """Raise Playwright's errors as our own."""
    try:
        yield
    except MioloError:
        raise
    except Exception as error:
        # Playwright raises a bare `Exception` if its driver has died.
        if any(sign in str(error) for sign in CRASH_SIGNS):
            raise BrowserCrashedError("the browser is gone") from error
        if isinstance(error, PlaywrightError):
            raise RenderError(f"protocol error: {error.message}") from error
        raise


class Tasks(set["asyncio.Task[None]"]):
    """Work that runs beside its caller; the event loop itself holds no task."""

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine, and forget it when it ends."""
        task = asyncio.ensure_future(work)
        self.add(task)
        task.add_done_callback(self.discard)


class ProtocolSession:
    """The session of one target: a page, or a frame in another process.

    `target` is the ID of the target, which is that of its main frame.
    """

    def __init__(self, wire: Wire, session_id: str, target: str) -> None:
        self._wire = wire
        self.id, self.target = session_id, target
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._listeners: dict[str, list[Listener]] = {}
        self.on_every_event: Callable[[str], None] | None = None  # with the unparsed message
        self.gone = False

    async def send(
        self, method: str, given: dict[str, Any] | None = None, /, **more: Any
    ) -> dict[str, Any]:
        """Call a method and wait for its result; the caller limits the time."""
        params = {**(given or {}), **more}
        if self.gone:
            raise BrowserCrashedError("the page's process is gone")
        number = next(self._numbers)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            await self._pass(number, method, params)
            # Nothing reports that Playwright's driver has died, but then no message can be passed.
            while not (await asyncio.wait({future}, timeout=SILENCE_SECONDS))[0]:
                await self._pass(next(self._numbers), "Schema.getDomains", {})
            return future.result()
        finally:
            self._waiting.pop(number, None)

    async def isolated_world(self, name: str, frame: str = "") -> int:
        """Create a world in a frame of the target that the page's scripts cannot reach.

        By default it is the main frame.
        """
        world = await self.send(
            "Page.createIsolatedWorld", frameId=frame or self.target, worldName=name
        )
        return int(world["executionContextId"])

    async def install(self, source: str, world: str, binding: str) -> None:
        """Run a script in a world of each new document, where it reports through a binding."""
        add = "Page.addScriptToEvaluateOnNewDocument"
        await asyncio.gather(
            self.send("Runtime.enable"),
            self.send("Runtime.addBinding", name=binding, executionContextName=world),
            self.send(add, source=source, worldName=world),
        )

    async def evaluate(self, expression: str, world: int, *, wait: bool = False) -> Any:
        """Value of an expression in a world; if it is a promise, its value may be awaited."""
        answer = await self.send(
            "Runtime.evaluate",
            expression=expression,
            contextId=world,
            returnByValue=True,
            awaitPromise=wait,
        )
        return answer.get("result", {}).get("value")

    def post(self, method: str, **params: Any) -> None:
        """Call a method without waiting for its result."""
        task = asyncio.ensure_future(self._pass(next(self._numbers), method, params))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _pass(self, number: int, method: str, params: dict[str, Any]) -> None:
        message = json.dumps({"id": number, "method": method, "params": params})
        try:
            await self._wire.send(
                "Target.sendMessageToTarget", {"sessionId": self.id, "message": message}
            )
        except PlaywrightError as error:
            raise BrowserCrashedError("the page's process is gone") from error

    def on(self, event: str, listener: Listener) -> None:
        """Call a function with the parameters of each event of this name."""
        self._listeners.setdefault(event, []).append(listener)

    def receive(self, message: str) -> None:
        """Process one message of the target; called by the wire."""
        if message.startswith(EVENT):
            if self.on_every_event is not None:
                self.on_every_event(message)
            # An event without a listener need not be parsed.
            name, mark, _ = message[len(EVENT) :].partition('"')
            if mark and name not in self._listeners:
                return
        try:
            data = orjson.loads(message)
        except ValueError:  # half of a surrogate pair in a page's text
            data = json.loads(message)
        if "id" not in data:
            for listener in self._listeners.get(data["method"], ()):
                listener(data.get("params", {}))
            return
        future = self._waiting.get(data["id"])
        if future is None or future.done():
            return
        if "error" in data:
            future.set_exception(RenderError(f"protocol error: {data['error']['message']}"))
        else:
            future.set_result(data["result"])

    def close(self) -> None:
        """Fail all pending and later commands: the target is gone."""
        self.gone = True
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(BrowserCrashedError("the page's process is gone"))
                # Its sender may have failed already, and asyncio logs exceptions that nobody takes.
                future.exception()


Wire = CDPSession | ProtocolSession


class BrowserWire:
    """A session through which targets are attached: the browser's own, or that of a frame."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._sessions: dict[str, ProtocolSession] = {}
        self.on("Target.receivedMessageFromTarget", self._receive)
        self.on("Target.detachedFromTarget", lambda event: self.forget(event["sessionId"]))

    async def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the browser itself."""
        with playwright_errors():
            return await self._wire.send(method, params)

    def on(self, event: str, listener: Listener) -> None:
        """Call a function with the parameters of each event of this name."""
        self._wire.on(event, _listener(listener))

    async def attach_to_new(self, listener: Listener, *kinds: str, flatten: bool) -> None:
        """Attach to each new target of some kinds, which waits to be resumed."""
        self.on("Target.attachedToTarget", listener)
        await self.send(
            "Target.setAutoAttach",
            autoAttach=True,
            waitForDebuggerOnStart=True,
            flatten=flatten,
            filter=[*({"type": kind} for kind in kinds), {"exclude": True}],
        )

    async def attach(self, target: str) -> ProtocolSession:
        """Open a session with a target."""
        answer = await self.send("Target.attachToTarget", targetId=target, flatten=False)
        return self.adopt(answer["sessionId"], target)

    def adopt(self, session_id: str, target: str) -> ProtocolSession:
        """The session of a target that is attached."""
        session = self._sessions[session_id] = ProtocolSession(self._wire, session_id, target)
        return session

    async def detach(self, session: ProtocolSession) -> None:
        """Close a session; it is no error if its target is already gone."""
        self.forget(session.id)
        with contextlib.suppress(RenderError):
            await self.send("Target.detachFromTarget", sessionId=session.id)

    def forget(self, session_id: str) -> None:
        """Pass no more messages to a session, and fail its pending commands."""
        session = self._sessions.pop(session_id, None)
        if session:
            session.close()

    def close(self) -> None:
        """Fail the pending commands of all sessions: the browser is gone."""
        for session_id in list(self._sessions):
            self.forget(session_id)

    def _receive(self, event: dict[str, Any]) -> None:
        session = self._sessions.get(event["sessionId"])
        if session:
            session.receive(event["message"])


def _listener(take: Listener) -> Listener:
    """Wrap a listener in a function with a precomputed ``__signature__``.

    Playwright inspects the signature at every event, and a page causes about a hundred events.
    Computing it each time takes a fifth of the Python time of a rendering.
    """

    def listen(event: dict[str, Any]) -> None:
        take(event)

    listen.__dict__["__signature__"] = inspect.signature(listen)
    return listen
