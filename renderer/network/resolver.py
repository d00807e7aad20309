"""Resolves host names to addresses, once per page, in bounded time, in separate threads.

Chromium's ``--host-resolver-rules`` apply here too, because Chromium resolves none of the names of
a filtered page.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from functools import partial

from .ip_addresses import Address, as_address
from .origins import plain_host

Resolve = Callable[[str], Awaitable[Sequence[str]]]
"""Maps a host name to its numeric addresses; an unknown name has none, or raises an `OSError`."""

RULES_SWITCH = "--host-resolver-rules="

NOT_FOUND = "~notfound"

LOOPBACK = ("127.0.0.1", "::1")

SECONDS = 10.0

# Threads for all pages, and names that one page resolves at once: a page whose names are not
# answered does not delay other pages.
THREADS = 32
AT_ONCE = 6

MAX_NAMES = 1000  # more names than any page has; each is kept until the page is done


class NotResolvedError(OSError):
    """A name resolves to no address."""


class SystemResolver:
    """The system's resolver, in threads that it does not share with other work."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="miolo-resolve")

    async def __call__(self, host: str) -> Sequence[str]:
        """Addresses of a host, in the system's order of preference."""
        # RFC 6761 reserves these names for loopback, but not every system's resolver complies.
        if plain_host(host) == "localhost" or plain_host(host).endswith(".localhost"):
            return LOOPBACK
        loop = asyncio.get_running_loop()
        ask = partial(socket.getaddrinfo, host, None, type=socket.SOCK_STREAM)
        entries = await loop.run_in_executor(self._threads, ask)
        return list(dict.fromkeys(str(entry[4][0]) for entry in entries))

    def close(self) -> None:
        """Stop, without waiting for names that are still being resolved."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class Names:
    """The names of a page, each resolved once: a second answer (DNS rebinding) has no effect."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._tasks: dict[str, asyncio.Task[tuple[Address, ...]]] = {}
        self._free = asyncio.Semaphore(AT_ONCE)

    async def addresses(self, host: str) -> tuple[Address, ...]:
        """Addresses of a host; a numeric address resolves to itself."""
        literal = as_address(host)
        if literal is not None:
            return (literal,)
        name = plain_host(host)
        task = self._tasks.get(name)
        if task is None:
            if len(self._tasks) >= MAX_NAMES:
                raise NotResolvedError(f"the page has already requested {MAX_NAMES} names")
            task = self._tasks[name] = asyncio.ensure_future(self._query(name))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        # Cancelling one caller does not cancel the query for the others.
        return await asyncio.shield(task)

    async def _query(self, name: str) -> tuple[Address, ...]:
        try:
            async with self._free, asyncio.timeout(SECONDS):
                texts = await self._resolve(name)
        except (OSError, UnicodeError, TimeoutError) as error:
            raise NotResolvedError(f"{name} leads nowhere: {error}") from None
        addresses = tuple(filter(None, map(as_address, texts)))
        if not addresses:
            raise NotResolvedError(f"{name} leads nowhere")
        return addresses

    async def close(self) -> None:
        """Cancel the resolutions that are still running."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)


def with_rules(resolve: Resolve, switches: Iterable[str]) -> Resolve:
    """A resolver that applies the last rules in a browser's switches, or raises a `ValueError`."""
    rule_lists = [s.removeprefix(RULES_SWITCH) for s in switches if s.startswith(RULES_SWITCH)]
    if not rule_lists:
        return resolve
    mapped: list[tuple[str, str]] = []
    for rule in rule_lists[-1].lower().split(","):
        match rule.split():
            case ["map", pattern, to] if ":" not in to:
                mapped.append((pattern, to))
            case ["exclude", pattern]:
                mapped.insert(0, (pattern, ""))
            case _:
                raise ValueError(f"{rule.strip()!r}: a filtered page supports only MAP and EXCLUDE")

    async def resolve_host(host: str) -> Sequence[str]:
        # The first rule that matches applies, as in Chromium, and exclusions before all others.
        target = next((to for pattern, to in mapped if fnmatchcase(host, pattern)), "") or host
        if target == NOT_FOUND:
            raise NotResolvedError(f"a rule of {RULES_SWITCH} keeps {host} from being found")
        return await resolve(target)

    return resolve_host
