"""Connections: how many there may be, and how long each may do nothing."""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .problems import Problem
from .shell import HEADERS, new_request_id

__all__ = ["BoundedProtocol", "ConnectionLimits"]

# Of an IPv6 address: what one customer of a provider has at least.
NETWORK_BITS = 64


@dataclass(frozen=True)
class ConnectionLimits:
    """Bounds of connections.

    Attributes
    ----------
    total
        How many there are at most.
    per_address
        How many of one client address, or of one /64 of IPv6; 0 for no bound.
    head_seconds
        For a request's head, from the connection's start on.
    stall_seconds
        For an answer that is not read on, or a refused body that goes on.
    check_seconds
        Between two looks at a connection.
    """

    total: int = 512
    per_address: int = 64
    head_seconds: float = 5.0
    stall_seconds: float = 15.0
    check_seconds: float = 1.0


class BoundedProtocol(H11Protocol):
    """One connection, cut where nothing moves on it and the service is not at work for it.

    Where there are too many, the one is cut on which nothing has moved for longest; bodies that
    the service reads have a time of their own (`body.py`).

    Parameters
    ----------
    limits
        Of all connections.
    uvicorns
        What uvicorn makes its protocols with.
    """

    def __init__(self, limits: ConnectionLimits, **uvicorns: Any) -> None:
        super().__init__(**uvicorns)
        self._limits = limits

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch, and make room."""
        super().connection_made(transport)
        self._moved = self.loop.time()
        self._unsent = 0
        self._network = _network_of(self.client[0] if self.client else "")
        self._check = self.loop.call_later(self._limits.check_seconds, self._look)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the watch."""
        self._check.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Begin a further request's time with its first byte."""
        if self.cycle is not None and self._waits and not self.conn.trailing_data[0]:
            self._moved = self.loop.time()
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Begin the time for a further request."""
        self._moved = self.loop.time()
        super().on_response_complete()

    @property
    def is_idle(self) -> bool:
        """Whether the service is not at work for it."""
        return self.cycle is None or self.cycle.response_started

    @property
    def _waits(self) -> bool:
        """Whether it waits for a request's head."""
        return self.is_idle and self.conn.their_state is h11.IDLE

    @property
    def age(self) -> tuple[bool, float]:
        """What sorts connections: those with nothing to send first, and the longest idle."""
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
        """Answer bytes that are not HTTP with the usual error."""
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


def _network_of(host: str) -> str:
    """What clients are counted by: an address of IPv4, a network of IPv6."""
    address = ipaddress.ip_address(host)
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address), NETWORK_BITS), strict=False))
