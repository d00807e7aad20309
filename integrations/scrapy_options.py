"""The render options of one Scrapy request: its headers, cookies, proxy and time limit."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast
from urllib.parse import quote, urljoin, urlsplit

from scrapy import Request
from scrapy.http import Headers
from scrapy.settings import default_settings

from ..renderer.network.origins import host_of, is_host_within, whole_proxy
from ..renderer.network.own_headers import OwnHeaders
from ..renderer.options import Limits, RenderOptions

__all__ = ["request_options"]

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


def request_options(
    request: Request, options: RenderOptions, *, auth_encoding: str
) -> RenderOptions:
    """Options for rendering a request as Scrapy's middlewares have completed it.

    Parameters
    ----------
    request
        Its headers, cookies, user agent and proxy replace those of `options`; those that Scrapy
        adds by default do not. Of the two time limits, the shorter one applies.
    options
        Options of all requests.
    auth_encoding
        Encoding of a proxy's user name and password, ``HTTPPROXY_AUTH_ENCODING``.

    Raises
    ------
    ValueError
        The request has a header, a cookie or a proxy that a page cannot be opened with.
    """
    # The options of a host are resolved first, so that those of the request replace them too.
    options = options.for_page(request.url)
    headers = _set_headers(request.headers)
    authorization = headers.get("Proxy-Authorization", "")
    return replace(
        options,
        user_agent=headers.get("User-Agent", options.user_agent),
        proxy=_proxy(request, authorization, auth_encoding) or options.proxy,
        limits=_limits(request, options.limits),
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
    own = {name: value for name, value in headers.items() if _is_sent(name, value, url)}
    # Options may have headers for another host, which this one must not receive.
    others = OwnHeaders(options.headers, options.headers_for or url).for_url(url)
    kept = {name: value for name, value in others.items() if name.title() not in headers}
    if not own and kept == others:
        return {}
    return {"headers": {**kept, **own}, "headers_for": url}


def _is_sent(name: str, value: str, url: str) -> bool:
    if name in {"Cookie", "User-Agent", *BROWSER_HEADERS} or name.startswith("Proxy-"):
        return False
    # Any other host is refused with the other invalid headers.
    return name != "Host" or value.lower() != urlsplit(url).netloc.lower()


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


def _limits(request: Request, limits: Limits) -> Limits:
    seconds = request.meta.get("download_timeout") or limits.seconds
    return replace(limits, seconds=min(seconds, limits.seconds))
