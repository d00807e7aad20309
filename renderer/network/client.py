"""Plain GETs over the network, each through a proxy of its own that checks its connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy
from socket import gaierror
from ssl import SSLCertVerificationError, SSLError
from typing import Any
from urllib.parse import urlsplit

import httpx2

from ...errors import ArchiveError, MissingDependencyError, PageTimeoutError, TooLargeError
from ...version import __version__
from .decoding import decode_body
from .egress_proxy import Network, navigation_error
from .exchange import Exchange, now, plain_headers, whole_url
from .fetch import GetRequest, follow_redirects, leads_to
from .origins import OwnHeaders, whole_proxy
from .policy import EgressPolicy, check_proxy

HEADERS = {
    "User-Agent": f"Mozilla/5.0 (compatible; Miolo/{__version__})",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Encoding": "gzip, deflate",
}

# Limits on host and port: a SOCKS request has no room for more.
LONGEST_HOST, LAST_PORT = 255, 65_535

# Chromium's names for the errors, so that failures are retried alike with and without a browser:
# by the error that made a connection fail, by the words of one that the server has closed, and by
# the kind of any other.
ORIGINS = {
    SSLCertVerificationError: "ERR_CERT_INVALID",
    SSLError: "ERR_SSL_PROTOCOL_ERROR",
    gaierror: "ERR_NAME_NOT_RESOLVED",
    ConnectionRefusedError: "ERR_CONNECTION_REFUSED",
}
TLS_ERRORS = ("ERR_CERT_INVALID", "ERR_SSL_PROTOCOL_ERROR")
CLOSED = {
    "Server disconnected": "ERR_EMPTY_RESPONSE",
    "peer closed connection": "ERR_CONTENT_LENGTH_MISMATCH",
}
CAUSES = {
    httpx2.ProxyError: "ERR_PROXY_CONNECTION_FAILED",
    httpx2.ConnectError: "ERR_CONNECTION_FAILED",
    httpx2.NetworkError: "ERR_CONNECTION_CLOSED",
    httpx2.ProtocolError: "ERR_INVALID_HTTP_RESPONSE",
}


# Reading the system's certificates takes 30 ms.
tls_context = cache(httpx2.create_ssl_context)


async def fetch_live(
    get: GetRequest,
    network: Network,
    egress: EgressPolicy,
    *,
    headers: Callable[[str], Mapping[str, str]] = lambda url: {},
    own: OwnHeaders | None = None,
    cookies: Iterable[Mapping[str, Any]] = (),
    proxy: str | None = None,
) -> list[Exchange]:
    """The responses of the network: redirects, and the final response.

    The cookies sent are those in `cookies`, in Playwright's form and each only where its domain and
    path allow, and those that redirects of this request have set. `headers` returns the headers of
    a request for a URL that replace or extend the default headers; `own` are the user's, sent only
    to their host, even if redirects lead to other hosts. Without a user's own `proxy`, `egress`
    decides which addresses the request and its redirects may reach. A status of 400 or more is a
    response like any other.
    """
    check_proxy(proxy, egress)
    is_filtered = not proxy and egress.is_filter
    egress_proxy = await network.open_proxy(egress, get.url) if is_filtered else None
    way = f"socks5://127.0.0.1:{egress_proxy.port}" if egress_proxy else proxy
    try:
        client = _client(get, way, cookie_jar(cookies))

        def headers_for(url: str) -> dict[str, str]:
            return {**headers(url), **(own.for_url(url) if own else {})}

        async with asyncio.timeout(get.seconds), client:
            return await follow_redirects(get, lambda url: _ask(client, get, url, headers_for))
    except TimeoutError:
        message = f"{get.url} did not answer in {round(get.seconds, 1):g} s"
        raise PageTimeoutError(message, url=get.url) from None
    except httpx2.RequestError as error:
        line = f"net::{_cause(error, has_proxy=bool(proxy))}"
        raise navigation_error(get.url, line, egress_proxy, str(error.request.url)) from None
    finally:
        if egress_proxy is not None:
            await asyncio.shield(egress_proxy.close())


def _client(get: GetRequest, proxy: str | None, cookies: CookieJar) -> httpx2.AsyncClient:
    try:
        way = httpx2.Proxy(whole_proxy(proxy)) if proxy else None
    except (httpx2.InvalidURL, ValueError):
        raise get.failure("ERR_NO_SUPPORTED_PROXIES") from None
    return httpx2.AsyncClient(
        headers=HEADERS,
        cookies=cookies,
        proxy=way,
        verify=tls_context(),
        trust_env=False,
        timeout=None,  # the fetch as a whole has one
        # A server may close an idle connection without notice.
        limits=httpx2.Limits(max_keepalive_connections=0),
    )


async def _ask(
    client: httpx2.AsyncClient,
    get: GetRequest,
    url: str,
    headers_for: Callable[[str], Mapping[str, str]],
) -> Exchange:
    try:
        target = httpx2.URL(whole_url(url))
        if not 0 < len(target.raw_host) <= LONGEST_HOST or (target.port or 0) > LAST_PORT:
            raise ValueError
    except (httpx2.InvalidURL, ValueError):
        raise get.failure("ERR_INVALID_URL") from None
    # Chosen by the URL that is connected to, not by its spelling in the redirect.
    # They are in UTF-8, as Chromium sends them.
    headers = httpx2.Headers(headers_for(str(target)), encoding="utf-8")
    async with (
        _closing() as extensions,
        client.stream("GET", target, headers=headers, extensions=extensions) as answer,
    ):
        exchange = _describe(answer)
        # The body of a redirect is of no use, and there may be many redirects.
        return exchange if leads_to(exchange) else replace(exchange, body=await _body(answer, get))


def _describe(answer: httpx2.Response) -> Exchange:
    # Many servers send UTF-8 in `Location`.
    encoding = answer.headers.encoding
    headers = [
        (name.decode(encoding), value.decode(encoding)) for name, value in answer.headers.raw
    ]
    return Exchange(
        # As a browser writes it, with a path of at least a slash.
        url=str(answer.request.url.copy_with(raw_path=answer.request.url.raw_path)),
        status=answer.status_code,
        headers=plain_headers(headers),
        dest="empty",
        time=now(),
    )


async def _body(answer: httpx2.Response, get: GetRequest) -> bytes:
    """The body, decoded in a thread; the client itself would unpack each piece without a limit."""
    data = bytearray()
    async for piece in answer.aiter_raw():
        data += piece
        if len(data) > get.max_bytes:
            raise get.too_large()
    encodings = answer.headers.get("content-encoding", "")
    try:
        return await asyncio.to_thread(
            decode_body, bytes(data), encodings, get.max_bytes, as_sent=True
        )
    except TooLargeError:
        raise get.too_large() from None
    except (ArchiveError, MissingDependencyError):
        raise get.failure("ERR_CONTENT_DECODING_FAILED") from None


@asynccontextmanager
async def _closing() -> AsyncIterator[dict[str, Any]]:
    """Close all connections on exit: the client leaves those open that a proxy refused."""
    responses: list[Any] = []

    async def note(event: str, info: dict[str, Any]) -> None:
        if event.endswith("connect_tcp.complete"):
            responses.append(info["return_value"])

    try:
        yield {"trace": note}
    finally:
        for stream in responses:
            await stream.aclose()


def _cause(error: httpx2.RequestError, *, has_proxy: bool) -> str:
    """Chromium's name for an error; with `has_proxy`, connections are made to a user's proxy."""
    cause = next((code for kind, code in CAUSES.items() if isinstance(error, kind)), "ERR_FAILED")
    if isinstance(error, httpx2.ConnectError):
        cause = next(_origins(error), cause)
        if has_proxy and cause not in TLS_ERRORS:
            return "ERR_PROXY_CONNECTION_FAILED"
        return cause
    return next((code for words, code in CLOSED.items() if str(error).startswith(words)), cause)


def _origins(error: BaseException | None) -> Iterator[str]:
    """Names of the errors of `ORIGINS` that an error comes from, the last one first."""
    while error is not None:
        yield from (code for kind, code in ORIGINS.items() if isinstance(error, kind))
        # The client's pool of connections removes the cause.
        error = error.__cause__ or error.__context__


def cookie_jar(cookies: Iterable[Mapping[str, Any]]) -> CookieJar:
    """A jar of cookies in Playwright's form, without those beyond ASCII, which cannot be sent."""
    strict = DefaultCookiePolicy(strict_ns_domain=DefaultCookiePolicy.DomainStrictNonDomain)
    jar = CookieJar(policy=strict)
    for row in cookies:
        if f"{row['name']}{row['value']}".isascii():
            jar.set_cookie(_cookie(row))
    return jar


def _cookie(row: Mapping[str, Any]) -> Cookie:
    """Convert a cookie to that of the standard library."""
    parts = urlsplit(row.get("url") or "")
    domain = str(row.get("domain") or parts.hostname or "").lower()
    if "." not in domain:
        domain += ".local"  # how the library writes a host without a dot
    expires = row.get("expires", -1)
    return Cookie(
        version=0,
        name=row["name"],
        value=row["value"],
        port=None,
        port_specified=False,
        domain=domain,
        domain_specified=domain.startswith("."),
        domain_initial_dot=domain.startswith("."),
        path=row.get("path") or parts.path.rpartition("/")[0] + "/",
        path_specified=True,
        secure=bool(row.get("secure")) or parts.scheme == "https",
        expires=int(expires) if expires and expires > 0 else None,
        discard=False,
        comment=None,
        comment_url=None,
        rest={},
    )
