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

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast
from urllib.parse import quote, urljoin, urlsplit

from scrapy import Request
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError
from scrapy.http import Headers, HtmlResponse, Response
from scrapy.settings import BaseSettings, default_settings

from ..errors import BrowserCrashedError, EgressRefusedError, NavigationError, PageTimeoutError
from ..extract.job import PageJob
from ..extract.job_run import extract_page
from ..output.page_result import PageResult
from ..renderer.network.origins import OwnHeaders, host_of, is_host_within, whole_proxy
from ..renderer.options import RenderOptions
from ..renderer.page.markup import outer_html
from ..renderer.page.snapshot import Snapshot
from ..renderer.renderer import Renderer

HANDLER = "miolo.integrations.scrapy.MioloDownloadHandler"
REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"

# Scrapy adds these to every request; the browser sends its own.
DEFAULTS = Headers(
    {**default_settings.DEFAULT_REQUEST_HEADERS, "User-Agent": default_settings.USER_AGENT}
)

# Headers of the connection, which Chromium refuses in a request, and those that the browser sets
# for each resource. All resources of the page's host would have the page's Referer, which servers
# compare with their own name.
BROWSER_HEADERS = frozenset(
    "Accept-Encoding Connection Content-Length Cookie2 Keep-Alive Referer Te Trailer "
    "Transfer-Encoding Upgrade".split()
)


class RenderedResponse(HtmlResponse):
    """A rendered page. Its body is the HTML of the rendered tree; its headers are empty."""

    snapshot: Snapshot | None = None  # None for a copy, such as one from Scrapy's HTTP cache

    async def extract(self, **job: Any) -> PageResult:
        """Extract the article, with fields of `PageJob` such as ``extract`` or ``deadline``.

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

        Failures that may pass are errors of Scrapy, for its retry middleware; others, such as that
        of the egress policy, are a `RenderError`. A request with a header, a cookie or a proxy that
        a page cannot be opened with is a `ValueError`.
        """
        # Rendered, robots.txt would be an HTML document, in which Scrapy finds no rules.
        is_robots = urlsplit(request.url).path == "/robots.txt"
        is_marked = request.meta.get("miolo", self._all and not is_robots)
        # The browser opens a page without a body.
        if request.method != "GET" or request.body or not is_marked:
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


def request_options(
    request: Request, options: RenderOptions, *, auth_encoding: str
) -> RenderOptions:
    """Options for rendering a request as Scrapy's middlewares have completed it.

    Its headers, cookies, user agent and proxy replace those of `options`; those that Scrapy adds by
    default do not. Of the two time limits, the shorter one applies. `auth_encoding` is the encoding
    of a proxy's user name and password, ``HTTPPROXY_AUTH_ENCODING``. What a page cannot be opened
    with is a `ValueError`.
    """
    # The options of a host are resolved first, so that those of the request replace them too.
    options = options.for_page(request.url)
    seconds = request.meta.get("download_timeout") or options.limits.seconds
    headers = _set_headers(request.headers)
    authorization = headers.get("Proxy-Authorization", "")
    return replace(
        options,
        user_agent=headers.get("User-Agent", options.user_agent),
        proxy=_proxy(request, authorization, auth_encoding) or options.proxy,
        limits=replace(options.limits, seconds=min(seconds, options.limits.seconds)),
        **_headers(headers, request.url, options),
        **_cookies(headers.get("Cookie", ""), request.url, options),
    )


def _set_headers(headers: Headers) -> dict[str, str]:
    """Headers that are set in the request or the settings, by their names in title case."""
    rows = {name: headers.getlist(name) for name in headers}
    return {
        name.decode(): (b"; " if name == b"Cookie" else b", ").join(values).decode()
        for name, values in rows.items()
        # A header that is None is not sent.
        if values and values != DEFAULTS.getlist(name)
    }


def _headers(headers: Mapping[str, str], url: str, options: RenderOptions) -> dict[str, Any]:
    """The fields for the headers; none if those of the options are unchanged."""
    left_out = {"Cookie", "User-Agent", *BROWSER_HEADERS}
    own = {
        name: value
        for name, value in headers.items()
        if name not in left_out
        and not name.startswith("Proxy-")
        # Any other host is refused with the other invalid headers.
        and (name != "Host" or value.lower() != urlsplit(url).netloc.lower())
    }
    # Options may have headers for another host, which this one must not receive.
    others = OwnHeaders(options.headers, options.headers_for or url).for_url(url)
    kept = {name: value for name, value in others.items() if name.title() not in headers}
    if not own and kept == others:
        return {}
    return {"headers": {**kept, **own}, "headers_for": url}


def _cookies(header: str, url: str, options: RenderOptions) -> dict[str, Any]:
    """The fields for the cookies of a header; none if there are no cookies."""
    own: dict[str, str] = {}
    for pair in filter(None, map(str.strip, header.split(";"))):
        name, _, value = pair.partition("=")
        # Of cookies with one name, that of the longest path comes first (RFC 6265, 5.4).
        own.setdefault(name.strip(), value.strip())
    if not own:
        return {}

    def is_kept(cookie: Mapping[str, Any]) -> bool:
        domain = cookie.get("domain") or host_of(cookie["url"])
        return cookie["name"] not in own or not is_host_within(host_of(url), domain)

    home, state = urljoin(url, "/"), cast("Any", options.storage_state)
    cookies = [{"name": name, "value": value, "url": home} for name, value in own.items()]
    fields: dict[str, Any] = {"cookies": (*filter(is_kept, options.cookies), *cookies)}
    if state:
        kept = [*filter(is_kept, state.get("cookies") or ())]
        fields["storage_state"] = {**state, "cookies": kept}
    return fields


def _proxy(request: Request, authorization: str, encoding: str) -> str | None:
    """The request's proxy, with the user name and password that Scrapy keeps in a header."""
    proxy = request.meta.get("proxy")
    if not (proxy and authorization):
        return proxy
    scheme, _, credentials = authorization.partition(" ")
    if scheme.lower() != "basic":
        raise ValueError("the authorization of a proxy must be Basic")
    user, _, password = b64decode(credentials).decode(encoding).partition(":")
    protocol, _, address = whole_proxy(proxy).partition("://")
    return f"{protocol}://{quote(user, safe='')}:{quote(password, safe='')}@{address}"
