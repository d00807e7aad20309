"""Helpers for tests of batches and crawls: options for loopback, and local servers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic

from miolo.collect.batch.hosts import Politeness
from miolo.collect.batch.options import BatchOptions
from miolo.renderer.network.policy import EgressPolicy

OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",)

# The user does not name the pages of a list individually; these hosts are allowed nevertheless.
LOOPBACK = EgressPolicy("never", allowed=("127.0.0.1", "localhost"))


def batch_options(**changes) -> BatchOptions:
    """One browser that reaches only loopback, without delays."""
    base = {
        "method": "nce",
        "browsers": 1,
        "politeness": Politeness(0, 8),
        "switches": OFFLINE,
    }
    chosen = BatchOptions(**{**base, **changes})
    return replace(chosen, render=replace(chosen.render, egress=LOOPBACK))


class Routed(BaseHTTPRequestHandler):
    """Answers with the status, headers and body that the server's `route` returns for a path."""

    def do_GET(self) -> None:
        facts = self.server.__dict__
        facts["requests"].append((self.path, monotonic()))
        status, headers, body = facts["route"](self.path)
        self.send_response(status)
        for name, value in {"Content-Type": "text/html", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], **facts) -> Iterator[tuple[str, list]]:
    """Run a server with attributes for its handler; yields its origin and its list of requests."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.__dict__.update(facts, requests=[])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.__dict__["requests"]
    finally:
        server.shutdown()
        server.server_close()
