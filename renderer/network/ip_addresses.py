"""Classifies IP addresses: which are public, which are private, and which embed IPv4 addresses."""

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

# The only part of IPv6 from which global unicast addresses are allocated. Mapped and compatible
# addresses, translations of private networks and everything local lie outside of it.
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

# Prefixes of addresses that embed an IPv4 address, and the number of bits to the right of it.
EMBEDDING = (
    (IPv6Network("::/96"), 0),  # compatible, RFC 4291
    (IPv6Network("::ffff:0:0/96"), 0),  # mapped, RFC 4291
    (IPv6Network("::ffff:0:0:0/96"), 0),  # translated, RFC 2765
    (NAT64, 0),
    # For local use (RFC 8215). The operator chooses where the IPv4 address is; this is its place
    # in a /96. No decision depends on it, since the block is neither public nor private.
    (IPv6Network("64:ff9b:1::/48"), 0),
    (IPv6Network("2002::/16"), 80),  # 6to4, RFC 3056
    (IPv6Network("2001::/32"), 64),  # Teredo, RFC 4380: the server
)
TEREDO = IPv6Network("2001::/32")

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
        if not all(map(is_public, embedded_ipv4(address))):
            return False
        if address in NAT64:
            return True
        if address not in GLOBAL_UNICAST:
            return False
    return address.is_global and not any(address in network for network in FURTHER)


def is_private(address: Address) -> bool:
    """Whether an address belongs to a private network, according to a positive list.

    No address is both public and private, and many are neither. An IPv6 address that embeds an IPv4
    address is never private, whatever the IPv4 address is: anybody can publish such an address for
    a public host.
    """
    return not embedded_ipv4(address) and any(address in network for network in PRIVATE)


def embedded_ipv4(address: Address) -> tuple[IPv4Address, ...]:
    """The IPv4 addresses that an IPv6 address embeds.

    There is one in a mapped, compatible, IPv4-translated, 6to4, NAT64 or ISATAP address, server and
    client in a Teredo address, and none in most others.
    """
    number = int(address)
    # The unspecified and the loopback address lie in the block of compatible addresses.
    if isinstance(address, IPv4Address) or number <= 1:
        return ()
    words = [number >> shift for network, shift in EMBEDDING if address in network]
    if address in TEREDO:
        words.append(~number)  # the client, with its bits inverted
    if number >> 32 & ISATAP_MASK == ISATAP:
        words.append(number)
    return tuple(IPv4Address(word & WORD) for word in words)


def as_address(text: str) -> Address | None:
    """The IP address that a text denotes, with or without brackets; None if the text is a name."""
    try:
        return ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
