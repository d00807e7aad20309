"""`Network`: the access to the network that pages and plain requests of one renderer share."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from .egress_proxy import EgressProxy
from .policy import EgressPolicy
from .resolver import Resolve, SystemResolver, with_rules

__all__ = ["Network"]


class Network:
    """Resolves names, and opens the proxies that check connections.

    Parameters
    ----------
    resolve
        Resolver that replaces the system's.
    switches
        Switches of Chromium's command line; host resolver rules among them apply to the system's
        resolver.

    Attributes
    ----------
    own_ports
        Ports of the open proxies, on loopback; no connection through a proxy may lead to them.
    """

    def __init__(self, resolve: Resolve | None = None, switches: Iterable[str] = ()) -> None:
        self._override = resolve
        self._switches = tuple(switches)
        self._system = SystemResolver()
        self.own_ports: set[int] = set()

    @cached_property
    def resolve(self) -> Resolve:
        """Resolver of host names to addresses.

        Raises
        ------
        ValueError
            A rule among the switches cannot be applied.
        """
        return self._override or with_rules(self._system, self._switches)

    async def open_proxy(
        self, egress: EgressPolicy, url: str, blocked: tuple[frozenset[str], ...] = ()
    ) -> EgressProxy:
        """Open a proxy for one page or one request; the caller closes it.

        Parameters
        ----------
        egress
            Which addresses the page or request may reach.
        url
            URL of the page or request, as the caller named it.
        blocked
            Sets of hosts that the page does not load from; see `HostBlocker`.
        """
        proxy = EgressProxy(egress, self.resolve, url, self.own_ports, blocked)
        return await proxy.open()

    def close(self) -> None:
        """Close the system's resolver, without waiting for names that are still being resolved."""
        self._system.close()
