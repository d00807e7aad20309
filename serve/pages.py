"""The web page: its files, and what a browser may do with them."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..debug.reports.scripts import VIEW_FILES

__all__ = ["PAGE_POLICY", "StaticFile", "page_files"]

PAGE = Path(__file__).with_name("page")
LABEL_PAGE = Path(__file__).with_name("label_page")

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


def page_files(*, labels: bool = False) -> Mapping[str, StaticFile]:
    """Every file by its path; those of the reports stand beside the page's own.

    Parameters
    ----------
    labels
        Whether the page on which a collection is labelled is among them.
    """
    folders = (PAGE, LABEL_PAGE) if labels else (PAGE,)
    own = {path.name: path for folder in folders for path in sorted(folder.iterdir())}
    files = {**VIEW_FILES, **own}
    found = {f"/{name}": _read(path) for name, path in files.items()}
    return {**found, "/": found["/index.html"]}


def _read(path: Path) -> StaticFile:
    media = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    text = media.startswith(("text/", "application/javascript"))
    return StaticFile(path.read_bytes(), f"{media}; charset=utf-8" if text else media)
