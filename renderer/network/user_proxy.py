"""The user's own proxy, which has to be allowed because its connections cannot be checked."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from ...errors import EgressRefusedError
from .egress_proxy import EGRESS_REFUSED
from .ip_addresses import as_address
from .origins import PROXY_PORTS, joined_host, whole_proxy
from .policy import EgressPolicy

__all__ = ["check_proxy", "proxy_settings"]


def check_proxy(proxy: str | None, egress: EgressPolicy) -> None:
    """Refuse a user's proxy if no private address may be reached, unless the proxy is allowed.

    The addresses that it connects to cannot be checked. Whoever allows it by name trusts it to
    refuse private ones.

    Raises
    ------
    EgressRefusedError
        The proxy is not on the list of allowed addresses.
    """
    if not proxy or egress.private != "never":
        return
    host, port = _end(proxy)
    if not egress.allows(host, port, as_address(host)):
        place = joined_host(host, port)
        raise EgressRefusedError(
            f"the proxy {place} would decide which addresses are reached, and must be "
            "allowed by name",
            url=place,
            cause=EGRESS_REFUSED,
        )


def proxy_settings(proxy: str) -> dict[str, str]:
    """A user's proxy as Playwright takes it, with user name and password apart from the server."""
    parts = urlsplit(whole_proxy(proxy))
    server = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    if parts.username is None:
        return {"server": server}
    return {
        "server": server,
        "username": unquote(parts.username),
        "password": unquote(parts.password or ""),
    }


def _end(proxy: str) -> tuple[str, int]:
    try:
        parts = urlsplit(whole_proxy(proxy))
        return parts.hostname or "", parts.port or PROXY_PORTS.get(parts.scheme, 0)
    except ValueError:
        return "", 0
