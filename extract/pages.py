"""The main entry points: extract the article from an address or from HTML."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Collection,
    Coroutine,
    Iterable,
)
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..models.article.roles import DEFAULT_PRESET, Preset
from ..output.extraction import Extraction
from ..output.page_result import PageResult
from ..renderer.options import RenderOptions, restrict_policy
from ..renderer.page.snapshot import NOWHERE
from ..renderer.renderer import Renderer
from .job import PageJob
from .job_run import extract_page, extract_page_sync
from .methods.registry import DEFAULT_METHOD
from .options import ExtractOptions, LearnedSite
from .pagination import FollowOptions
from .sources import HTML


def extract_url(
    url: str | Path,
    *,
    method: str = DEFAULT_METHOD,
    preset: Preset = DEFAULT_PRESET,
    include: Collection[str] = (),
    exclude: Collection[str] = (),
    site: LearnedSite = None,
    options: RenderOptions | None = None,
    follow_pages: bool | FollowOptions = False,
) -> Extraction:
    """Render the page of a URL and extract its article.

    Parameters
    ----------
    url
        An address (http, https, data or about), which may lack its scheme; or a file as a `Path`:
        HTML, MHTML, an archive of one page, or a saved snapshot. `parse_source` reads either from
        a text.
    method
        Name of a method; see `METHODS`.
    preset, include, exclude
        Roles that count as the text; see `extract_snapshot`.
    site
        What was learned from the pages' site, or a `SiteFolder`; see `ExtractOptions`.
    options
        How the page is rendered.
    follow_pages
        Whether an article split over several pages is joined; `FollowOptions` set the limits.

    Raises
    ------
    MioloError
        See `miolo.errors`.
    """
    job = PageJob(
        url,
        RenderOptions() if options is None else options,
        ExtractOptions(method, preset, include, exclude, site),
    )
    if follow_pages:
        has_options = isinstance(follow_pages, FollowOptions)
        job = replace(job, follow=follow_pages if has_options else FollowOptions())
    return extract_page_sync(job).unwrap()


def extract_html(
    html: str | bytes,
    *,
    url: str = NOWHERE,
    method: str = DEFAULT_METHOD,
    preset: Preset = DEFAULT_PRESET,
    include: Collection[str] = (),
    exclude: Collection[str] = (),
    site: LearnedSite = None,
    options: RenderOptions | None = None,
) -> Extraction:
    """Render HTML as if it had come from `url`, and extract its article.

    The other parameters, and the errors, are those of `extract_url`.

    Parameters
    ----------
    html
        Text, or bytes whose encoding is detected.
    url
        Address of the page, to which its links are relative. By default nothing is fetched; see
        `RenderOptions.fetch`.
    """
    extract = ExtractOptions(method, preset, include, exclude, site)
    job = PageJob(HTML(html, url), RenderOptions() if options is None else options, extract)
    return extract_page_sync(job).unwrap()


async def extract_many(
    urls: Iterable[str] | AsyncIterable[str],
    *,
    method: str = DEFAULT_METHOD,
    preset: Preset = DEFAULT_PRESET,
    include: Collection[str] = (),
    exclude: Collection[str] = (),
    site: LearnedSite = None,
    options: RenderOptions | None = None,
    concurrency: int = 4,
    renderer: Renderer | None = None,
) -> AsyncGenerator[PageResult]:
    """Render pages in one browser and yield their results as they complete.

    Addresses are consumed as pages complete, and no page is started while `concurrency` results
    are waiting to be consumed, so memory use does not depend on the number of addresses. A page
    that fails yields a result with its error.

    Parameters
    ----------
    urls
        Addresses, from any iterable, which may be infinite.
    method, preset, include, exclude, site
        See `extract_url`.
    options
        How pages are rendered. Lists of addresses often come from third parties, so
        ``EgressPolicy("named")`` is treated as ``"never"``. To reach private addresses, name their
        hosts in `EgressPolicy.allowed`, or use ``EgressPolicy("always")``.
    concurrency
        Maximum number of pages that are open at the same time, at least 1.
    renderer
        The browser to use; it is not closed. By default, one is started for this call.

    Examples
    --------
    >>> async def titles(urls):
    ...     async for page in extract_many(urls):
    ...         print(page.requested_url, page.error or page.extraction.title)
    """
    if isinstance(urls, str):
        raise TypeError("urls must be an iterable of addresses; extract_url takes a single one")
    if concurrency < 1:
        raise ValueError("concurrency must be at least 1")
    job = PageJob("", extract=ExtractOptions(method, preset, include, exclude, site))
    own = None if renderer else Renderer(options)
    browser = renderer or own
    assert browser is not None
    job = replace(job, render=restrict_policy(options or browser.options))
    ended: asyncio.Queue[asyncio.Task[PageResult | None]] = asyncio.Queue()
    slots = asyncio.Semaphore(concurrency)
    tasks: set[asyncio.Task[PageResult | None]] = set()

    def start(work: Coroutine[Any, Any, PageResult | None]) -> None:
        task = asyncio.create_task(work)
        tasks.add(task)
        task.add_done_callback(ended.put_nowait)

    async def start_pages() -> None:
        await slots.acquire()
        async for url in _addresses(urls):
            start(extract_page(replace(job, source=url), browser))
            await slots.acquire()

    try:
        start(start_pages())  # results are not delayed while the source waits
        while tasks:
            task = await ended.get()
            tasks.remove(task)
            result = task.result()
            if result is not None:
                slots.release()
                yield result
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if own:
            await own.close()


async def _addresses(urls: Iterable[str] | AsyncIterable[str]) -> AsyncIterator[str]:
    if isinstance(urls, AsyncIterable):
        async for url in urls:
            yield url
    else:
        for url in urls:
            yield url
