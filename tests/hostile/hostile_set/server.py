"""Serves the hostile pages on loopback."""

import contextlib
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from . import documents, responses, scripts, storms
from .hostile import Answer, Hostile, Wire, head_of

__all__ = ["HOSTILE", "serving_hostile"]

HOSTILE: dict[str, Hostile] = {
    page.name: page for page in (*responses.PAGES, *scripts.PAGES, *storms.PAGES, *documents.PAGES)
}
"""All hostile pages by name."""


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128
    stop: threading.Event


class _Handler(socketserver.StreamRequestHandler):
    timeout = 30

    def handle(self) -> None:
        server = cast(_Server, self.server)
        # The browser is expected to close the connection.
        with contextlib.suppress(OSError):
            target = self._requested_page()
            if target:
                wire = Wire(self.wfile.write, target, server.stop)
                _answer(target.partition("?")[0].lstrip("/"))(wire)

    def _requested_page(self) -> str:
        first = self.rfile.readline(1 << 16).split()
        while self.rfile.readline(1 << 16).strip():
            pass
        return first[1].decode("latin-1") if len(first) > 1 else ""


def _answer(name: str) -> Answer:
    page = HOSTILE.get(name)
    answer = page.answer if page else responses.SUPPORT.get(name, "")
    if callable(answer):
        return answer
    body = answer.encode() if isinstance(answer, str) else answer
    return responses.raw(head_of() + body)


@contextmanager
def serving_hostile() -> Iterator[str]:
    """Serve each page at its name; yields the origin."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.stop = threading.Event()
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{cast(Any, server).server_address[1]}"
        finally:
            server.stop.set()
            server.shutdown()
