"""Egress policies of a URL that the user named and of the pages that it leads to."""

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
"""Called with the name and the addresses of a host that is granted as a private home."""


def ignore_grant(host: str, addresses: Sequence[Address]) -> None:
    """Report nothing."""


async def resolve_policy(
    options: RenderOptions,
    url: str,
    resolve: Resolve | None = None,
    switches: Iterable[str] = (),
    on_grant: OnGrant = ignore_grant,
) -> RenderOptions:
    """Options for a URL that the user named, and for all pages that it leads to.

    The user named this URL, but not those of its links: linked pages may reach private addresses
    only if the host of this URL is a private home (see `private_home`). The host is resolved
    before its page is rendered. Later its name may resolve to other addresses, possibly under the
    control of whoever wrote the links. The policy therefore keeps the URL as its `home`: a page
    may reach private addresses only if this home and the page's own host are both still private.

    Parameters
    ----------
    options
        Options of the first page. Options with the user's own proxy are returned unchanged.
    url
        The URL that the user named.
    resolve
        Resolver that replaces the system's.
    switches
        Further switches of Chromium's command line; host resolver rules among them apply.
    on_grant
        Called if the host of the URL is a private home.
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
    """Options for URLs that the user did not name individually."""
    return replace(options, egress=options.egress.for_unnamed())
