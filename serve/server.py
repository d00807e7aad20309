"""The life cycle of the service: socket, workers, signals."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterator
from functools import partial

import uvicorn

from ..errors import MioloError
from ..renderer.network.origins import joined_host
from .admission import Admission
from .app import build_app
from .connections import BoundedProtocol, ConnectionLimits
from .dispatcher import Dispatcher, render_options
from .drafts import Drafts
from .label_queue import label_queue
from .logs import begin_log, log
from .messages import Setup
from .metrics import Metrics
from .options import ServiceOptions
from .pool import Pool

__all__ = ["serve"]

SIGNALS = (signal.SIGTERM, signal.SIGINT)

# Time after the last request for clients that are slow to read their answers.
LINGER_SECONDS = 5
NO_SANDBOX = "--no-sandbox"


async def serve(options: ServiceOptions) -> bool:
    """Serve until SIGTERM or SIGINT.

    After the first signal, accepted requests are still answered within their deadlines. After the
    second, they are refused.

    Returns
    -------
    Whether all accepted requests were answered.

    Raises
    ------
    MioloError
        The options are not safe, the address is not available, or no browser starts.
    """
    options.check()
    begin_log(as_json=options.log_json)
    metrics = Metrics()
    with _bind(options) as listener, Drafts(options.drafts) as drafts:
        switches = (*options.switches, *(() if options.sandbox else (NO_SANDBOX,)))
        setup = Setup(render_options(options), switches)
        pool = Pool(options, setup, metrics.deaths.inc)
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
            run = _Run(_Server(config), pool, admission, labels=queue is not None)
            return await run.serve_until_stopped(listener)


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        # uvicorn would close its socket at once, and nobody could check whether it is ready.
        yield


class _Run:
    def __init__(self, server: _Server, pool: Pool, admission: Admission, *, labels: bool) -> None:
        self._server = server
        self._pool = pool
        self._admission = admission
        self._stopping: asyncio.Task[None] | None = None
        self._cut_short = False
        self._labels = labels

    async def serve_until_stopped(self, listener: socket.socket) -> bool:
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._stop)
        failing = asyncio.create_task(self._stop_on_failure())
        try:
            log("listening", address=_address(listener))
            if self._labels:
                log("labelling", address=_address(listener))
            await self._server.serve([listener])
        finally:
            failing.cancel()
            for number in SIGNALS:
                loop.remove_signal_handler(number)
        if self._pool.failure.done():
            raise self._pool.failure.result()
        log("stopped")
        return not self._cut_short

    def _stop(self) -> None:
        """Handle a signal."""
        if self._stopping is None:
            log("stopping")
            self._admission.stopping = True
            self._stopping = asyncio.create_task(self._drain())
            return
        self._cut_short = True
        # Before the workers end, so that their requests are not answered as if they had crashed.
        for task in self._server.server_state.tasks:
            task.cancel()
        self._server.should_exit = self._server.force_exit = True
        self._pool.kill()

    async def _drain(self) -> None:
        await self._admission.until_idle()
        self._server.should_exit = True

    async def _stop_on_failure(self) -> None:
        await asyncio.shield(self._pool.failure)
        self._server.should_exit = self._server.force_exit = True


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


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{joined_host(host, port)}"
