"""`Renderer`: many pages, one browser; and its synchronous twins for one page."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ..errors import BrowserCrashed, MioloError, NavigationError
from .encoding import decode_html
from .engine import Engine
from .gate import Given
from .options import RenderOptions
from .snapshot import NOWHERE, Snapshot, Warn
from .visit import Request, visit

__all__ = ["Renderer", "render_html", "render_url"]

T = TypeVar("T")

SCHEMES = ("http", "https", "data", "about")

# Memory is looked at every so many pages: reading it takes some 20 ms.
MEMORY_EVERY = 16


class Renderer:
    """One Chromium for many pages, each in a fresh context.

    Calls may overlap (`asyncio.gather`); every page has its own time limit. A browser that
    crashed is started again and the page tried once more; after `max_pages` pages, or when
    it holds more than `max_memory` bytes, it is replaced together with its connection.

    Parameters
    ----------
    options
        How pages are rendered, unless a call says otherwise.
    max_pages, max_memory
        When the browser is renewed.
    switches
        Further switches for Chromium's command line.

    Examples
    --------
    >>> async def titles(urls):
    ...     async with Renderer() as renderer:
    ...         return [(await renderer.render(url)).page.title for url in urls]
    """

    def __init__(
        self,
        options: RenderOptions | None = None,
        *,
        max_pages: int = 500,
        max_memory: int = 4 << 30,
        switches: tuple[str, ...] = (),
    ) -> None:
        self.options = options or RenderOptions()
        self.max_pages = max_pages
        self.max_memory = max_memory
        self.switches = switches
        self._engine: Engine | None = None
        self._engines: set[Engine] = set()
        self._lock = asyncio.Lock()

    async def __aenter__(self) -> Renderer:
        await self._ready_engine()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every browser; no process is left."""
        engines, self._engines, self._engine = list(self._engines), set(), None
        await asyncio.shield(asyncio.gather(*(engine.close() for engine in engines)))

    async def render(self, url: str, options: RenderOptions | None = None) -> Snapshot:
        """Render the page of a URL (http, https, data or about).

        Raises
        ------
        RenderError
            Nothing of the page could be captured; see `miolo.errors` for the kinds.
        """
        scheme = urlsplit(url).scheme.lower() if _parses(url) else ""
        if scheme not in SCHEMES:
            raise NavigationError(
                f"{url!r} is not an address of a page: it must start with http:// or https://",
                url=url,
            )
        return await self._render(Request(url), options or self.options)

    async def render_html(
        self, html: str | bytes, *, url: str = NOWHERE, options: RenderOptions | None = None
    ) -> Snapshot:
        """Render this HTML as if it had come from `url`; nothing is fetched.

        With ``options.fetch`` its style sheets, scripts and pictures are loaded.
        """
        options = options or self.options
        text = html if isinstance(html, str) else decode_html(html)
        # The mark outranks any charset that the page declares.
        data = b"\xef\xbb\xbf" + text.encode("utf-8", "replace")
        return await self._render(Request(url, Given(data, url, options.fetch)), options)

    async def render_file(self, path: str | Path, options: RenderOptions | None = None) -> Snapshot:
        """Render a local HTML file at its own ``file:`` address, fetching only files.

        Raises
        ------
        NavigationError
            There is no such file.
        """
        path = Path(path).resolve()
        if not path.is_file():
            raise NavigationError(f"there is no file {path}", url=str(path))
        return await self._render(Request(path.as_uri()), options or self.options)

    async def _render(self, request: Request, options: RenderOptions) -> Snapshot:
        snapshot = await self._with_retry(request, options)
        codes = {warning.code for warning in snapshot.page.warnings}
        if not options.javascript or not ("wiped" in codes or _is_empty(snapshot)):
            return snapshot
        try:
            plain = await self._with_retry(request, replace(options, javascript=False))
        except MioloError:
            return snapshot
        if _is_empty(plain):
            return snapshot
        return plain.warned(Warn("scripts-off", "empty with scripts on, so rendered without"))

    async def _with_retry(self, request: Request, options: RenderOptions) -> Snapshot:
        try:
            return await self._once(request, options)
        except BrowserCrashed:
            return await self._once(request, options)

    async def _once(self, request: Request, options: RenderOptions) -> Snapshot:
        engine = await self._ready_engine()
        engine.active += 1
        engine.pages += 1
        try:
            return await visit(engine, request, options)
        except BrowserCrashed:
            engine.retired = not engine.browser.is_connected()
            raise
        finally:
            engine.active -= 1
            if engine.retired and not engine.active and engine in self._engines:
                self._engines.discard(engine)
                await asyncio.shield(engine.close())

    async def _ready_engine(self) -> Engine:
        async with self._lock:
            engine = self._engine
            if engine is None or engine.retired or self._worn_out(engine):
                if engine is not None:
                    await self._retire(engine)
                engine = self._engine = await Engine.start(self.switches)
                self._engines.add(engine)
            return engine

    def _worn_out(self, engine: Engine) -> bool:
        if engine.pages >= self.max_pages:
            return True
        return engine.pages % MEMORY_EVERY == MEMORY_EVERY - 1 and (
            engine.memory() > self.max_memory
        )

    async def _retire(self, engine: Engine) -> None:
        """Close a browser now, or leave that to the last of its pages."""
        engine.retired = True
        if not engine.active and engine in self._engines:
            self._engines.discard(engine)
            await engine.close()


def _parses(url: str) -> bool:
    try:
        urlsplit(url)
    except ValueError:
        return False
    return True


def _is_empty(snapshot: Snapshot) -> bool:
    return not (snapshot.is_text & snapshot.visible).any()


def render_url(url: str, options: RenderOptions | None = None) -> Snapshot:
    """Render the page of a URL in a browser of its own.

    Works in a script and inside a running event loop (a notebook) alike. For many pages
    use one `Renderer`.
    """
    return run(_alone(lambda renderer: renderer.render(url), options))


def render_html(
    html: str | bytes, *, url: str = NOWHERE, options: RenderOptions | None = None
) -> Snapshot:
    """Render this HTML as if it had come from `url`, in a browser of its own."""
    return run(_alone(lambda renderer: renderer.render_html(html, url=url), options))


async def _alone(call: Any, options: RenderOptions | None) -> Snapshot:
    async with Renderer(options) as renderer:
        return await call(renderer)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, in a thread of its own where a loop runs already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    outcome: list[T] = []
    failure: list[BaseException] = []

    def target() -> None:
        try:
            outcome.append(asyncio.run(work))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=target, name="miolo-render")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]
