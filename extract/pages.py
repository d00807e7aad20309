"""The calls most users make: from an address or from HTML to the article."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from typing import cast

from ..errors import MioloError, RenderError
from ..models.article.roles import DEFAULT_PRESET, Preset, role_set
from ..renderer.options import RenderOptions
from ..renderer.page_policy import restrict_policy
from ..renderer.renderer import Renderer, render_html, render_url, run
from ..renderer.snapshot import NOWHERE, Snapshot
from .methods.default import DEFAULT_METHOD
from .methods.table import method_named, resolve_alias
from .output.extraction import Extraction
from .pagination import FollowOptions, extract_followed
from .pipeline import extract_snapshot

__all__ = ["PageResult", "checked_extract", "extract_html", "extract_many", "extract_url"]


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
    UnknownMethodError, UnknownRoleError
        There is no method, preset or role of this name.
    """
    method_named(method)
    role_set(preset, include, exclude)
    chosen = cast(Preset, preset)
    return partial(extract_snapshot, method=method, preset=chosen, include=include, exclude=exclude)


# `extract_many`: the articles of many pages, one after the other, in bounded memory.


@dataclass(frozen=True)
class PageResult:
    """What came of one page: an extraction or an error.

    Attributes
    ----------
    url
        As it was asked for.
    extraction, error
        One of them.
    """

    url: str
    extraction: Extraction | None = None
    error: MioloError | None = None


async def extract_many(
    urls: Iterable[str] | AsyncIterable[str],
    *,
    method: str = DEFAULT_METHOD,
    preset: Preset = DEFAULT_PRESET,
    include: Collection[str] = (),
    exclude: Collection[str] = (),
    options: RenderOptions | None = None,
    concurrency: int = 4,
    renderer: Renderer | None = None,
) -> AsyncIterator[PageResult]:
    """Render pages in one browser and take their articles out, as they come.

    Addresses are asked for as pages end, and no page is begun while `concurrency` wait to be taken:
    memory does not depend on how many there are. A page that fails is an answer with its error.

    Parameters
    ----------
    urls
        Addresses; their number need not be known.
    method
        Name of a method that needs no site.
    preset, include, exclude
        Roles that count as the text; see `extract_snapshot`.
    options
        How pages are rendered. Lists come from elsewhere: private addresses are refused unless
        `RenderOptions.egress` allows them.
    concurrency
        Pages open at once.
    renderer
        A browser to use, which stays open; by default one for this call.

    Examples
    --------
    >>> async def titles(urls):
    ...     async for page in extract_many(urls):
    ...         print(page.url, page.error or page.extraction.title)
    """
    extract = checked_extract(*resolve_alias(method, preset), include, exclude)
    own = None if renderer else Renderer(options)
    browser = renderer or own
    assert browser is not None
    options = restrict_policy(options or browser.options)
    waiting = _addresses(urls)
    tasks: set[asyncio.Task[PageResult]] = set()
    try:
        more = True
        while more or tasks:
            while more and len(tasks) < concurrency:
                url = await anext(waiting, None)
                if url is None:
                    more = False
                else:
                    tasks.add(asyncio.ensure_future(_extract(browser, url, extract, options)))
            if tasks:
                ended, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in ended:
                    yield task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if own:
            await own.close()


async def _extract(
    renderer: Renderer,
    url: str,
    extract: Callable[[Snapshot], Extraction],
    options: RenderOptions,
) -> PageResult:
    try:
        page = await renderer.render(url, options)
        # Others go on loading meanwhile.
        return PageResult(url, await asyncio.to_thread(extract, page))
    except MioloError as error:
        return PageResult(url, error=error)
    except Exception as error:
        # A page that breaks the extraction does not end the others.
        return PageResult(url, error=RenderError(f"{type(error).__name__}: {error}", url=url))


async def _addresses(urls: Iterable[str] | AsyncIterable[str]) -> AsyncIterator[str]:
    if isinstance(urls, AsyncIterable):
        async for url in urls:
            yield url
    else:
        for url in urls:
            yield url
