"""Access control: by a token, or on loopback without one by refusing pages of other sites."""

from __future__ import annotations

import re
import secrets

from starlette.datastructures import Headers

from .problems import Problem
from .service_options import ServiceOptions, is_loopback

# Values of ``Sec-Fetch-Site`` in requests by the browser's user and by the service's own page.
OWN_SITES = ("same-origin", "none")

# The header Host of RFC 9110, 7.2, with a host name or an address; nothing else of a URL.
HOST = re.compile(
    r"(?:\[(?P<ipv6>[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)\]|(?P<name>[0-9A-Za-z._-]+))(?::[0-9]{0,5})?"
)


def refusal(
    options: ServiceOptions, method: str, headers: Headers, *, is_open: bool
) -> Problem | None:
    """Why a request is refused; None if it is allowed, as to the page and the health checks."""
    if "content-length" in headers and "transfer-encoding" in headers:
        # Programs disagree about where such a request ends and the next one begins (RFC 9112, 6.3).
        message = "a request cannot have both Content-Length and Transfer-Encoding"
        return Problem(400, message, headers={"Connection": "close"})
    if options.token is None and not _names_us(headers.get("host", ""), options.host):
        return Problem(403, "the Host header does not name this machine")
    if is_open:
        return None
    if options.token is not None:
        given = headers.get("authorization", "")
        if not _shows(options.token, given):
            fault = "this is not the service's token" if given else "a token is required"
            message = f"{fault}: send it as Authorization: Bearer …"
            return Problem(401, message, headers={"WWW-Authenticate": "Bearer"})
    elif not _is_own(headers):
        return Problem(
            403, "requests from other sites are refused because the service has no token"
        )
    media = headers.get("content-type", "").partition(";")[0]
    if method == "POST" and media.strip().lower() != "application/json":
        return Problem(415, "the body must be JSON, with Content-Type application/json")
    return None


def is_foreign(headers: Headers) -> bool:
    """Whether the request comes from another site's page, by the browser's headers."""
    return headers.get("sec-fetch-site", "none") not in OWN_SITES


def _names_us(host: str, bound: str) -> bool:
    # After DNS rebinding, a page whose name resolves to this machine still sends that name.
    match = HOST.fullmatch(host)
    if match is None:
        return False
    name = (match["ipv6"] or match["name"]).lower()
    return is_loopback(name) or name == bound.strip("[]").lower()


def _shows(token: str, authorization: str) -> bool:
    scheme, _, credentials = authorization.partition(" ")
    # As bytes, since only ASCII strings can be compared in constant time.
    same = secrets.compare_digest(credentials.strip().encode(), token.encode())
    return same and scheme.lower() == "bearer"


def _is_own(headers: Headers) -> bool:
    if is_foreign(headers):
        return False
    origin = headers.get("origin")
    return origin is None or origin.lower() == f"http://{headers.get('host', '').lower()}"
