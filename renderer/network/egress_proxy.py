"""`EgressProxy`: a page's only way to the network, a SOCKS proxy on loopback for that page alone.

Chromium resolves no name and opens no connection itself: it uses this proxy. A name is resolved
once, each of its addresses is checked, and connections are made only to checked addresses. What the
proxy has recorded explains failed navigations. A `Network` opens the proxies of one renderer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from ...errors import EgressRefusedError, NavigationError, PageWarning
from ...patterns import lazy_re
from .blocking import HostBlocker
from .ip_addresses import Address, is_private, is_public
from .origins import joined_host, plain_host
from .policy import EGRESS_REFUSED, EgressPolicy
from .resolver import Names, NotResolvedError, Resolve, SystemResolver, with_rules
from .socks import FAILED, NO_SUCH_HOST, NOT_ALLOWED, REFUSED, TIMED_OUT, Client, connect, join

# Causes by reply code, under Chromium's names for them; behind a proxy it cannot know them itself.
CAUSES = {
    NOT_ALLOWED: EGRESS_REFUSED,
    NO_SUCH_HOST: "ERR_NAME_NOT_RESOLVED",
    REFUSED: "ERR_CONNECTION_REFUSED",
    TIMED_OUT: "ERR_CONNECTION_TIMED_OUT",
    FAILED: "ERR_ADDRESS_UNREACHABLE",
}

DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}

MAX_CONNECTIONS = 512  # a browser has some hundred connections at once
MAX_REMEMBERED = 1000  # maximum number of refused hosts and ports that are remembered

SHOWN = 3

NET_ERROR = lazy_re(r"net::(\w+)")  # Playwright may append a comment to the name of an error

# Part of Chromium's message for a URL that it refuses without a network error.
INVALID_URL = "Cannot navigate to invalid URL"

# Errors of Chromium, or of the client of plain GETs, if the proxy made no connection for whatever
# reason.
NOT_CONNECTED = (
    "ERR_PROXY_CONNECTION_FAILED",
    "ERR_SOCKS_CONNECTION_FAILED",
    "ERR_SOCKS_CONNECTION_HOST_UNREACHABLE",
)

# Errors if no connection was made, by the client itself or through a user's proxy.
UNREACHABLE = (
    *NOT_CONNECTED, "ERR_ADDRESS_UNREACHABLE", "ERR_CONNECTION_FAILED", "ERR_CONNECTION_REFUSED",
    "ERR_CONNECTION_TIMED_OUT", "ERR_INTERNET_DISCONNECTED", "ERR_NAME_NOT_RESOLVED",
    "ERR_TUNNEL_CONNECTION_FAILED",
)  # fmt: skip


class AddressRefusedError(Exception):
    """An address may not be reached."""


CODES = {
    AddressRefusedError: NOT_ALLOWED,
    NotResolvedError: NO_SUCH_HOST,
    TimeoutError: TIMED_OUT,
    ConnectionRefusedError: REFUSED,
    OSError: FAILED,
}
"""Reply codes by what has happened, the most specific first."""


@dataclass(frozen=True)
class Failure:
    """A connection that was not made, and the cause under Chromium's name or our own."""

    host: str
    port: int
    cause: str


class EgressProxy:
    """The proxy of one page, whose URL `named` the caller has named.

    No page may connect to `own_ports`, those of all open proxies on loopback, which are kept up to
    date here. `blocked` are sets of hosts that the page does not load from, and `last_failure` is
    the last connection that failed, other than those to blocked hosts.
    """

    def __init__(
        self,
        egress: EgressPolicy,
        resolve: Resolve,
        named: str,
        own_ports: set[int],
        blocked: tuple[frozenset[str], ...] = (),
    ) -> None:
        self.blocker = HostBlocker(blocked, named)
        self._egress = egress
        self._names = Names(resolve)
        self._named = named
        self._own_ports = own_ports
        self._server: asyncio.Server | None = None
        self._clients: set[Client] = set()
        self._refused: dict[tuple[str, int], None] = {}
        self.last_failure: Failure | None = None
        self.port = 0

    async def open(self) -> EgressProxy:
        """Start to listen."""
        loop = asyncio.get_running_loop()

        def new_client() -> Client:
            client = Client(self._serve, self._clients.discard)
            self._clients.add(client)
            return client

        self._server = await loop.create_server(new_client, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        self._own_ports.add(self.port)
        return self

    async def close(self) -> None:
        """Close every connection of the page, and stop listening."""
        if self._server:
            self._server.close()
        await asyncio.gather(*(client.end() for client in list(self._clients)))
        await self._names.close()
        self._own_ports.discard(self.port)

    async def _serve(self, client: Client, host: str, port: int) -> None:
        if self.blocker.refuses(host):
            # Neither a warning nor the cause of a failed navigation.
            client.fail(NOT_ALLOWED)
            return
        try:
            if len(self._clients) > MAX_CONNECTIONS:
                raise OSError("too many connections")
            other = await connect(await self.reachable(host, port), port)
        except (AddressRefusedError, OSError) as error:
            code = next(code for kind, code in CODES.items() if isinstance(error, kind))
            self._note(host, port, code)
            client.fail(code)
        else:
            join(client, other)
            client.succeed()

    def _note(self, host: str, port: int, code: int) -> None:
        self.last_failure = Failure(host, port, CAUSES[code])
        if code == NOT_ALLOWED and len(self._refused) < MAX_REMEMBERED:
            self._refused[plain_host(host), port] = None

    async def reachable(self, host: str, port: int) -> list[Address]:
        """Addresses that may be connected to, at least one; otherwise one of the two errors."""
        addresses = await self._names.addresses(host)
        allowed = [each for each in addresses if await self._may(host, port, each)]
        if not allowed:
            raise AddressRefusedError(host)
        return allowed

    async def _may(self, host: str, port: int, address: Address) -> bool:
        # Loopback has many addresses, none of which is public.
        if port in self._own_ports and not is_public(address):
            return False
        if is_public(address) or self._egress.allows(host, port, address):
            return True
        # A private home permits private addresses only, and none of the others that are not public:
        # neither addresses that embed an IPv4 address nor reserved ones.
        if self._egress.private != "named" or not is_private(address):
            return False
        homes = {self._named, self._egress.home or self._named}
        return all([await private_home(url, self._egress, self._names) for url in homes])

    async def refuses(self, url: str) -> bool:
        """Whether the host of a document's URL may not be reached; if so, this is recorded."""
        host, port = end_of(url)
        if host is None:
            return False
        with suppress(NotResolvedError):
            try:
                await self.reachable(host, port)
            except AddressRefusedError:
                self._note(host, port, NOT_ALLOWED)
                return True
        return False

    def warnings(self) -> list[PageWarning]:
        """A warning about what was refused, if anything was."""
        refused = list(self._refused)
        if not refused:
            return []
        addresses = ", ".join(joined_host(host, port) for host, port in refused[:SHOWN])
        more = f" and {len(refused) - SHOWN} more" if len(refused) > SHOWN else ""
        return [
            PageWarning(
                "egress", f"addresses that are not public were not reached: {addresses}{more}"
            )
        ]


async def private_home(url: str, egress: EgressPolicy, names: Names) -> tuple[Address, ...]:
    """The addresses of a URL's host if it is a private home, and no addresses otherwise.

    A host is a private home if all of its addresses are private (see `is_private`) and none is
    allowed by the policy's list: a list states explicitly what else the page may reach.
    """
    host, port = end_of(url)
    if host is None:
        return ()
    try:
        addresses = await names.addresses(host)
    except NotResolvedError:
        return ()
    private = all(is_private(a) and not egress.allows(host, port, a) for a in addresses)
    return addresses if private else ()


def end_of(url: str) -> tuple[str | None, int]:
    """Host and port of a web or WebSocket URL; None as the host of any other URL."""
    try:
        parts = urlsplit(url)
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
            return None, 0
        return parts.hostname, parts.port or DEFAULT_PORTS[parts.scheme]
    except ValueError:
        return None, 0


def navigation_error(
    url: str, line: str, egress_proxy: EgressProxy | None, failed_url: str
) -> NavigationError:
    """The error for a URL that could not be opened.

    `line` is the first line of Playwright's message, and `failed_url` the URL of the request that
    failed, after redirects; "" if unknown.
    """
    match = NET_ERROR.search(line)
    cause = match[1] if match else None
    # The host of the URL may have been reached, and have redirected to the one that was not.
    host, port = end_of(failed_url)
    is_own = (host, port) == end_of(url)
    unreachable = egress_proxy is None and cause in UNREACHABLE and is_own
    if INVALID_URL in line:
        cause = "ERR_INVALID_URL"
    if cause in NOT_CONNECTED and egress_proxy and (last := egress_proxy.last_failure):
        cause = last.cause
        if cause == EGRESS_REFUSED:
            return refusal(url, joined_host(last.host, last.port))
        own, own_port = end_of(url)
        host, port = last.host, last.port
        is_own = unreachable = (plain_host(host), port) == (plain_host(own or ""), own_port)
    leads = "" if is_own or host is None else f"leads to {joined_host(host, port)}, which "
    message = f"{url} {leads}cannot be opened: {cause or line}"
    return NavigationError(message, url=url, cause=cause, unreachable=unreachable)


def refusal(url: str, target: str) -> EgressRefusedError:
    """The error for a URL that leads to an address that may not be reached."""
    return EgressRefusedError(
        f"{url} leads to {target}, which is not a public address", url=url, cause=EGRESS_REFUSED
    )


class Network:
    """Resolves names, and opens the proxies that check connections.

    `resolve` replaces the system's resolver, to which the host resolver rules among Chromium's
    `switches` apply. `own_ports` are those of the open proxies, on loopback: no connection through
    a proxy may lead to them.
    """

    def __init__(self, resolve: Resolve | None = None, switches: Iterable[str] = ()) -> None:
        self._override = resolve
        self._switches = tuple(switches)
        self._system = SystemResolver()
        self.own_ports: set[int] = set()

    @cached_property
    def resolve(self) -> Resolve:
        """Resolver of host names to addresses."""
        return self._override or with_rules(self._system, self._switches)

    async def open_proxy(
        self, egress: EgressPolicy, url: str, blocked: tuple[frozenset[str], ...] = ()
    ) -> EgressProxy:
        """Open a proxy for one page or request, as the caller named it; the caller closes it."""
        proxy = EgressProxy(egress, self.resolve, url, self.own_ports, blocked)
        return await proxy.open()

    def close(self) -> None:
        """Close the system's resolver, without waiting for names that are still being resolved."""
        self._system.close()
