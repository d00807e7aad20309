"""Classifies IP addresses: which are public, and which are private."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# Blocks that `ipaddress` treats as global in some versions of Python: relays of IPv6 over IPv4,
# shared and benchmarking space, and blocks assigned to protocols. The registry lists a few of these
# addresses as global, though no web server has one.
FURTHER = tuple(map(ip_network, (
    "0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "224.0.0.0/4",
    "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)))  # fmt: skip

# The only part of IPv6 from which global unicast addresses are allocated. Mapped, compatible and
# translated IPv4 addresses and everything local lie outside of it; `FURTHER` has 6to4 and Teredo.
GLOBAL_UNICAST = IPv6Network("2000::/3")

# The positive list of private networks. An address that is not public is not private for that
# reason: documentation, multicast, reserved and unspecified addresses are neither.
PRIVATE = tuple(map(ip_network, (
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  # private use, RFC 1918
    "127.0.0.0/8", "::1/128",  # loopback, RFC 1122 and RFC 4291
    "169.254.0.0/16", "fe80::/10",  # link-local, RFC 3927 and RFC 4291
    "100.64.0.0/10",  # carrier-grade NAT, RFC 6598
    "fc00::/7",  # unique local, RFC 4193
)))  # fmt: skip

# Prefix through which a network without IPv4 reaches all of IPv4 (RFC 6052).
NAT64 = IPv6Network("64:ff9b::/96")

# The interface identifier of ISATAP (RFC 5214) under any prefix, without its universal bit.
ISATAP, ISATAP_MASK = 0x0000_5EFE, 0xFDFF_FFFF

WORD = 0xFFFF_FFFF


def is_public(address: Address) -> bool:
    """Whether an address is the globally routable address of a single host.

    An IPv6 address that embeds an IPv4 address is not public, except with the well-known prefix of
    NAT64 or as ISATAP, where the IPv4 address has to be public too. An address with a scope is not
    public. The source is the IANA registries of special-purpose addresses (RFC 6890).
    """
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return False
        is_nat64 = address in NAT64
        if (is_nat64 or _is_isatap(address)) and not is_public(IPv4Address(int(address) & WORD)):
            return False
        if is_nat64 or address not in GLOBAL_UNICAST:
            return is_nat64
    return address.is_global and not any(address in network for network in FURTHER)


def is_private(address: Address) -> bool:
    """Whether an address belongs to a private network, according to a positive list.

    No address is both public and private, and many are neither. An IPv6 address that embeds an IPv4
    address is never private, whatever the IPv4 address is: anybody can publish such an address for
    a public host. Of these, only ISATAP addresses can have the prefix of a private network.
    """
    return not _is_isatap(address) and any(address in network for network in PRIVATE)


def _is_isatap(address: Address) -> bool:
    return address.version == 6 and int(address) >> 32 & ISATAP_MASK == ISATAP


def as_address(text: str) -> Address | None:
    """The IP address that a text denotes, with or without brackets; None if the text is a name."""
    try:
        return ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
