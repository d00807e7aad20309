"""Hosts on loopback that represent the internet and a private network, and their resolver.

The address 127.0.0.2 represents the public internet; the tests' policy allows only this address.
The victim is at 127.0.0.1 and at ::1, on the same port, so that only the address
distinguishes them.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.server import ThreadingHTTPServer

from local_server import Handler
from miolo.renderer.network.policy import EgressPolicy

PUBLIC, PRIVATE = "127.0.0.2", "127.0.0.1"
ANY_ORIGIN = {"Access-Control-Allow-Origin": "*"}

POLICY = EgressPolicy("never", allowed=(PUBLIC,))

# Addresses of each name for successive lookups; the last answer is repeated.
NAMES = {
    "public.test": ((PUBLIC,),),
    "elsewhere.test": ((PUBLIC,),),
    "localhost": ((PRIVATE,),),
    "localhost.": ((PRIVATE,),),
    "a.localhost": ((PRIVATE,),),
    "private.test": ((PRIVATE,),),
    "private6.test": (("::1",),),
    "mapped.test": (("::ffff:127.0.0.1",),),
    # Addresses that an attacker may publish for their own host, which is at 127.0.0.2.
    "evil.test": ((f"::ffff:{PUBLIC}",),),
    "evil-beside.test": ((PRIVATE, f"::ffff:{PUBLIC}"),),
    "translated.test": (("64:ff9b::7f00:1",),),
    "mixed.test": ((PRIVATE, "::1", PUBLIC),),
    "rebind.test": ((PUBLIC,), (PRIVATE,)),
}


@dataclass(frozen=True)
class Reply:
    """A reply of the public host."""

    body: str
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200


class Resolver:
    """A resolver for tests: answers from a table, and counts its queries."""

    def __init__(self, names: dict[str, Sequence[Sequence[str]]] | None = None) -> None:
        self.names = NAMES if names is None else names
        self.lookups: Counter[str] = Counter()

    async def __call__(self, host: str) -> Sequence[str]:
        answers = self.names.get(host)
        self.lookups[host] += 1
        if answers is None:
            raise OSError(f"no such host: {host}")
        return answers[min(self.lookups[host], len(answers)) - 1]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    reached = 0

    def get_request(self):
        # Every connection counts as a hit, whether or not it carries a request.
        self.reached += 1
        return super().get_request()

    def handle_error(self, request, client_address):
        pass


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Victim(Handler):
    def do_GET(self):
        self.send("<p>SECRET of the private network</p>", headers=ANY_ORIGIN)

    do_POST = do_HEAD = do_OPTIONS = do_GET


class _Public(Handler):
    def do_GET(self):
        owner: Hosts = self.server.__dict__["owner"]
        with owner.lock:
            owner.requests.append(self.path)
        reply = owner.reply(self.path) or Reply("nothing", status=404)
        self.send(reply.body, reply.status, {**ANY_ORIGIN, **dict(reply.headers)})

    do_POST = do_GET


def _listen() -> tuple[_Server, list[_Server], socket.socket]:
    """The public host, and the victim's servers and datagrams, all on one port."""
    with contextlib.ExitStack() as opened:
        public = opened.enter_context(_Server((PUBLIC, 0), _Public))
        port = public.server_port
        victims = [opened.enter_context(_Server((PRIVATE, port), _Victim))]
        with contextlib.suppress(OSError):  # a machine without IPv6
            victims.append(opened.enter_context(_Server6(("::1", port), _Victim)))
        datagrams = opened.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        datagrams.bind((PRIVATE, port))
        datagrams.setblocking(False)
        opened.pop_all()
    return public, victims, datagrams


def _listen_on_a_free_port() -> tuple[_Server, list[_Server], socket.socket]:
    """As `_listen`, with retries: a port that is free at one address can be in use at another."""
    for _ in range(20):
        try:
            return _listen()
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    raise OSError("no port is free at every address")


class Hosts:
    """The public host and the victim while they listen; use it as a context manager.

    Attributes
    ----------
    port
        Port of all hosts.
    requests
        Paths requested from the public host.
    """

    def __init__(self, reply: Callable[[str], Reply | None]) -> None:
        self.reply = reply
        self.requests: list[str] = []
        self.lock = threading.Lock()
        public, self._victims, self._datagrams = _listen_on_a_free_port()
        public.__dict__["owner"] = self
        self.port = public.server_port
        self._servers = [public, *self._victims]
        for server in self._servers:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self) -> Hosts:
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()
        self._datagrams.close()

    def hits(self) -> int:
        """Connections and datagrams to the victim since the last call."""
        count = sum(server.reached for server in self._victims)
        for server in self._victims:
            server.reached = 0
        with contextlib.suppress(BlockingIOError):
            while self._datagrams.recv(2048):
                count += 1
        return count
