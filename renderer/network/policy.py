"""`EgressPolicy`: which addresses a page may reach, and through which proxy of the user's."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv6Address, ip_network
from typing import Literal, get_args
from urllib.parse import unquote, urlsplit

from ...errors import EgressRefusedError
from ...names import unknown_name
from .ip_addresses import Address, Network, as_address
from .origins import PROXY_PORTS, joined_host, plain_host, whole_proxy

EGRESS_REFUSED = "EGRESS_REFUSED"  # the cause given in errors when an address may not be reached

PrivateAccess = Literal["named", "never", "always"]


@dataclass(frozen=True)
class EgressPolicy:
    """Which addresses a page, and everything that it loads, may reach.

    Attributes
    ----------
    private
        ``"never"``: only public addresses. ``"named"``: a page whose own host has only private
        addresses, none of them in `allowed`, may reach private addresses too. It is meant for
        a URL that the program or its user chose, not for one from a list, a request or a link.
        ``"always"``: any address; there is no filter.
    allowed
        What may be reached whatever its address is: ``"host"``, ``"host:port"``, an address
        with or without a port, or a network such as ``"10.0.0.0/8"``. A host matches only itself,
        not its subdomains.
    home
        With ``"named"``, a URL whose host must have only private addresses too, in addition to the
        host of the page. `resolve_policy` sets it for the pages that links lead to.

    Raises
    ------
    ValueError
        `private` is none of these values, `allowed` is a single string, or an entry of it has none
        of these forms.

    Examples
    --------
    >>> from ipaddress import ip_address
    >>> egress = EgressPolicy("never", allowed=("wiki.corp:8080", "10.0.0.0/8"))
    >>> egress.allows("wiki.corp", 8080, ip_address("192.168.0.7"))
    True
    >>> egress.allows("other.corp", 8080, ip_address("192.168.0.7"))
    False
    """

    private: PrivateAccess = "never"
    allowed: tuple[str, ...] = ()
    home: str | None = None

    def __post_init__(self) -> None:
        if self.private not in (choices := get_args(PrivateAccess)):
            raise ValueError(f"private: {unknown_name('choice', str(self.private), choices)}")
        if isinstance(self.allowed, str):
            raise ValueError(f"allowed must be a list, such as ({self.allowed!r},)")
        for entry in self.allowed:
            _read(entry)

    @property
    def is_filter(self) -> bool:
        """Whether any address is refused."""
        return self.private != "always"

    def for_unnamed(self) -> EgressPolicy:
        """The policy for URLs that were not named individually, but come from lists or links."""
        if self.private != "named" or self.home is not None:
            return self
        return EgressPolicy("never", self.allowed)

    def allows(self, host: str, port: int, address: Address | None) -> bool:
        """Whether `allowed` permits a connection.

        Parameters
        ----------
        host, port
            The requested host and port.
        address
            The address that the host resolves to; None if only the host is known.
        """
        # Some resolvers return IPv4 addresses as IPv4-mapped IPv6 addresses.
        mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        address, host = mapped or address, plain_host(host)
        return any(
            own_port in (None, port)
            and (host == own if isinstance(own, str) else address is not None and address in own)
            for own, own_port in map(_read, self.allowed)
        )


def _read(entry: str) -> tuple[str | Network, int | None]:
    """The host name or network of an entry, and its port; None for all ports."""
    try:
        return ip_network(entry, strict=False), None
    except ValueError:
        pass
    try:
        parts = urlsplit(f"//{entry}")
        host, port = parts.hostname, parts.port
        if not host or parts.netloc != entry or "@" in entry or any(map(str.isspace, entry)):
            raise ValueError
    except ValueError:
        message = f"{entry!r} is not a host, host:port, address or network"
        raise ValueError(message) from None
    try:
        return ip_network(host), port
    except ValueError:
        return plain_host(host), port


def check_proxy(proxy: str | None, egress: EgressPolicy) -> None:
    """Refuse a user's proxy if no private address may be reached, unless the proxy is allowed.

    The addresses that it connects to cannot be checked. Whoever allows it by name trusts it to
    refuse private ones.
    """
    if not proxy or egress.private != "never":
        return
    try:
        parts = urlsplit(whole_proxy(proxy))
        host, port = parts.hostname or "", parts.port or PROXY_PORTS.get(parts.scheme, 0)
    except ValueError:
        host, port = "", 0
    if not egress.allows(host, port, as_address(host)):
        place = joined_host(host, port)
        raise EgressRefusedError(
            f"the proxy {place} would decide which addresses are reached, and must be "
            "allowed by name",
            url=place,
            cause=EGRESS_REFUSED,
        )


def proxy_server(proxy: str) -> str:
    """The address of a user's proxy without user name and password."""
    parts = urlsplit(whole_proxy(proxy))
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def proxy_login(proxy: str) -> dict[str, str]:
    """User name and password of a user's proxy, by the protocol's names; empty if it has none."""
    parts = urlsplit(whole_proxy(proxy))
    if parts.username is None:
        return {}
    return {"username": unquote(parts.username), "password": unquote(parts.password or "")}
