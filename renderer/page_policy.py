"""The egress policies of the pages that one named address leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from .network.addresses import Address
from .network.egress_proxy import private_home
from .network.network import Network
from .network.resolver import Names, Resolve
from .options import RenderOptions

__all__ = ["OnGrant", "ignore_grant", "resolve_policy", "restrict_policy"]

OnGrant = Callable[[str, Sequence[Address]], None]
"""Called with a host that is granted as a private home, and its addresses."""


def ignore_grant(host: str, addresses: Sequence[Address]) -> None:
    """Report nothing."""


async def resolve_policy(
    options: RenderOptions,
    url: str,
    resolve: Resolve | None = None,
    switches: Iterable[str] = (),
    on_grant: OnGrant = ignore_grant,
) -> RenderOptions:
    """Options for a page that the user named, and for all pages that it leads to.

    The user named the first address, not those that its links name: these may reach private
    addresses only if the first one is a private home. The first address is resolved before its
    page is rendered. Later its name may lead elsewhere, at the choice of who wrote the links.
    So the policy keeps the address as its `home`, and every page that is granted private
    addresses must find that home, and its own host, private.

    Parameters
    ----------
    options
        Of the first page. Options with the user's own proxy are returned unchanged.
    url
        The address that was named.
    resolve
        Names to addresses in place of the system's resolver.
    switches
        Further switches of Chromium's command line; host resolver rules among them apply.
    on_grant
        Called if the address is a private home.
    """
    egress = options.egress
    if egress.private != "named" or egress.home is not None or options.proxy:
        return options
    network = Network(resolve, switches)
    names = Names(network.resolve)
    try:
        addresses = await private_home(url, egress, names)
    finally:
        await names.close()
        network.close()
    if not addresses:
        return restrict_policy(options)
    on_grant(urlsplit(url).hostname or "", addresses)
    return replace(options, egress=replace(egress, home=url))


def restrict_policy(options: RenderOptions) -> RenderOptions:
    """Options for addresses that were not named one by one."""
    return replace(options, egress=options.egress.for_unnamed())
