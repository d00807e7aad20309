"""The outermost layer: the headers, log line and metrics of every answer."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .guard import refusal
from .logs import log, log_error, trace_of
from .metrics import Metrics
from .problems import STOPPING, Problem
from .service_options import ServiceOptions

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every answer that does not set them itself."""

OTHER = "other"  # what the log and the metrics call a request that has no route

FACTS = "miolo"


@dataclass
class RequestFacts:
    """What is known about a request."""

    id: str  # in its answer and in the log
    arrived: float  # seconds of `time.monotonic`
    status: int = 0  # of the answer
    kind: str = ""  # of its error
    host: str = ""


def facts_of(scope: Scope) -> RequestFacts:
    """The facts of a request that has passed through the shell."""
    return scope[FACTS]


def new_request_id() -> str:
    """A unique identifier of sixteen hexadecimal digits."""
    return secrets.token_hex(8)


def problem_answer(problem: Problem, scope: Scope) -> JSONResponse:
    """A problem as an answer; its kind is recorded for the log."""
    facts_of(scope).kind = problem.name
    return JSONResponse(problem.json, problem.status, dict(problem.headers))


def note_request(metrics: Metrics, facts: RequestFacts, route: str) -> None:
    """Log and count a request that was answered."""
    seconds = monotonic() - facts.arrived
    metrics.requests.labels(route, facts.status, facts.kind).inc()
    metrics.seconds.labels(route).observe(seconds)
    log(
        "request",
        id=facts.id,
        route=route,
        status=facts.status,
        kind=facts.kind,
        ms=round(1000 * seconds, 1),
        host=facts.host,
    )


@dataclass(eq=False)
class Shell:
    """ASGI middleware around the application: `paths` have routes, `open_paths` need no token."""

    app: ASGIApp
    options: ServiceOptions
    metrics: Metrics
    paths: frozenset[str]
    open_paths: frozenset[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        facts = scope[FACTS] = RequestFacts(new_request_id(), monotonic())

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                facts.status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers["X-Request-Id"] = facts.id
            await send(message)

        try:
            await self._answer(scope, receive, send_with_headers)
        except asyncio.CancelledError:
            # The service ends immediately.
            if facts.status:
                raise
            await problem_answer(STOPPING, scope)(scope, receive, send_with_headers)
        except Exception as error:
            # The framework has already answered with 500.
            log_error(type(error).__name__, trace_of(error), id=facts.id)
        finally:
            # A request that the guard refuses has no route yet.
            path = scope["path"] if scope["path"] in self.paths else OTHER
            route = getattr(scope.get("route"), "path", path)
            note_request(self.metrics, facts, route)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        method, is_open = scope["method"], scope["path"] in self.open_paths
        refused = refusal(self.options, method, Headers(scope=scope), is_open=is_open)
        app = problem_answer(refused, scope) if refused else self.app
        await app(scope, receive, send)
