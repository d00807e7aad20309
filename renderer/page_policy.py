"""Decides once, for many pages, what the address that they begin at was named for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urlsplit

from .network.egress_proxy import is_home_private
from .network.policy import EgressPolicy
from .network.resolver import Names, Resolve, SystemResolver, with_rules
from .options import RenderOptions

__all__ = ["private_home", "resolve_policy", "restrict_policy"]


async def resolve_policy(
    options: RenderOptions, url: str, resolve: Resolve | None = None, switches: Iterable[str] = ()
) -> RenderOptions:
    """Options for all pages that a page leads to, as if each were named with it.

    The caller named the first address, not those that its links name: these may be private
    only if the first one is. It has to be asked before the first page is rendered. Later its
    name may lead elsewhere, by the will of whoever wrote the links.

    Parameters
    ----------
    options
        Of the first page. Those with a proxy of the user's stay as they are.
    url
        The address that was named.
    resolve
        Names to addresses in place of the system's resolver.
    switches
        Further ones of Chromium's command line, for the rules among them.
    """
    if options.egress.private != "named" or options.proxy:
        return options
    resolver = SystemResolver()
    names = Names(resolve or with_rules(resolver, switches))
    try:
        if not await is_home_private(url, options.egress, names):
            return restrict_policy(options)
        return replace(options, egress=EgressPolicy("always", options.egress.allowed))
    finally:
        await names.close()
        resolver.close()


async def private_home(options: RenderOptions, url: str) -> str | None:
    """What a page may reach for being of a private network, in a sentence; None for nothing."""
    if options.egress.private != "named" or options.proxy:
        return None
    resolver = SystemResolver()
    names = Names(resolver)
    try:
        if not await is_home_private(url, options.egress, names):
            return None
        host = urlsplit(url).hostname or ""
        addresses = ", ".join(map(str, await names.addresses(host)))
        return f"{host} is a private address ({addresses}), so its page may reach private addresses"
    finally:
        await names.close()
        resolver.close()


def restrict_policy(options: RenderOptions) -> RenderOptions:
    """Options for addresses that nobody named one by one."""
    return replace(options, egress=options.egress.for_unnamed())
