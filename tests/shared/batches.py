"""What tests of batches and crawls share: options for loopback, a server of one's own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from miolo.collect.batch.hosts import Politeness
from miolo.collect.batch.options import BatchOptions
from miolo.renderer.network.policy import EgressPolicy

OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",)

# A list's pages are named by nobody: these may be reached all the same.
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


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], **facts) -> Iterator[tuple[str, list]]:
    """A server with attributes for its handler, and the list of its requests."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.__dict__.update(facts, requests=[])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.__dict__["requests"]
    finally:
        server.shutdown()
        server.server_close()
