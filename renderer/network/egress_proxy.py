"""`EgressProxy`: the one way out of a page, a SOCKS proxy on loopback for it alone.

Chromium resolves no name and opens no connection itself: it uses this proxy. A name is resolved
once, each address checked, and the connection made to an address that was checked.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..arrays import PageWarning
from .addresses import Address, is_private, is_public
from .policy import EgressPolicy, plain_host
from .relay import connect, join
from .resolver import Names, NotResolvedError, Resolve
from .socks import FAILED, NO_SUCH_HOST, NOT_ALLOWED, REFUSED, TIMED_OUT, Client

__all__ = ["EGRESS_REFUSED", "EgressProxy", "EgressRefusedError", "Failure", "private_home"]

EGRESS_REFUSED = "EGRESS_REFUSED"
"""The cause given in errors when an address may not be reached."""

# Of a reply, the cause in Chromium's own words, which it cannot know behind a proxy.
CAUSES = {
    NOT_ALLOWED: EGRESS_REFUSED,
    NO_SUCH_HOST: "ERR_NAME_NOT_RESOLVED",
    REFUSED: "ERR_CONNECTION_REFUSED",
    TIMED_OUT: "ERR_CONNECTION_TIMED_OUT",
    FAILED: "ERR_ADDRESS_UNREACHABLE",
}

DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}

# A browser has some hundred at once.
MAX_CONNECTIONS = 512

# Hosts and ports that are remembered as refused.
MAX_REMEMBERED = 1000

SHOWN = 3


class EgressRefusedError(Exception):
    """An address may not be reached."""


@dataclass(frozen=True)
class Failure:
    """A connection that was not made, and the cause in Chromium's words or ours."""

    host: str
    port: int
    cause: str


class EgressProxy:
    """Proxy of one page.

    Parameters
    ----------
    egress
        Whom the page may reach.
    resolve
        Names to addresses.
    named
        The address that the caller named, for what is private only if that is.
    own_ports
        Ports of all open proxies, on loopback: no page may connect to them. Kept up to date here.

    Attributes
    ----------
    port
        That it listens on, once it is open.
    last_failure
        The last connection that was not made.
    """

    def __init__(
        self, egress: EgressPolicy, resolve: Resolve, named: str, own_ports: set[int]
    ) -> None:
        self._egress = egress
        self._resolve = resolve
        self._names = Names(resolve)
        self._named = named
        self._own_ports = own_ports
        self._server: asyncio.Server | None = None
        self._clients: set[Client] = set()
        self._refused: dict[tuple[str, int], None] = {}
        self.last_failure: Failure | None = None
        self.port = 0

    async def open(self) -> EgressProxy:
        """Begin to listen."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._new_client, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        self._own_ports.add(self.port)
        return self

    async def close(self) -> None:
        """Close every connection; nothing of the page is left."""
        if self._server:
            self._server.close()
        await asyncio.gather(*(client.end() for client in list(self._clients)))
        await self._names.close()
        self._own_ports.discard(self.port)

    async def renew(self) -> None:
        """Begin as for a new page: forget all resolved names and refused addresses."""
        await self._names.close()
        self._names = Names(self._resolve)
        self._refused.clear()
        self.last_failure = None

    def _new_client(self) -> Client:
        client = Client(self._serve, self._clients.discard)
        self._clients.add(client)
        return client

    async def _serve(self, client: Client, host: str, port: int) -> None:
        code = FAILED
        try:
            if len(self._clients) > MAX_CONNECTIONS:
                raise OSError("too many connections")
            other = await connect(await self.reachable(host, port), port)
            join(client, other)
            client.succeed()
            return
        except EgressRefusedError:
            code = NOT_ALLOWED
        except NotResolvedError:
            code = NO_SUCH_HOST
        except TimeoutError:
            code = TIMED_OUT
        except ConnectionRefusedError:
            code = REFUSED
        except OSError:
            pass
        self._note(host, port, code)
        client.fail(code)

    def _note(self, host: str, port: int, code: int) -> None:
        self.last_failure = Failure(host, port, CAUSES[code])
        if code == NOT_ALLOWED and len(self._refused) < MAX_REMEMBERED:
            self._refused[plain_host(host), port] = None

    async def reachable(self, host: str, port: int) -> list[Address]:
        """Addresses that a connection to a host and port may be made to.

        Raises
        ------
        NotResolvedError
            The host leads to no address.
        EgressRefusedError
            None of its addresses may be reached.
        """
        addresses = await self._names.addresses(host)
        allowed = [each for each in addresses if await self._may(host, port, each)]
        if not allowed:
            raise EgressRefusedError(host)
        return allowed

    async def _may(self, host: str, port: int, address: Address) -> bool:
        # Loopback has many spellings; each of them is private.
        if port in self._own_ports and not is_public(address):
            return False
        if is_public(address) or self._egress.allows(host, port, address):
            return True
        # A private home opens private networks, and nothing else that is not public: no address
        # that embeds an IPv4 address, and no reserved one.
        if self._egress.private != "named" or not is_private(address):
            return False
        homes = {self._named, self._egress.home or self._named}
        return all([await private_home(url, self._egress, self._names) for url in homes])

    async def refuses(self, url: str) -> bool:
        """Whether a document's address may not be reached; if so that is remembered."""
        host, port = _end(url)
        if host is None:
            return False
        with suppress(NotResolvedError):
            try:
                await self.reachable(host, port)
            except EgressRefusedError:
                self._note(host, port, NOT_ALLOWED)
                return True
        return False

    def warnings(self) -> list[PageWarning]:
        """What was refused, in one sentence."""
        refused = list(self._refused)
        if not refused:
            return []
        addresses = ", ".join(f"{host}:{port}" for host, port in refused[:SHOWN])
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
    host, port = _end(url)
    if host is None:
        return ()
    try:
        addresses = await names.addresses(host)
    except NotResolvedError:
        return ()
    private = all(is_private(a) and not egress.allows(host, port, a) for a in addresses)
    return addresses if private else ()


def _end(url: str) -> tuple[str | None, int]:
    try:
        parts = urlsplit(url)
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
            return None, 0
        return parts.hostname, parts.port or DEFAULT_PORTS[parts.scheme]
    except ValueError:
        return None, 0
