"""Which addresses are of the public internet, and which are of a private network."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

__all__ = ["Address", "Network", "as_address", "is_private", "is_public"]

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# What `ipaddress` lets pass, in one version of Python or another: relays of IPv6 over IPv4,
# shared and benchmark space, and blocks of protocols, a few of whose addresses are global by
# the registry though no web server has one.
FURTHER = tuple(
    ip_network(block)
    for block in (
        "0.0.0.0/8",
        "100.64.0.0/10",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
    )
)

# The networks that a home or an office is: private use (RFC 1918), loopback, link-local, and the
# shared space of carriers (RFC 6598); of IPv6 loopback, unique local (RFC 4193) and link-local.
# No form of IPv6 that embeds an address of IPv4 lies in any of them.
PRIVATE = tuple(
    ip_network(block)
    for block in (
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "::1/128",
        "fc00::/7",
        "fe80::/10",
    )
)

# Nothing else of IPv6 is given out as global unicast; mapped and compatible forms, the
# translations of private networks and everything local lie outside of it.
GLOBAL_UNICAST = IPv6Network("2000::/3")

# A network without IPv4 reaches all of it so (RFC 6052): the address within tells.
NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Whether an address is globally routable, and of one host.

    Parameters
    ----------
    address
        Of either version. One of IPv6 that holds one of IPv4 is not, but for the well-known
        prefix of NAT64, where what it holds tells. One with a scope is not.

    References
    ----------
    The IANA registries of special-purpose addresses of IPv4 and IPv6 (RFC 6890).

    Examples
    --------
    >>> from ipaddress import ip_address
    >>> is_public(ip_address("93.184.215.14"))
    True
    >>> is_public(ip_address("::ffff:93.184.215.14"))
    False
    >>> is_public(ip_address("64:ff9b::7f00:1"))
    False
    """
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return False
        if address in NAT64:
            return is_public(IPv4Address(int(address) & 0xFFFF_FFFF))
        if address not in GLOBAL_UNICAST:
            return False
    return address.is_global and not any(address in network for network in FURTHER)


def is_private(address: Address) -> bool:
    """Whether an address is of a private network, by a positive list.

    What is not public is not therefore private: documentation, multicast and reserved addresses
    are neither, and so are the forms of IPv6 that embed an address of IPv4 (mapped, compatible,
    translated, 6to4, Teredo, NAT64). Whoever controls a name can give it any of these.

    Parameters
    ----------
    address
        Of either version. A scope, as of ``fe80::1%eth0``, makes no difference.

    References
    ----------
    RFC 1918, RFC 6598, RFC 3927, RFC 4193, RFC 4291 (section 2.5).

    Examples
    --------
    >>> from ipaddress import ip_address
    >>> is_private(ip_address("192.168.0.7")), is_private(ip_address("::1"))
    (True, True)
    >>> is_private(ip_address("::ffff:192.168.0.7")), is_private(ip_address("192.0.2.1"))
    (False, False)
    """
    return any(address in network for network in PRIVATE)


def as_address(text: str) -> Address | None:
    """The address that a text writes out, in brackets or not; None if it is a name."""
    try:
        return ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
