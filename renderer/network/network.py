"""`Network`: the way to the network that the pages and plain requests of one renderer share."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from .egress_proxy import EgressProxy
from .policy import EgressPolicy
from .resolver import Resolve, SystemResolver, with_rules

__all__ = ["Network"]


class Network:
    """Resolves names, and opens the proxies that connections are checked by.

    Parameters
    ----------
    resolve
        Names to addresses in place of the system's resolver.
    switches
        Of Chromium's command line; its rules for names hold for the system's resolver.

    Attributes
    ----------
    own_ports
        Ports of the open proxies, on loopback; nothing that goes through one may connect to them.
    """

    def __init__(self, resolve: Resolve | None = None, switches: Iterable[str] = ()) -> None:
        self._override = resolve
        self._switches = tuple(switches)
        self._system = SystemResolver()
        self.own_ports: set[int] = set()

    @cached_property
    def resolve(self) -> Resolve:
        """Names to addresses.

        Raises
        ------
        ValueError
            A rule among the switches cannot be applied.
        """
        return self._override or with_rules(self._system, self._switches)

    async def open_proxy(self, egress: EgressPolicy, url: str) -> EgressProxy:
        """A proxy for one page or one request, which its owner closes.

        Parameters
        ----------
        egress
            Whom it may reach.
        url
            Its address, as the caller named it.
        """
        return await EgressProxy(egress, self.resolve, url, self.own_ports).open()

    def close(self) -> None:
        """Wait for no name any more."""
        self._system.close()
