"""A folder of saved pages as a site of its own on loopback."""

from __future__ import annotations

import functools
import http.server
import os
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["OFFLINE", "served"]

OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",)
"""Switches of a browser that reaches loopback alone: saved sites refer to the open web."""


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def translate_path(self, path: str) -> str:
        # A question mark in a file's name comes as %3F, which is no query.
        plain = urllib.parse.unquote(path.partition("?")[0].partition("#")[0])
        parts = [part for part in plain.split("/") if part not in ("", ".", "..")]
        return str(Path(self.directory).joinpath(*parts)) + ("/" if plain.endswith("/") else "")

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        # Pages saved under names such as `spip.php?article1.html`.
        kind = super().guess_type(path)
        return (
            f"{kind}; charset=utf-8" if kind.startswith("text/") and kind != "text/html" else kind
        )

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a browser hangs up on what it no longer wants


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder from the root of a server of its own; gives the origin."""
    with _Server(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
