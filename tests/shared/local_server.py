"""Servers on loopback for tests that need answers of their own."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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


class Routed(Handler):
    """Answers with the status, headers and body that the server's `route` returns for a path."""

    def do_GET(self) -> None:
        facts = self.server.__dict__
        facts["requests"].append((self.path, monotonic()))
        status, headers, body = facts["route"](self.path)
        self.send(body, status, headers)


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
