"""The calls most users make: from an address or from HTML to the article."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import cast

from ..models.article.roles import DEFAULT_PRESET, Preset, role_set
from ..renderer.options import RenderOptions
from ..renderer.renderer import render_html, render_url, run
from ..renderer.snapshot import NOWHERE, Snapshot
from .article import extract_snapshot
from .extraction import Extraction
from .follow import FollowOptions, extract_followed
from .methods.default import DEFAULT_METHOD
from .methods.table import method_named, resolve_alias

__all__ = ["checked_extract", "extract_html", "extract_url"]


def extract_url(
    url: str,
    *,
    method: str = DEFAULT_METHOD,
    preset: Preset = DEFAULT_PRESET,
    include: Collection[str] = (),
    exclude: Collection[str] = (),
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
    preset, include, exclude
        Roles that count as the text; see `extract_snapshot`.
    options
        How pages are rendered.
    follow_pages
        Whether the pages that an article goes on at are rendered and joined to it, and how far.

    Raises
    ------
    MioloError
        See `miolo.errors`.
    """
    extract = checked_extract(*resolve_alias(method, preset), include, exclude)
    if not follow_pages:
        return extract(render_url(url, options))
    follow = follow_pages if isinstance(follow_pages, FollowOptions) else None
    return run(extract_followed(url, extract, options, follow))


def extract_html(
    html: str | bytes,
    *,
    url: str = NOWHERE,
    method: str = DEFAULT_METHOD,
    preset: Preset = DEFAULT_PRESET,
    include: Collection[str] = (),
    exclude: Collection[str] = (),
    options: RenderOptions | None = None,
) -> Extraction:
    """Render this HTML as if it had come from `url`, fetching nothing, and extract."""
    extract = checked_extract(*resolve_alias(method, preset), include, exclude)
    return extract(render_html(html, url=url, options=options))


def checked_extract(
    method: str, preset: str, include: Collection[str], exclude: Collection[str]
) -> Callable[[Snapshot], Extraction]:
    """`extract_snapshot` with these options, checked before a browser starts.

    Raises
    ------
    UnknownMethod, UnknownRole
        There is no method, preset or role of this name.
    """
    method_named(method)
    role_set(preset, include, exclude)
    chosen = cast(Preset, preset)
    return partial(extract_snapshot, method=method, preset=chosen, include=include, exclude=exclude)
