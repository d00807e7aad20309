"""The calls most users make: from an address or from HTML to the article."""

from __future__ import annotations

from ..renderer.options import RenderOptions
from ..renderer.renderer import render_html, render_url, run
from ..renderer.snapshot import NOWHERE
from .article import extract_snapshot
from .extraction import Extraction
from .follow import FollowOptions, extract_followed
from .methods.default import DEFAULT_METHOD
from .methods.table import method_named

__all__ = ["extract_html", "extract_url"]


def extract_url(
    url: str,
    *,
    method: str = DEFAULT_METHOD,
    options: RenderOptions | None = None,
    follow_pages: bool | FollowOptions = False,
) -> Extraction:
    """Render the page of a URL and take its article out.

    Parameters
    ----------
    url
        An address (http, https, data or about).
    method
        Name of a method; see `METHODS`.
    options
        How pages are rendered.
    follow_pages
        Whether the pages that an article goes on at are rendered and joined to it, and how far.

    Raises
    ------
    MioloError
        See `miolo.errors`.
    """
    method_named(method)  # an unknown one is told before a browser starts
    if not follow_pages:
        return extract_snapshot(render_url(url, options), method)
    follow = follow_pages if isinstance(follow_pages, FollowOptions) else None
    return run(extract_followed(url, lambda page: extract_snapshot(page, method), options, follow))


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
