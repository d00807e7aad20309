"""`extract_many`: the articles of many pages, one after the other, in bounded memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Iterable
from dataclasses import dataclass

from ..errors import MioloError, RenderError
from ..models.article.roles import DEFAULT_PRESET, Preset
from ..renderer.egress.settled import unnamed
from ..renderer.options import RenderOptions
from ..renderer.renderer import Renderer
from ..renderer.snapshot import Snapshot
from .extraction import Extraction
from .face import checked_extract
from .methods.default import DEFAULT_METHOD
from .methods.table import resolve_alias

__all__ = ["Extracted", "extract_many"]


@dataclass(frozen=True)
class Extracted:
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
    at_once: int = 4,
    renderer: Renderer | None = None,
) -> AsyncIterator[Extracted]:
    """Render pages in one browser and take their articles out, as they come.

    Addresses are asked for as pages end, and no page is begun while `at_once` wait to be taken:
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
    at_once
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
    options = unnamed(options or browser.options)
    waiting = _addresses(urls)
    tasks: set[asyncio.Task[Extracted]] = set()
    try:
        more = True
        while more or tasks:
            while more and len(tasks) < at_once:
                url = await anext(waiting, None)
                if url is None:
                    more = False
                else:
                    tasks.add(asyncio.ensure_future(_extracted(browser, url, extract, options)))
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


async def _extracted(
    renderer: Renderer,
    url: str,
    extract: Callable[[Snapshot], Extraction],
    options: RenderOptions,
) -> Extracted:
    try:
        page = await renderer.render(url, options)
        # Others go on loading meanwhile.
        return Extracted(url, await asyncio.to_thread(extract, page))
    except MioloError as error:
        return Extracted(url, error=error)
    except Exception as error:
        # A page that breaks the extraction does not end the others.
        return Extracted(url, error=RenderError(f"{type(error).__name__}: {error}", url=url))


async def _addresses(urls: Iterable[str] | AsyncIterable[str]) -> AsyncIterator[str]:
    if isinstance(urls, AsyncIterable):
        async for url in urls:
            yield url
    else:
        for url in urls:
            yield url
