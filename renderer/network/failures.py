"""Errors for failed navigations, with the cause that the page's own proxy recorded."""

from __future__ import annotations

from ...errors import EgressRefusedError, NavigationError
from ...patterns import lazy_re
from .egress_proxy import EGRESS_REFUSED, EgressProxy, end_of
from .origins import joined_host

__all__ = ["navigation_error", "refusal"]

# Playwright may append a comment to the name of an error.
NET_ERROR = lazy_re(r"net::(\w+)")

# Part of Chromium's message for a URL that it refuses without a network error.
INVALID_URL = "Cannot navigate to invalid URL"

# Errors of Chromium, or of the client of plain GETs, if the proxy made no connection for whatever
# reason.
NOT_CONNECTED = (
    "ERR_PROXY_CONNECTION_FAILED",
    "ERR_SOCKS_CONNECTION_FAILED",
    "ERR_SOCKS_CONNECTION_HOST_UNREACHABLE",
)

# Errors if no connection was made, by the client itself or through a user's proxy.
UNREACHABLE = (
    *NOT_CONNECTED,
    "ERR_ADDRESS_UNREACHABLE",
    "ERR_CONNECTION_FAILED",
    "ERR_CONNECTION_REFUSED",
    "ERR_CONNECTION_TIMED_OUT",
    "ERR_INTERNET_DISCONNECTED",
    "ERR_NAME_NOT_RESOLVED",
    "ERR_TUNNEL_CONNECTION_FAILED",
)


def navigation_error(
    url: str, line: str, egress_proxy: EgressProxy | None, failed_url: str
) -> NavigationError:
    """The error for a URL that could not be opened.

    Parameters
    ----------
    url
        The URL as the caller named it.
    line
        First line of Playwright's message.
    egress_proxy
        The page's egress proxy, if it had one.
    failed_url
        URL of the request that failed, after redirects; "" if unknown.
    """
    match = NET_ERROR.search(line)
    cause = match[1] if match else None
    # The host of the URL may have been reached, and have redirected to the one that was not.
    is_own = end_of(failed_url) == end_of(url)
    unreachable = egress_proxy is None and cause in UNREACHABLE and is_own
    if INVALID_URL in line:
        cause = "ERR_INVALID_URL"
    if cause in NOT_CONNECTED and egress_proxy and (last := egress_proxy.last_failure):
        cause = last.cause
        if cause == EGRESS_REFUSED:
            return refusal(url, joined_host(last.host, last.port))
        unreachable = last.is_of(url)
    message = f"{url} cannot be opened: {cause or line}"
    return NavigationError(message, url=url, cause=cause, unreachable=unreachable)


def refusal(url: str, target: str) -> EgressRefusedError:
    """The error for a URL that leads to an address that may not be reached."""
    return EgressRefusedError(
        f"{url} leads to {target}, which is not a public address",
        url=url,
        cause=EGRESS_REFUSED,
    )
