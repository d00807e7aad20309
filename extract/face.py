"""The calls most users make: from an address or from HTML to the article."""

from __future__ import annotations

from ..renderer.options import RenderOptions
from ..renderer.renderer import render_html, render_url
from ..renderer.snapshot import NOWHERE
from .article import extract_snapshot
from .extraction import Extraction
from .methods.table import DEFAULT_METHOD, method_named

__all__ = ["extract_html", "extract_url"]


def extract_url(
    url: str, *, method: str = DEFAULT_METHOD, options: RenderOptions | None = None
) -> Extraction:
    """Render the page of a URL and take its article out.

    Raises
    ------
    MioloError
        See `miolo.errors`.
    """
    method_named(method)  # an unknown one is told before a browser starts
    return extract_snapshot(render_url(url, options), method)


def extract_html(
    html: str | bytes,
    *,
    url: str = NOWHERE,
    method: str = DEFAULT_METHOD,
    options: RenderOptions | None = None,
) -> Extraction:
    """Render this HTML as if it had come from `url`, fetching nothing, and extract."""
    method_named(method)
    return extract_snapshot(render_html(html, url=url, options=options), method)
