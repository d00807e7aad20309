"""Limits on the number of connections, and on how long each may be idle."""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Collection
from dataclasses import dataclass
from time import monotonic
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .metrics import Metrics
from .problems import Problem
from .shell import HEADERS, OTHER, RequestFacts, new_request_id, note_request

__all__ = ["BoundedProtocol", "ConnectionLimits"]

# Prefix length of the smallest IPv6 network that a provider assigns to a customer.
NETWORK_BITS = 64


@dataclass(frozen=True)
class ConnectionLimits:
    """Limits on connections.

    Attributes
    ----------
    total
        Maximum number of connections.
    per_address
        Maximum number from one client address, or one IPv6 /64 network; 0 for no limit.
    head_seconds
        Time for a request's head, from the start of the connection.
    stall_seconds
        Time that the client may stop reading an answer, or continue to send a refused body.
    check_seconds
        Time between two checks of a connection.
    """

    total: int = 512
    per_address: int = 64
    head_seconds: float = 5.0
    stall_seconds: float = 15.0
    check_seconds: float = 1.0


class BoundedProtocol(H11Protocol):
    """A connection that is aborted if it stalls while the service is not working for it.

    If there are too many connections, the one that has stalled longest is aborted. Bodies that the
    service reads have their own time limit (`body.py`).

    Parameters
    ----------
    limits
        Limits on all connections.
    metrics
        Metrics that count the answers to bytes that are not HTTP.
    uvicorns
        Arguments that uvicorn passes to its protocols.
    """

    def __init__(self, limits: ConnectionLimits, metrics: Metrics, **uvicorns: Any) -> None:
        super().__init__(**uvicorns)
        self._limits = limits
        self._metrics = metrics

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to watch the connection, and make room for it."""
        super().connection_made(transport)
        self._moved = self.loop.time()
        self._unsent = 0
        self._network = _network_of(self.client[0] if self.client else "")
        self._check = self.loop.call_later(self._limits.check_seconds, self._look)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching the connection."""
        self._check.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Restart the clock with the first byte of a further request."""
        if self.cycle is not None and self._waits and not self.conn.trailing_data[0]:
            self._moved = self.loop.time()
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Restart the clock for a further request."""
        self._moved = self.loop.time()
        super().on_response_complete()

    @property
    def is_idle(self) -> bool:
        """Whether the service is not working for it."""
        return self.cycle is None or self.cycle.response_started

    @property
    def _waits(self) -> bool:
        """Whether it waits for a request's head."""
        return self.is_idle and self.conn.their_state is h11.IDLE

    @property
    def age(self) -> tuple[bool, float]:
        """Sort key: connections with nothing to send first, and of these the longest idle."""
        return self.transport.get_write_buffer_size() > 0, self._moved

    def _make_room(self) -> None:
        limits = self._limits
        ours = [each for each in self.connections if each._network == self._network]  # type: ignore[union-attr]
        if limits.per_address and len(ours) > limits.per_address:
            self._cut_oldest(ours)  # type: ignore[arg-type]
        elif len(self.connections) > limits.total:
            self._cut_oldest(self.connections)  # type: ignore[arg-type]

    def _cut_oldest(self, connections: Collection[BoundedProtocol]) -> None:
        others = [each for each in connections if each is not self and each.is_idle]
        oldest = min(others, key=lambda each: each.age, default=self)
        # Its `connection_lost` may be called only after further connections are made.
        self.connections.discard(oldest)
        oldest.transport.abort()

    def _look(self) -> None:
        unsent, now = self.transport.get_write_buffer_size(), self.loop.time()
        if not self.is_idle or unsent < self._unsent:
            self._moved = now
        self._unsent = unsent
        limits = self._limits
        patience = limits.head_seconds if self._waits and not unsent else limits.stall_seconds
        if now - self._moved > patience:
            self.transport.abort()
        else:
            self._check = self.loop.call_later(limits.check_seconds, self._look)

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are not HTTP with an error in the usual form."""
        problem = Problem(400, msg)
        body = json.dumps(problem.json).encode()
        facts = RequestFacts(new_request_id(), monotonic(), problem.status, problem.name)
        headers: dict[str, Any] = {
            **HEADERS,
            "X-Request-Id": facts.id,
            "Content-Type": "application/json",
            "Content-Length": len(body),
            "Connection": "close",
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(f"HTTP/1.1 400 Bad Request\r\n{head}\r\n".encode() + body)
        self.transport.close()
        note_request(self._metrics, facts, OTHER)


def _network_of(host: str) -> str:
    """What clients are counted by: an IPv4 address, or an IPv6 network."""
    address = ipaddress.ip_address(host)
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address), NETWORK_BITS), strict=False))
