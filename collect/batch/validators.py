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
        Its headers ``ETag`` and ``Last-Modified``; empty where there was none.
    digest
        Hash of its text.
    """

    etag: str
    modified: str
    digest: str
