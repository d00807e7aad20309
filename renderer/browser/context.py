"""The request for a page, and the options of the browser context that it is opened in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from ..archives.archive import Archive
from ..network.egress_proxy import EgressProxy
from ..network.exchange import Exchange
from ..network.network import Network
from ..network.user_proxy import check_proxy, proxy_settings
from ..options import RenderOptions
from ..page.snapshot import Snapshot
from .chromium import DEAD_PROXY, EVEN_LOOPBACK
from .interceptor import SuppliedDocument

__all__ = ["Request", "context_options", "open_egress_proxy"]


LacksArticle = Callable[[Snapshot], Awaitable[bool]]


@dataclass(frozen=True)
class Request:
    """What to render: a URL, or HTML as if it had come from one.

    Attributes
    ----------
    archive
        Archive that answers every request in place of the network.
    recorded
        List to record exchanges into.
    lacks_article
        Asked whether a page that is not complete still lacks its article.
    """

    url: str
    document: SuppliedDocument | None = None
    archive: Archive | None = None
    recorded: list[Exchange] | None = None
    lacks_article: LacksArticle | None = None

    @property
    def is_file(self) -> bool:
        """Whether the page is a local file."""
        return self.url.startswith("file:")

    @property
    def is_given(self) -> bool:
        """Whether the page itself is not fetched from the network."""
        return self.document is not None or self.is_file

    @property
    def is_cut_off(self) -> bool:
        """Whether nothing may be fetched from the network."""
        is_alone = self.document is not None and not self.document.fetch
        return self.archive is not None or is_alone or self.is_file


async def open_egress_proxy(
    network: Network, request: Request, options: RenderOptions
) -> EgressProxy | None:
    """Open the page's egress proxy, which the caller closes; None if the page needs none.

    Raises
    ------
    EgressRefusedError
        The user's own proxy could reach addresses that the page may not.
    """
    if request.is_cut_off:
        return None
    check_proxy(options.proxy, options.egress)
    if not options.is_filtered:
        return None
    hosts = options.blocking.hosts
    return await network.open_proxy(options.egress, request.url, hosts)


def context_options(
    request: Request, options: RenderOptions, egress_proxy: EgressProxy | None
) -> dict[str, Any]:
    """Playwright's options for the context of a page.

    The user agent is not among them: for workers, Playwright would clear the brands that belong to
    it. `RequestInterceptor` sets both.
    """
    width, height = options.viewport
    chosen: dict[str, Any] = {
        "viewport": {"width": width, "height": height},
        "java_script_enabled": options.javascript,
        "locale": options.locale,
        "timezone_id": options.timezone,
        "color_scheme": options.color_scheme,
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
        chosen["proxy"] = proxy_settings(options.proxy)
    return chosen
