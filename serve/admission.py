"""Which requests are accepted, and their bodies, within limits of bytes, time and size of the
JSON.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from time import monotonic
from typing import Any, NoReturn

from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive

from ..workers.pool import Pool
from ..workers.processes import own_private_bytes
from .metrics import Metrics
from .problems import CLIENT_GONE, STOPPING
from .service_options import ServiceOptions

# A valid request needs far less: some twenty keys, lists of roles, one long text (the HTML).
MAX_STRINGS = 256
MAX_STRUCTURE_BYTES = 4096
MAX_TEXT_BYTES = 64 << 10


@dataclass(frozen=True)
class BodyLimits:
    """Maximum size of a body, time for the whole of it, and time between one part and the next."""

    max_bytes: int
    seconds: float = 20.0
    stall_seconds: float = 5.0


async def read_body(receive: Receive, limits: BodyLimits, hold: Callable[[int], None]) -> bytes:
    """Read the whole body of a request; `hold` is called with the size of each part in advance."""
    parts: list[bytes] = []
    size, due, complete = 0, monotonic() + limits.seconds, False
    while not complete:
        try:
            async with asyncio.timeout(min(due - monotonic(), limits.stall_seconds)):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, "the body was not received in time") from None
        if message["type"] == "http.disconnect":
            raise HTTPException(CLIENT_GONE, "the client has disconnected")
        part = message.get("body", b"")
        size += len(part)
        if size > limits.max_bytes:
            raise HTTPException(413, f"the body is larger than {limits.max_bytes:,} bytes")
        hold(len(part))
        parts.append(part)
        complete = not message.get("more_body", False)
    return b"".join(parts)


def check_json(
    body: bytes,
    *,
    max_strings: int = MAX_STRINGS,
    max_structure: int = MAX_STRUCTURE_BYTES,
    max_text: int = MAX_TEXT_BYTES,
) -> None:
    """Reject JSON that is larger than any valid request, before any object is built.

    One string, the page's HTML, may be as long as the body; everything else is small. Zero bytes,
    as in UTF-16, are rejected, too. The check takes a few passes over the bytes.
    """
    # In UTF-8 no byte of a longer character equals a quotation mark or a backslash.
    plain = body.replace(rb"\\", b"__").replace(rb"\"", b"__")
    parts = plain.split(b'"', 2 * max_strings + 1)
    texts = [len(part) for part in parts[1::2]]
    if (
        len(parts) > 2 * max_strings + 1
        or sum(map(len, parts[::2])) > max_structure
        or sum(texts) - max(texts, default=0) > max_text
    ):
        raise HTTPException(422, "the JSON is larger than any valid request")
    if b"\0" in body:
        raise HTTPException(422, "the JSON must be encoded as UTF-8")


def _receive_again(body: bytes, receive: Receive) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body}]

    async def read() -> Message:
        return messages.pop() if messages else await receive()

    return read


# Number of bodies of the largest size that may be held at once; most are far smaller.
LARGEST_BODIES = 4

# This much of each body is not counted, so that large bodies do not shut out small requests.
SMALL_BYTES = 64 << 10

RETRY_SECONDS = (1, 60)


class Admission:
    """Gives places to requests: one for each worker, and those of the queue.

    A request holds its place from its head to its answer. The bytes of its body count against a
    limit for all bodies together. While `stopping`, no further requests are accepted.
    """

    def __init__(self, options: ServiceOptions, pool: Pool, metrics: Metrics) -> None:
        self._options = options
        self._pool = pool
        self._metrics = metrics
        self._places = 0
        self._bytes = 0
        self._max_bytes = LARGEST_BODIES * max(options.max_body - SMALL_BYTES, 0)
        self._idle = asyncio.Event()
        self._idle.set()
        self.stopping = False

    @property
    def is_ready(self) -> bool:
        """Whether a request would be processed now."""
        return not self.stopping and self._pool.ready > 0

    async def until_idle(self) -> None:
        """Wait until no request holds a place."""
        await self._idle.wait()

    @contextmanager
    def place(self) -> Iterator[Callable[[int], None]]:
        """Hold a place, unless refused; yield a function that counts further bytes of the body."""
        if self.stopping:
            raise HTTPException(STOPPING.status, STOPPING.message, STOPPING.headers)
        if self._places >= self._options.queue + self._pool.ready:
            self._refuse("all workers are busy and the queue is full")
        # One request at a time is accepted even then: memory may never be returned to the system.
        if self._places and own_private_bytes() > self._options.max_memory:
            self._refuse("the service is using too much memory")
        read = reserved = 0

        def hold(size: int) -> None:
            nonlocal read, reserved
            read += size
            more = max(read - SMALL_BYTES, 0) - reserved
            if self._bytes + more > self._max_bytes:
                self._refuse("too many large requests at once")
            reserved += more
            self._bytes += more

        self._places += 1
        self._idle.clear()
        try:
            yield hold
        finally:
            self._bytes -= reserved
            self._places -= 1
            if not self._places:
                self._idle.set()

    def _refuse(self, reason: str) -> NoReturn:
        self._metrics.refused.inc()
        # The estimated time until a place becomes free.
        turns = (self._pool.queue_length + 1) / max(1, self._pool.ready)
        least, most = RETRY_SECONDS
        seconds = min(max(ceil(self._pool.page_seconds * turns / 2), least), most)
        message = f"{reason}; try again in {seconds} s"
        raise HTTPException(429, message, {"Retry-After": str(seconds)})


def build_work_route(admission: Admission, limits: BodyLimits) -> type[APIRoute]:
    """A class of routes that acquire a place before they read a body."""

    class WorkRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            answer = super().get_route_handler()

            async def admit(request: Request) -> Response:
                with admission.place() as hold:
                    if request.method == "POST":
                        body = await read_body(request.receive, limits, hold)
                        check_json(body)
                        # The request keeps its JSON, so that it is parsed only once.
                        request = Request(request.scope, _receive_again(body, request.receive))
                        try:
                            await request.json()
                        except (ValueError, RecursionError):
                            raise HTTPException(422, "the body is not JSON") from None
                    return await answer(request)

            return admit

    return WorkRoute
