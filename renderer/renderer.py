"""`Renderer`, which renders many pages in one browser, and synchronous functions for one page."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import (
    BrowserCrashedError,
    MioloError,
    NavigationError,
    NotHTMLError,
    PageTimeoutError,
    PageWarning,
    RenderError,
)
from .archives.archive import NOT_ARCHIVED, Archive, fetch_archived
from .archives.open_archive import open_archive
from .browser.identity import Identity, custom_identity
from .network.egress_proxy import Network
from .network.exchange import Exchange
from .network.fetch import GetRequest
from .network.origins import WEB, OwnHeaders, check_address
from .network.resolver import Resolve
from .network.source_kinds import (
    ROOTS,
    START_BYTES,
    check_content,
    is_archive,
    not_a_page,
    source_kind,
)
from .network.written_addresses import whole_address
from .options import RenderOptions
from .page.encoding import check_html, encode_html
from .page.mhtml import open_mhtml
from .page.served import (
    named_address,
    parse_given_file,
    parse_given_html,
    read_start,
    served_page,
    with_address,
)
from .page.snapshot import NOWHERE, Snapshot

if TYPE_CHECKING:
    from .browser.context import LacksArticle, Request
    from .browser.engine import Engine

T = TypeVar("T")

# Number of pages between two checks of the browser's memory, each of which takes some 20 ms.
MEMORY_EVERY = 16

ABORTED = "ERR_ABORTED"

# What browsers build around the root of an XML document, or around plain text, and how much of it.
VIEWER_TAGS = frozenset("#text html head meta style body div pre".split())
MAX_VIEWER_NODES = 20


class Renderer:
    """One Chromium for many pages, each in a fresh context.

    Calls may overlap (`asyncio.gather`), and every page has its own time limit. After a crash the
    browser is started again and the page is tried once more. After `max_pages` pages, or when it
    holds more than `max_memory` bytes, the browser is replaced together with its connection.

    Parameters
    ----------
    options
        How pages are rendered, unless a call has its own options.
    max_pages, max_memory
        Number of pages, and bytes of memory, after which the browser is replaced.
    switches
        Further switches for Chromium's command line.
    replay
        Archive that answers every request, including those for main documents. Requests that it
        has no response to are refused, and nothing reaches the network. The caller closes the
        archive after the renderer.
    resolve
        Resolver that replaces the system's, for pages whose egress policy refuses any addresses.
    on_start
        Called before each start of a browser.
    first
        The start of the first browser, if it began before, and whether that browser is for pages
        whose connections Miolo makes.

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
        replay: Archive | None = None,
        resolve: Resolve | None = None,
        on_start: Callable[[], None] = lambda: None,
        first: tuple[asyncio.Task[Engine], bool] | None = None,
    ) -> None:
        self.options = options or RenderOptions()
        self.max_pages = max_pages
        self.max_memory = max_memory
        self.switches = switches
        self.replay = replay
        self.resolve = resolve
        self.on_start = on_start
        self._network = Network(resolve, switches)
        self._identity: Identity | None = None
        # Keyed by whether Miolo makes the connections: filtered pages share no browser with others.
        self._current: dict[bool, Engine] = {}
        self._starting = {first[1]: first[0]} if first else {}
        self._engines: set[Engine] = set()
        self._closing: set[asyncio.Future[None]] = set()
        self._lock = asyncio.Lock()
        self._closes = 0

    async def __aenter__(self) -> Renderer:
        if self.options.browser == "always":
            await self._ready_engine()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all browsers; no process remains.

        Pages that are being rendered fail with a `RenderError`. Later calls start a new browser.
        """
        self._closes += 1
        await asyncio.shield(self._close_all())

    async def _close_all(self) -> None:
        async with self._lock:  # a browser that is being started is closed as well
            starting, self._starting = self._starting, {}
            started = await asyncio.gather(*starting.values(), return_exceptions=True)
            self._engines |= {each for each in started if not isinstance(each, BaseException)}
            engines, self._engines, self._current = self._engines, set(), {}
            network, self._network = self._network, Network(self.resolve, self.switches)
            await asyncio.gather(*(each.close() for each in engines), *self._closing)
            network.close()

    async def render(
        self,
        url: str,
        options: RenderOptions | None = None,
        *,
        into: list[Exchange] | None = None,
        lacks_article: LacksArticle | None = None,
    ) -> Snapshot:
        """Render the page of a URL.

        Parameters
        ----------
        url
            An address (http, https, data or about), which may lack its scheme.
        options
            How the page is rendered; by default the options of the renderer.
        into
            List to which the page's exchanges are added in the order of their responses, even if
            rendering fails; None to record nothing.
        lacks_article
            Asked about a page for which something is pending: whether it still lacks its article.
            By default, nobody is asked, and the wait is the same for all pages.

        Raises
        ------
        RenderError
            No part of the page could be captured; see `miolo.errors` for the subclasses.
        """
        url = whole_address(url) if isinstance(url, str) else url
        check_address(url)
        options = (options or self.options).for_page(url)
        if options.browser == "never":
            return await self._read_served(url, options, into)
        request = _request(url, recorded=into, lacks_article=lacks_article)
        return await self._render(request, options)

    async def fetch(
        self,
        url: str,
        *,
        seconds: float = 20.0,
        max_bytes: int = 50 << 20,
        into: list[Exchange] | None = None,
        options: RenderOptions | None = None,
    ) -> Exchange:
        """Fetch an http or https URL without rendering it, whatever the status of the response.

        No browser is needed. The request may reach the same addresses as pages. Its user agent is
        that of the options, else that of the browser once one has started, else Miolo's own.
        Redirects are followed; the returned exchange has the final URL. The cookies sent are those
        of the options and those that redirects have set.

        Parameters
        ----------
        url
            URL of a robots.txt, a sitemap or a feed, for example.
        seconds
            Time limit, including redirects.
        max_bytes
            Maximum length of the decoded body.
        into
            List to which the redirects and the final exchange are added.
        options
            Egress policy, headers, cookies and proxy, instead of those of the renderer.

        Raises
        ------
        NavigationError
            The URL cannot be opened, or is missing from the archive.
        PageTimeoutError, TooLargeError
            The response takes longer than `seconds`, or is longer than `max_bytes`.
        """
        check_address(url, WEB)
        options = (options or self.options).for_page(url)
        get = GetRequest(url, seconds, max_bytes)
        exchanges = await self._fetch(get, options, self.replay)
        if into is not None:
            into += exchanges
        return exchanges[-1]

    async def _fetch(
        self, get: GetRequest, options: RenderOptions, archive: Archive | None
    ) -> list[Exchange]:
        if archive is not None:
            return await fetch_archived(archive, get)
        from .network.client import fetch_live

        return await fetch_live(
            get,
            self._network,
            options.egress,
            headers=partial(self._plain_headers, options),
            own=OwnHeaders(options.headers, options.headers_for or get.url),
            cookies=options.plain_cookies,
            proxy=options.proxy,
        )

    def _plain_headers(self, options: RenderOptions, url: str) -> dict[str, str]:
        """Headers of a plain request that the requests of rendered pages have too."""
        agent = options.agent
        identity = custom_identity(agent) if agent else self._identity
        own = identity.headers(url) if identity else {}
        return own | ({"Accept-Language": options.locale} if options.locale else {})

    async def render_html(
        self,
        html: str | bytes,
        *,
        url: str = NOWHERE,
        options: RenderOptions | None = None,
        lacks_article: LacksArticle | None = None,
    ) -> Snapshot:
        """Render HTML as if it had come from `url`.

        Parameters
        ----------
        html
            Text, or bytes whose encoding is detected; or a page with its resources as MHTML.
        url
            Address of the page, to which its links are relative. By default it is the address that
            a saved page names. Nothing is fetched unless `RenderOptions.fetch` is set.
        options, lacks_article
            As for `render`.

        Raises
        ------
        RenderError
            No part of the page could be captured; see `miolo.errors` for the subclasses.
        ArchiveError
            The MHTML is damaged.
        """
        check_html(html)
        # Options that the user set for a host are not for a file that only claims to be from it.
        own = (options or self.options).for_page(url)
        if own.browser == "never":
            parse = partial(parse_given_html, html, url, own.limits)
            snapshot = await _in_time(parse, url, own.limits.seconds)
            if snapshot is not None:
                return snapshot
        mhtml = await asyncio.to_thread(open_mhtml, html, url)
        if mhtml is not None:
            with Archive(mhtml) as archive:
                return await self._render_archived(archive, mhtml.url, options)
        check_content(html, "the HTML" if url == NOWHERE else url, url)
        if url == NOWHERE:
            url = named_address(html) or url
        check_address(url, (*WEB, "file"))
        # The byte order mark takes precedence over any charset that the page declares.
        data, warnings = encode_html(html)
        from .browser.interceptor import SuppliedDocument

        document = SuppliedDocument(b"\xef\xbb\xbf" + data, url, own.fetch)
        request = _request(url, document=document, lacks_article=lacks_article)
        return (await self._render(request, own)).with_warnings(*warnings)

    async def render_file(
        self,
        path: str | Path,
        options: RenderOptions | None = None,
        *,
        lacks_article: LacksArticle | None = None,
    ) -> Snapshot:
        """Render a local file: HTML at its own ``file:`` address, fetching only files.

        A page that another program saved has the address that the file names. The page of a web
        archive, which may be MHTML, is rendered from it.

        Parameters
        ----------
        path
            The file.
        options, lacks_article
            As for `render`.

        Raises
        ------
        NavigationError
            There is no such file.
        NotHTMLError
            The file is not a page, or an archive of several.
        ArchiveError
            The file is a damaged web archive.
        """
        path = Path(path).resolve()
        if not path.is_file():
            raise NavigationError(f"there is no file {path}", url=str(path))
        options = options or self.options
        if options.browser == "never":
            parse = partial(parse_given_file, path, options.limits)
            snapshot = await _in_time(parse, str(path), options.limits.seconds)
            if snapshot is not None:
                return snapshot
        start = await asyncio.to_thread(read_start, path, START_BYTES)
        if is_archive(path, start):
            with await asyncio.to_thread(open_archive, path) as archive:
                pages = list(islice(archive.pages(), 2))
                if len(pages) == 1:
                    return await self._render_archived(archive, pages[0], options)
            advice = "use --archive, or miolo.open_archive in Python"
            content = f"several pages, not one: {advice}" if pages else "no page"
            raise NotHTMLError(f"{path} is a web archive of {content}", url=str(path))
        check_content(start, str(path))
        request = _request(path.as_uri(), lacks_article=lacks_article)
        return with_address(await self._render(request, options), named_address(start))

    async def _render_archived(
        self, archive: Archive, url: str, options: RenderOptions | None
    ) -> Snapshot:
        """Render a page from an archive, or read it without a browser."""
        options = (options or self.options).for_page(url)
        if options.browser == "never":
            return await self._read_served(url, options, archive=archive)
        return await self._render(_request(url, archive=archive), options)

    async def _read_served(
        self,
        url: str,
        options: RenderOptions,
        into: list[Exchange] | None = None,
        archive: Archive | None = None,
    ) -> Snapshot:
        """Snapshot of the page as its server sends it, or as an archive has it."""
        limits, started = options.limits, monotonic()
        archive = archive or self.replay
        get = GetRequest(url, limits.seconds, limits.response_bytes)
        with _explained_gaps(archive):
            check_address(url, WEB)
            exchanges = await self._fetch(get, options, archive)
        if into is not None:
            into += exchanges
        exchange = exchanges[-1]
        left = limits.seconds - (monotonic() - started)
        if archive is not None and archive.is_inert:
            parse = partial(Snapshot.from_html, exchange.body, url=exchange.url, limits=limits)
        else:
            parse = partial(served_page, url, exchange, limits)
        snapshot = await _in_time(parse, url, left)
        return snapshot.with_warnings(*archive.warnings) if archive else snapshot

    async def _render(self, request: Request, options: RenderOptions) -> Snapshot:
        archive = request.archive or self.replay
        if archive is not None and archive.is_inert:
            options = replace(options, javascript=False)
        with _explained_gaps(archive):
            snapshot = await self._render_best(replace(request, archive=archive), options)
        _check_document(snapshot, request.url)
        return snapshot.with_warnings(*archive.warnings) if archive else snapshot

    async def _render_best(self, request: Request, options: RenderOptions) -> Snapshot:
        """Render a page, without its scripts if they lead away from it or leave it empty."""
        call = _Call(request, monotonic() + options.limits.seconds, self._closes)

        async def without_scripts() -> Snapshot:
            return await self._with_retry(call, call.limit(replace(options, javascript=False)))

        try:
            snapshot = await self._with_retry(call, options)
        except NavigationError:
            is_given = request.document is not None or request.is_file
            if not (is_given and options.javascript):
                raise
            plain = await without_scripts()
            left = "a script led away from the given page, so it was rendered without scripts"
            return plain.with_warnings(PageWarning("left", left))
        if not options.javascript:
            return snapshot
        if any(warning.code == "wiped" for warning in snapshot.page.warnings):
            lacks_text = not snapshot.restored.any()
        else:
            # What the user's own clicks and script have emptied is not to be restored.
            lacks_text = not (options.click or options.script) and _is_empty(snapshot)
        if not lacks_text:
            return snapshot
        try:
            plain = await without_scripts()
        except MioloError:
            return snapshot
        if _is_empty(plain):
            return snapshot
        return plain.with_warnings(
            PageWarning("scripts-off", "empty with scripts on, so rendered without")
        )

    async def _with_retry(self, call: _Call, options: RenderOptions) -> Snapshot:
        recorded = call.request.recorded
        before = len(recorded or ())
        try:
            return await self._visit(call, options)
        except (BrowserCrashedError, NavigationError) as error:
            # A navigation is also aborted when the renderer process of its page dies.
            if isinstance(error, NavigationError) and error.cause != ABORTED:
                raise
            if recorded is not None:
                del recorded[before:]
            return await self._visit(call, call.limit(options))

    async def _visit(self, call: _Call, options: RenderOptions) -> Snapshot:
        """Render in a browser, which is kept open until the page is done."""
        from .browser.visit import visit

        engine = await self._ready_engine(options, call)
        engine.active += 1
        try:
            return await visit(engine, self._network, call.request, options)
        except RenderError as error:
            self._check_open(call)  # closing makes pages fail in many ways
            if isinstance(error, BrowserCrashedError) and not engine.stuck:
                engine.retired |= not await engine.responds()
            raise
        finally:
            engine.active -= 1
            if engine.retired:
                await self._retire(engine)

    def _check_open(self, call: _Call) -> None:
        """Raise an error if the renderer has been closed since a call."""
        if call.closes != self._closes:
            url = call.request.url
            raise RenderError(f"the renderer was closed while it rendered {url}", url=url)

    async def _ready_engine(
        self, options: RenderOptions | None = None, call: _Call | None = None
    ) -> Engine:
        is_filtered = (options or self.options).is_filtered
        async with self._lock:
            if call:
                self._check_open(call)
            engine = self._current.get(is_filtered)
            if engine is not None:
                is_checked = engine.pages % MEMORY_EVERY == MEMORY_EVERY - 1
                if (
                    not engine.retired
                    and engine.pages < self.max_pages
                    and not (is_checked and engine.memory() > self.max_memory)
                ):
                    return engine
                await self._retire(engine)
            from .browser.engine import Engine

            if is_filtered:
                _ = self._network.resolve  # raises at once if a resolver rule cannot be applied
            started = self._starting.pop(is_filtered, None)
            if started is None:
                self.on_start()
                started = Engine.start(self.switches, sealed=is_filtered)
            engine = await started
            self._current[is_filtered] = engine
            self._engines.add(engine)
            self._identity = engine.identity
            return engine

    async def _retire(self, engine: Engine) -> None:
        """Close a browser now, or let the last of its active pages close it."""
        engine.retired = True
        if not engine.active and engine in self._engines:
            self._engines.remove(engine)
            # A browser that is only half closed would outlive the renderer.
            closing = asyncio.ensure_future(engine.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            await asyncio.shield(closing)


@dataclass(frozen=True)
class _Call:
    """A page to render, in one visit or more, and when its time is up, all visits included.

    `closes` is how often the renderer had been closed when it was called.
    """

    request: Request
    ends: float
    closes: int

    def limit(self, options: RenderOptions) -> RenderOptions:
        """The options of a further visit, limited to the time that is left."""
        url, left = self.request.url, self.ends - monotonic()
        if left <= 0:
            raise PageTimeoutError(f"there was no time to render {url} again", url=url)
        return replace(options, limits=replace(options.limits, seconds=left))


# Importing Playwright takes longer than reading a page, and not every caller needs it.
def _request(url: str, **more: Any) -> Request:
    from .browser.context import Request

    return Request(url, **more)


async def _in_time(read: Callable[[], T], url: str, seconds: float) -> T:
    """Read a page without a browser, in a thread."""
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(read)
    except TimeoutError:
        raise PageTimeoutError(f"{url} could not be read in time", url=url) from None


@contextmanager
def _explained_gaps(archive: Archive | None) -> Iterator[None]:
    """Add what a damaged archive lacks to the error of a page that is not in it."""
    try:
        yield
    except NavigationError as error:
        if archive is not None and error.cause == NOT_ARCHIVED:
            error.args = ("; ".join([error.args[0], *(each.message for each in archive.warnings)]),)
        raise


def _check_document(snapshot: Snapshot, url: str) -> None:
    """Refuse a feed or the like, which browsers show as XML or text."""
    tags = [snapshot.tags[tag] for tag in snapshot.tag[:MAX_VIEWER_NODES].tolist()]
    first = next((tag for tag in tags if tag not in VIEWER_TAGS), "")
    kind = ROOTS.get(first) if first != "svg" or tags[0] == first else None
    if kind is None and not first:
        text = next((text for text in snapshot.text if text.strip()), "")
        kind = source_kind(text[:START_BYTES].encode("utf-8", "replace"))
    if kind is not None:
        raise not_a_page(url, kind)


def _is_empty(snapshot: Snapshot) -> bool:
    return not (snapshot.is_text & snapshot.visible).any()


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to completion, in a new thread if an event loop is already running.

    If the caller is interrupted while it waits for the thread, the coroutine is cancelled, and the
    interrupt is raised after it has ended.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    result: Future[T] = Future()
    stop: Future[None] = Future()

    async def stoppable() -> T:
        task = asyncio.ensure_future(work)
        asyncio.wrap_future(stop).add_done_callback(lambda _: task.cancel())
        return await task

    def target() -> None:
        try:
            result.set_result(asyncio.run(stoppable()))
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=target, name="miolo-render").start()
    try:
        wait([result])
    except BaseException:
        stop.cancel()
        # Not `Thread.join`, which in Python 3.11 returns at once after it was interrupted.
        wait([result])
        raise
    return result.result()


def render_url(url: str, options: RenderOptions | None = None) -> Snapshot:
    """Render the page of a URL in a browser of its own; see `Renderer.render`.

    Works both in a script and inside a running event loop, such as in a notebook. For many pages
    use one `Renderer`.
    """
    return run(_alone(lambda renderer: renderer.render(url), options))


def render_html(
    html: str | bytes, *, url: str = NOWHERE, options: RenderOptions | None = None
) -> Snapshot:
    """Render HTML as if it had come from `url`, in a browser of its own.

    It works as `Renderer.render_html`; by default nothing is fetched (see `RenderOptions.fetch`).
    """
    return run(_alone(lambda renderer: renderer.render_html(html, url=url), options))


async def _alone(call: Any, options: RenderOptions | None) -> Snapshot:
    async with Renderer(options) as renderer:
        return await call(renderer)
