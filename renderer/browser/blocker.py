"""Blocks what a page is not to load, where the page's own proxy cannot.

The proxy sees no kinds of resources. Without a filter there is none, and the browser connects by
itself or through a proxy of the user's or the system's.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any

from ..network.blocking import KINDS, HostBlocker
from ..network.egress_proxy import EgressProxy
from ..network.origins import host_of
from ..options import RenderOptions
from .protocol import ProtocolSession
from .traffic import fulfil_request, refuse_request

logger = logging.getLogger(__name__)

# An image without a size and a ratio of its own: boxes with declared sizes keep them, and the
# others have the size that CSS gives to objects of unknown size, 300 by 150, so that they count as
# pictures. In place of an image that fails, most pages show its alternative text, in a box of the
# text's size.
EMPTY_IMAGE = b'<svg xmlns="http://www.w3.org/2000/svg"/>'

# The same for images of blocked hosts, but without a size if none is declared, since many of them
# only count visitors.
EMPTY_PIXEL = b'<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"/>'

IMAGE = KINDS["images"]

# More hosts are named in a list, for whose images no patterns are set.
MAX_NAMES = 100

SHOWN = 5


class PageBlocker:
    """What one page does not load.

    A proxy of the page's refuses hosts by itself. `is_cut_off` tells whether the page reaches no
    network, as one from a file or an archive.
    """

    def __init__(
        self,
        options: RenderOptions,
        url: str,
        egress_proxy: EgressProxy | None,
        *,
        is_cut_off: bool,
    ) -> None:
        blocking = options.blocking
        self._types = blocking.types
        self._names = sorted(blocking.names)[:MAX_NAMES]
        self._kinds: Counter[str] = Counter()
        self._page = url
        self._by_proxy = egress_proxy is not None
        self._is_cut_off = is_cut_off
        self._hosts = egress_proxy.blocker if egress_proxy else HostBlocker(blocking.hosts, url)

    def patterns(self) -> list[dict[str, str]]:
        """Patterns of the requests that have to be paused."""
        if self._hosts.is_active and not (self._by_proxy or self._is_cut_off):
            return [{"urlPattern": "*"}]
        patterns = [{"urlPattern": "*", "resourceType": kind} for kind in sorted(self._types)]
        if IMAGE not in self._types:
            patterns += [{"urlPattern": f"*{name}*", "resourceType": IMAGE} for name in self._names]
        return patterns

    def admit(self, url: str) -> None:
        """Let the page's own document load, whatever is blocked."""
        self._hosts.admit(url)

    def blocks(self, event: dict[str, Any]) -> bool:
        """Whether a paused request is blocked."""
        kind, url = event["resourceType"], event["request"]["url"]
        if kind in self._types:
            return url.startswith(("http:", "https:", "file:"))
        return (kind == IMAGE or not self._by_proxy) and self._hosts.blocks(host_of(url))

    async def answer(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        """Answer a blocked request."""
        kind, by_kind = event["resourceType"], event["resourceType"] in self._types
        if by_kind:
            self._kinds[kind] += 1
        else:
            self._hosts.refuses(host_of(event["request"]["url"]))
        if kind == IMAGE:
            sent = {name.lower(): value for name, value in event["request"]["headers"].items()}
            headers = (
                ("Content-Type", "image/svg+xml"),
                ("Cache-Control", "no-store"),
                # For images that a page requests with `crossorigin`.
                ("Access-Control-Allow-Origin", sent.get("origin", "*")),
                ("Access-Control-Allow-Credentials", "true"),
            )
            body = EMPTY_IMAGE if by_kind else EMPTY_PIXEL
            await fulfil_request(session, event["requestId"], 200, headers, body)
        else:
            await refuse_request(session, event["requestId"])

    def log(self) -> None:
        """Log how much was blocked."""
        counts = [
            f"{name}: {self._kinds[kind]:,}" for name, kind in KINDS.items() if self._kinds[kind]
        ]
        hosts = self._hosts.counts
        if hosts:
            total = sum(hosts.values())
            most = ", ".join(host for host, _ in hosts.most_common(SHOWN))
            more = f" and {len(hosts) - SHOWN} more" if len(hosts) > SHOWN else ""
            counts.append(f"connections: {total:,} ({most}{more})")
        if counts:
            logger.info("%s: blocked %s", self._page, "; ".join(counts))
