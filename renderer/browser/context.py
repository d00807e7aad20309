"""What a page is opened for, and the browser context that it is opened in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ...errors import NavigationError
from ..archives.archive import Archive
from ..archives.exchange import Exchange
from ..egress.proxy import EgressProxy
from ..options import RenderOptions
from ..origins import WEB
from ..proxies import DEAD_PROXY, EVEN_LOOPBACK, check_proxy, is_open
from .engine import Engine
from .interceptor import Given

__all__ = [
    "NOT_ARCHIVED",
    "Request",
    "check_address",
    "context_options",
    "open_egress_proxy",
]

SCHEMES = (*WEB, "data", "about")

NOT_ARCHIVED = "NOT_IN_ARCHIVE"
"""The cause, as errors tell it, where an archive lacks what is asked for."""


@dataclass(frozen=True)
class Request:
    """What to render: an address, or HTML as if it had come from one.

    Attributes
    ----------
    archive
        What every request is answered from, in place of the network.
    recorded
        List to record exchanges into.
    """

    url: str
    given: Given | None = None
    archive: Archive | None = None
    recorded: list[Exchange] | None = None

    @property
    def is_cut_off(self) -> bool:
        """Whether nothing may be asked of the network."""
        is_given = self.given is not None and not self.given.fetch
        return self.archive is not None or is_given or self.url.startswith("file:")


def check_address(url: str, schemes: tuple[str, ...] = SCHEMES) -> None:
    """Refuse what is no address of a page.

    Raises
    ------
    NavigationError
        The address has another scheme, or is none.
    """
    try:
        scheme = urlsplit(url).scheme.lower()
    except ValueError:
        scheme = ""
    if scheme not in schemes:
        raise NavigationError(
            f"{url!r} is not an address of a page: it must start with http:// or https://",
            url=url,
        )


async def open_egress_proxy(
    engine: Engine, request: Request, options: RenderOptions
) -> EgressProxy | None:
    """The page's own way out, which its owner closes; None where it needs none.

    Raises
    ------
    EgressRefusedError
        The user's own proxy would reach what the page may not.
    """
    if request.is_cut_off:
        return None
    check_proxy(options)
    if is_open(options):
        return None
    return await EgressProxy(options.egress, engine.resolve, request.url, engine.own_ports).open()


def context_options(
    request: Request, options: RenderOptions, egress_proxy: EgressProxy | None
) -> dict[str, Any]:
    """Options of Playwright's for the context of a page."""
    width, height = options.viewport
    chosen: dict[str, Any] = {
        "viewport": {"width": width, "height": height},
        "java_script_enabled": options.javascript,
        "user_agent": options.user_agent,
        "locale": options.locale,
        "timezone_id": options.timezone,
        "extra_http_headers": dict(options.headers) or None,
        "storage_state": options.storage_state,
        "accept_downloads": False,
        "service_workers": "block",
        "permissions": [],
    }
    if request.is_cut_off:
        chosen["proxy"] = {"server": DEAD_PROXY, "bypass": EVEN_LOOPBACK}
    elif egress_proxy:
        chosen["proxy"] = {
            "server": f"socks5://127.0.0.1:{egress_proxy.port}",
            "bypass": EVEN_LOOPBACK,
        }
    elif options.proxy:
        chosen["proxy"] = {"server": options.proxy}
    return chosen
