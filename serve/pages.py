"""The web page: its files, and what a browser may do with them."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..debug.reports.scripts import VIEW_FILES

__all__ = ["PAGE_POLICY", "StaticFile", "page_files"]

PAGE = Path(__file__).with_name("page")

PAGE_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)


@dataclass(frozen=True)
class StaticFile:
    """A file of the web page."""

    body: bytes
    media: str


def page_files() -> Mapping[str, StaticFile]:
    """Every file by its path; those of the reports stand beside the page's own."""
    files = {**VIEW_FILES, **{path.name: path for path in sorted(PAGE.iterdir())}}
    found = {f"/{name}": _read(path) for name, path in files.items()}
    return {**found, "/": found["/index.html"]}


def _read(path: Path) -> StaticFile:
    media = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    text = media.startswith(("text/", "application/javascript"))
    return StaticFile(path.read_bytes(), f"{media}; charset=utf-8" if text else media)
