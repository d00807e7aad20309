"""`Validators`: HTTP validators that show whether a page has changed."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Validators"]


@dataclass(frozen=True)
class Validators:
    """Validators of a page's last response.

    Attributes
    ----------
    etag, modified
        Headers ``ETag`` and ``Last-Modified`` of the response; empty if missing.
    digest
        Hash of the response's text.
    """

    etag: str
    modified: str
    digest: str
