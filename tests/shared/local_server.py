"""Servers on loopback for tests that need answers of their own."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic


class Handler(BaseHTTPRequestHandler):
    """Prints no log, and sends a whole response in one call."""

    def send(
        self, body: str | bytes, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a response; it is HTML unless the headers have another type."""
        data = body.encode() if isinstance(body, str) else body
        sent = {"Content-Type": "text/html", "Content-Length": str(len(data)), **(headers or {})}
        self.send_response(status)
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


Answer = str | bytes | tuple[int, Mapping[str, str], str | bytes]
"""A body, or another status, headers and a body; ``{origin}`` in a text is the server's address."""

TYPES = {".css": "text/css", ".js": "text/javascript", ".txt": "text/plain", ".xml": "text/xml"}


class _Answering(Handler):
    def do_GET(self) -> None:
        facts = self.server.__dict__
        facts["requests"].append((self.path, monotonic()))
        answers = facts["answers"]
        found = answers(self.path) if callable(answers) else answers.get(self.path)
        if isinstance(found, list):
            found = found.pop(0) if len(found) > 1 else found[0]
        if found is None:
            found = 404, {}, "no such page"
        status, headers, body = found if isinstance(found, tuple) else (200, {}, found)
        if isinstance(body, str):
            body = body.replace("{origin}", f"http://127.0.0.1:{facts['server_port']}")
        kind = TYPES.get(self.path[self.path.rfind(".") :], "text/html")
        self.send(body, status, {"Content-Type": kind, **headers})


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], **facts) -> Iterator[tuple[str, list]]:
    """Run a server with attributes for its handler; yields its origin and its list of requests."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.__dict__.update(facts, requests=[])
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.__dict__["requests"]
    finally:
        server.shutdown()
        server.server_close()


def answering(
    answers: Mapping[str, Answer | list[Answer]] | Callable[[str], Answer | None],
) -> AbstractContextManager[tuple[str, list]]:
    """Run a server with an answer for each path, given or computed, and 404 for other paths.

    Of a list, each request takes the next answer; the last one repeats. Yields the origin and the
    list of requests: their paths and times.
    """
    return serving(_Answering, answers=answers)
