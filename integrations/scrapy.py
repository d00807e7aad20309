"""Scrapy: an add-on whose download handler renders pages.

    ADDONS = {"miolo.integrations.scrapy.MioloAddon": 500}  # settings.py

GET requests with ``meta={"miolo": True}`` are rendered by Miolo's own engine, with its egress
policy and with the headers, cookies, proxy and ``download_timeout`` of the request. All others are
downloaded by Scrapy's default handler. The settings are

``MIOLO_RENDER_OPTIONS``
    A `RenderOptions`. What a request sets itself replaces its fields. Private addresses are refused
    unless its `egress` allows them.
``MIOLO_ALL``
    Whether every GET request is rendered, except those for robots.txt and those with
    ``meta={"miolo": False}``.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError
from scrapy.http import HtmlResponse, Response
from scrapy.settings import BaseSettings

from ..errors import BrowserCrashedError, EgressRefusedError, NavigationError, PageTimeoutError
from ..extract.job import PageJob
from ..extract.job_run import extract_page
from ..output.page_result import PageResult
from ..renderer.markup import outer_html
from ..renderer.options import RenderOptions
from ..renderer.renderer import Renderer
from ..renderer.snapshot import Snapshot
from .scrapy_options import request_options

__all__ = ["MioloAddon", "MioloDownloadHandler", "RenderedResponse", "extract_response"]

HANDLER = "miolo.integrations.scrapy.MioloDownloadHandler"
REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"


class RenderedResponse(HtmlResponse):
    """A rendered page. Its body is the HTML of the rendered tree; its headers are empty.

    Attributes
    ----------
    snapshot
        Snapshot of the rendered page; None for a copy, such as one from Scrapy's HTTP cache.
    """

    snapshot: Snapshot | None = None

    async def extract(self, **job: Any) -> PageResult:
        """Extract the article.

        Parameters
        ----------
        **job
            Fields of `PageJob`, such as ``extract`` or ``deadline``.

        Returns
        -------
        PageResult
            ``result.to_dict(blocks=False)`` is an item that feed exports can write.
        """
        return await extract_response(self, **job)


async def extract_response(response: Response, **job: Any) -> PageResult:
    """Extract the article of any response, from its snapshot or from its static HTML."""
    snapshot = getattr(response, "snapshot", None)
    if snapshot is None:
        snapshot = Snapshot.from_html(response.body, url=response.url)
    requested = response.request.url if response.request else response.url
    return await extract_page(PageJob(snapshot, requested_url=requested, **job))


class MioloDownloadHandler(BaseDownloadHandler):
    """Renders requests marked for Miolo, and passes the others to Scrapy's default handler."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._plain = HTTP11DownloadHandler(crawler)
        self._options = crawler.settings.get("MIOLO_RENDER_OPTIONS") or RenderOptions()
        self._all = crawler.settings.getbool("MIOLO_ALL")
        self._auth_encoding = crawler.settings["HTTPPROXY_AUTH_ENCODING"]
        self._renderer = Renderer(self._options)

    async def download_request(self, request: Request) -> Response:
        """Render a page or download a response.

        Raises
        ------
        DownloadFailedError, DownloadTimeoutError
            Rendering failed, but may succeed when Scrapy's retry middleware retries it.
        RenderError
            Rendering failed permanently, for example because of the egress policy.
        ValueError
            The request has a header, a cookie or a proxy that a page cannot be opened with.
        """
        if not self._is_rendered(request):
            return await self._plain.download_request(request)
        options = request_options(request, self._options, auth_encoding=self._auth_encoding)
        try:
            snapshot = await self._renderer.render(request.url, options)
        except PageTimeoutError as error:
            raise DownloadTimeoutError(str(error)) from error
        except EgressRefusedError:
            raise
        except NavigationError as error:
            if error.status is None:
                raise DownloadFailedError(str(error)) from error
            # Scrapy's middlewares decide by the status whether to retry.
            return HtmlResponse(request.url, status=error.status, request=request)
        except BrowserCrashedError as error:
            raise DownloadFailedError(str(error)) from error
        response = RenderedResponse(
            snapshot.page.url,
            status=snapshot.page.status or 200,
            body=outer_html(snapshot, 0),
            encoding="utf-8",
            request=request,
        )
        response.snapshot = snapshot
        return response

    def _is_rendered(self, request: Request) -> bool:
        # Rendered, robots.txt would be an HTML document, in which Scrapy finds no rules.
        is_robots = urlsplit(request.url).path == "/robots.txt"
        is_marked = request.meta.get("miolo", self._all and not is_robots)
        # The browser opens a page without a body.
        return request.method == "GET" and not request.body and is_marked

    async def close(self) -> None:
        """Close the browser and the connections."""
        await self._renderer.close()
        await self._plain.close()


class MioloAddon:
    """Scrapy add-on that installs `MioloDownloadHandler` for ``http`` and ``https``."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Set the handler and the reactor that it needs, at the priority of add-ons."""
        handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
        handlers.update({"http": HANDLER, "https": HANDLER})
        settings.set("DOWNLOAD_HANDLERS", handlers, "addon")
        settings.set("TWISTED_REACTOR", REACTOR, "addon")
