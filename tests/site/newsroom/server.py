"""The site's two servers: one for the newspapers, one that counts as another site."""

import contextlib
import socket
import sys
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from .page import Page
from .routes import answer
from .web import HangUpError, Reply, Request


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, site: "NewsSite", port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.site = site
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        with self._lock:
            self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that hang up; any other error is a fault of a page."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def end_connections(self) -> None:
        """Wake the threads that read from or write to a client."""
        with self._lock:
            connections = list(self._open)
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()

    def do_GET(self) -> None:
        site = self.server.site
        site.note(self.command, self.path)
        request = Request(
            method=self.command,
            target=self.path,
            headers=tuple(self.headers.items()),
            origin=site.origin,
            other_origin=site.other_origin,
            stop=site.stop,
        )
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            self._send(answer(request))
        except HangUpError:
            self.close_connection = True

    do_POST = do_HEAD = do_GET

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        if reply.status != 204:
            self.send_header("Content-Type", reply.kind)
        for name, value in reply.headers:
            self.send_header(name, value)
        if isinstance(reply.body, bytes):
            self._send_whole(reply, reply.body)
        else:
            self._send_chunks(reply.body)

    def _send_whole(self, reply: Reply, body: bytes) -> None:
        if reply.status != 204:
            self.send_header("Content-Length", str(reply.claimed_length or len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        if reply.claimed_length:
            self.close_connection = True

    def _send_chunks(self, pieces: Iterable[bytes]) -> None:
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if self.command == "HEAD":
            return
        for piece in pieces:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")


class NewsSite:
    """The site while it is served; use it as a context manager."""

    def __init__(self, port: int = 0) -> None:
        self.stop = threading.Event()
        self._lock = threading.Lock()
        self._requests: list[tuple[str, str]] = []
        self._servers = (_Server(self, port), _Server(self, 0))
        self.origin = f"http://127.0.0.1:{self._servers[0].server_port}"
        # Another host name, so that Chromium treats it as another site.
        self.other_origin = f"http://localhost:{self._servers[1].server_port}"
        self._threads = [
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
            for server in self._servers
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "NewsSite":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def requests(self) -> list[tuple[str, str]]:
        """Method and target of every request so far, on both origins."""
        with self._lock:
            return list(self._requests)

    def note(self, method: str, target: str) -> None:
        """Record a request."""
        with self._lock:
            self._requests.append((method, target))

    def url(self, page: str | Page) -> str:
        """The address of a page, or of a path."""
        return self.origin + (page.path if isinstance(page, Page) else page)

    def close(self) -> None:
        """Stop both servers and hang up on every client."""
        if self.stop.is_set():
            return
        self.stop.set()
        for server, thread in zip(self._servers, self._threads, strict=True):
            server.shutdown()
            thread.join(timeout=5)
            server.server_close()
            server.end_connections()
