"""The life cycle of the service: socket, workers, signals, and limits on its connections."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import signal
import socket
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import MioloError
from ..renderer.network.origins import joined_host
from ..workers.pool import Pool
from .admission import Admission
from .dispatcher import Dispatcher, service_pool
from .drafts import Drafts
from .labelling import label_queue
from .logs import begin_log, log
from .metrics import Metrics
from .problems import Problem
from .routes import build_app
from .service_options import ServiceOptions
from .shell import HEADERS, OTHER, RequestFacts, new_request_id, note_request

SIGNALS = (signal.SIGTERM, signal.SIGINT)

LINGER_SECONDS = 5  # time after the last request for clients that are slow to read their answers

# Prefix length of the smallest IPv6 network that a provider assigns to a customer.
NETWORK_BITS = 64


async def serve(options: ServiceOptions) -> bool:
    """Serve until SIGTERM or SIGINT, and return whether all accepted requests were answered.

    After the first signal, accepted requests are still answered within their deadlines. After the
    second, they are refused.
    """
    options.check()
    begin_log(as_json=options.log_json)
    metrics = Metrics()
    with _bind(options) as listener, Drafts(options.drafts) as drafts:
        pool = service_pool(options, metrics.deaths.inc)
        metrics.watch(pool)
        dispatcher = Dispatcher(options, pool)
        async with pool, label_queue(options, dispatcher) as queue:
            admission = Admission(options, pool, metrics)
            limits = ConnectionLimits(per_address=options.per_address)
            config = uvicorn.Config(
                build_app(options, admission, dispatcher, metrics, drafts, queue),
                http=partial(BoundedProtocol, limits, metrics),  # type: ignore[arg-type]
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=LINGER_SECONDS,
            )
            server, labels = _Server(config), queue is not None
            return await _serve_until_stopped(server, pool, admission, listener, labels=labels)


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        # uvicorn would close its socket at once, and nobody could check whether it is ready.
        yield


async def _serve_until_stopped(
    server: _Server, pool: Pool, admission: Admission, listener: socket.socket, *, labels: bool
) -> bool:
    """Serve until a signal, and return whether there was only one."""
    signals = 0

    async def stop_on_failure() -> None:
        await pool.until_failure()
        server.should_exit = server.force_exit = True

    async def drain() -> None:
        await admission.until_idle()
        server.should_exit = True

    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(stop_on_failure())]

    def stop() -> None:
        nonlocal signals
        signals += 1
        if signals == 1:
            log("stopping")
            admission.stopping = True
            tasks.append(loop.create_task(drain()))
            return
        # Before the workers end, so that their requests are not answered as if they had crashed.
        for task in server.server_state.tasks:
            task.cancel()
        server.should_exit = server.force_exit = True
        pool.kill()

    for number in SIGNALS:
        loop.add_signal_handler(number, stop)
    host, port = listener.getsockname()[:2]
    address = f"http://{joined_host(host, port)}"
    try:
        log("listening", address=address)
        if labels:
            log("labelling", address=address)
        await server.serve([listener])
    finally:
        for task in tasks:
            task.cancel()
        for number in SIGNALS:
            loop.remove_signal_handler(number)
    if pool.failure:
        raise pool.failure
    log("stopped")
    return signals < 2


def _bind(options: ServiceOptions) -> socket.socket:
    """A socket bound to the service's address."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((options.host.strip("[]"), options.port))
    except OSError as error:
        listener.close()
        where = joined_host(options.host.strip("[]"), options.port)
        raise MioloError(f"cannot listen on {where}: {error.strerror or error}") from error
    return listener


@dataclass(frozen=True)
class ConnectionLimits:
    """Limits on connections."""

    total: int = 512
    per_address: int = 64  # from one client address, or from one IPv6 /64 network
    head_seconds: float = 5.0  # for a request's head, from the start of the connection
    # For which a client may stop reading an answer, or continue to send a refused body.
    stall_seconds: float = 15.0
    check_seconds: float = 1.0  # between two checks


class BoundedProtocol(H11Protocol):
    """A connection that is aborted if it stalls while the service is not working for it.

    If there are too many connections, the one that has stalled longest is aborted. Bodies that the
    service reads have their own time limit (`admission.py`).
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
