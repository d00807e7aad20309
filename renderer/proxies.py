"""Which proxy a page is given: its own outlet, the user's, a dead one, or none."""

from __future__ import annotations

from urllib.parse import urlsplit

from ..errors import EgressRefusedError
from .egress.addresses import as_address
from .egress.proxy import EGRESS_REFUSED
from .options import RenderOptions

__all__ = ["DEAD_PROXY", "EVEN_LOOPBACK", "check_proxy", "is_open", "whole_proxy"]

# Nothing listens there: what a page that may fetch nothing asks for unseen by any gate ends here.
DEAD_PROXY = "http://127.0.0.1:9"

# By itself Chromium goes around a proxy for this machine's own addresses.
EVEN_LOOPBACK = "<-loopback>"

# By what the user's own proxy may be called.
PORTS = {"http": 80, "https": 443, "socks4": 1080, "socks5": 1080}


def is_open(options: RenderOptions) -> bool:
    """Whether a page needs a browser that opens connections by itself: none of ours is between."""
    return bool(options.proxy) or not options.egress.is_filter


def check_proxy(options: RenderOptions) -> None:
    """Refuse a user's proxy where nothing private may be reached.

    The proxy resolves names and connects out of sight, so no check of ours could hold. Whoever
    allows it by name trusts it to refuse.

    Raises
    ------
    EgressRefusedError
        The proxy is not on the list of what is allowed.
    """
    if not options.proxy or options.egress.private != "never":
        return
    host, port = _end(options.proxy)
    if not options.egress.allows(host, port, as_address(host)):
        raise EgressRefusedError(
            f"the proxy {host}:{port} would decide which addresses are reached: allow it "
            "(--allow) if it keeps pages from private ones, or allow these (--allow-private)",
            url=options.proxy,
            cause=EGRESS_REFUSED,
        )


def whole_proxy(proxy: str) -> str:
    """A user's proxy with its scheme, as Playwright takes it to be where it has none."""
    return proxy if "://" in proxy else f"http://{proxy}"


def _end(proxy: str) -> tuple[str, int]:
    try:
        parts = urlsplit(whole_proxy(proxy))
        return parts.hostname or "", parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        return "", 0
