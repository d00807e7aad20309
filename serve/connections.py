"""Connections of clients that send or take nothing: each has its patience."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from .problems import Problem
from .shell import HEADERS, new_request_id

__all__ = ["PatientProtocol"]

CHECK_SECONDS = 1.0
PATIENCE_SECONDS = 15.0
MAX_CONNECTIONS = 512


class PatientProtocol(H11Protocol):
    """One connection, cut where nothing moves on it and the service is not at work for it.

    A request's head has so long to come, and an answer may stand still for so long; bodies
    have a time of their own (`body.py`).
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch."""
        super().connection_made(transport)
        self._moved = self.loop.time()
        self._unsent = 0
        self._check = self.loop.call_later(CHECK_SECONDS, self._look)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the watch."""
        self._check.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        at_work = self.cycle is not None and not self.cycle.response_started
        if at_work or unsent < self._unsent:
            self._moved = self.loop.time()
        self._unsent = unsent
        if self.loop.time() - self._moved > PATIENCE_SECONDS:
            self.transport.abort()
        else:
            self._check = self.loop.call_later(CHECK_SECONDS, self._look)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP as all else is answered."""
        body = json.dumps(Problem(400, msg).json).encode()
        headers: dict[str, Any] = {
            **HEADERS,
            "X-Request-Id": new_request_id(),
            "Content-Type": "application/json",
            "Content-Length": len(body),
            "Connection": "close",
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(f"HTTP/1.1 400 Bad Request\r\n{head}\r\n".encode() + body)
        self.transport.close()
