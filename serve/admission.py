"""`Admission`: which requests are accepted, decided before their bodies are read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from math import ceil
from typing import Any, NoReturn

from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ..workers.pool import Pool
from ..workers.processes import own_private_bytes
from .metrics import Metrics
from .problems import STOPPING
from .request_body import BodyLimits, check_json, parse_json, read_body, replay
from .service_options import ServiceOptions

__all__ = ["Admission", "build_work_route"]

# Number of bodies of the largest size that may be held at once; most are far smaller.
LARGEST_BODIES = 4

# This much of each body is not counted, so that large bodies do not shut out small requests.
SMALL_BYTES = 64 << 10

RETRY_SECONDS = (1, 60)


class Admission:
    """Gives places to requests: one for each worker, and those of the queue.

    A request holds its place from its head to its answer. The bytes of its body count against a
    limit for all bodies together.

    Parameters
    ----------
    pool
        The pool that processes requests.
    metrics
        The metrics that count refusals.

    Attributes
    ----------
    stopping
        Whether no further requests are accepted.
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
        """Hold a place.

        Yields
        ------
        A function that counts further bytes of the request's body until the place is released. It
        raises `HTTPException` (429) if all bodies together have too many.

        Raises
        ------
        HTTPException
            The service is being stopped (503), or has no free place or memory (429).
        """
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
        seconds = self._retry_after()
        message = f"{reason}; try again in {seconds} s"
        raise HTTPException(429, message, {"Retry-After": str(seconds)})

    def _retry_after(self) -> int:
        """Estimated whole seconds until a place becomes free."""
        turns = (self._pool.queue_length + 1) / max(1, self._pool.ready)
        least, most = RETRY_SECONDS
        return min(max(ceil(self._pool.page_seconds * turns / 2), least), most)


def build_work_route(admission: Admission, limits: BodyLimits) -> type[APIRoute]:
    """A class of routes that acquire a place before they read a body.

    Parameters
    ----------
    admission
        The source of places.
    """

    class WorkRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            answer = super().get_route_handler()

            async def admit(request: Request) -> Response:
                with admission.place() as hold:
                    if request.method == "POST":
                        body = await read_body(request.receive, limits, hold)
                        check_json(body)
                        request = Request(request.scope, replay(body, request.receive))
                        await parse_json(request)
                    return await answer(request)

            return admit

    return WorkRoute
