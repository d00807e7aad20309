"""Names that lead to a private address through chains of CNAME records, and a server for them.

    unshare --mount --net python tests/shared/name_attacks.py never|always…

The program needs a mount and a network namespace of its own: it becomes the machine's name server.
Prints a line of JSON for each attack, without a browser (never) and with one: its name, its
outcome, its seconds and whether it held.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from time import monotonic

import miolo
from egress_hosts import POLICY, PRIVATE, PUBLIC, Hosts, Reply

sys.path += [str(Path(__file__).resolve().parents[2] / "benchmarks")]

from own_network import raise_loopback

__all__ = ["CHAINS", "COMMAND"]

COMMAND = ("unshare", "--mount", "--net", sys.executable, __file__)

MARK = "page of the public host"
SECONDS = 30.0

A, CNAME = 1, 5

# Chains of names, and the addresses at their ends; a chain without addresses is a loop.
CHAINS: dict[str, tuple[int, tuple[str, ...]]] = {
    "public": (3, (PUBLIC,)),
    "one step": (1, (PRIVATE,)),
    "three steps": (3, (PRIVATE,)),
    "fifteen steps": (15, (PRIVATE,)),
    "to the metadata of a cloud": (2, ("169.254.169.254",)),
    "to addresses of both kinds": (2, (PUBLIC, PRIVATE)),
    "to no place": (2, ("0.0.0.0",)),
    "a loop": (3, ()),
}
OPEN = ("public", "to addresses of both kinds")


def answer(query: bytes) -> bytes:
    """The answer to a query of a name such as ``c1.test``, which has the number of its chain."""
    labels, place = [], 12
    while query[place]:
        labels.append(query[place + 1 : place + 1 + query[place]].decode())
        place += 1 + query[place]
    (kind,) = struct.unpack_from("!H", query, place + 1)
    if labels[-1] != "test":  # the system asks for the names of its own addresses
        return query[:2] + struct.pack("!H", 0x8183) + query[4:]
    steps, addresses = list(CHAINS.values())[int(labels[-2][1:])]
    names = [_name(f"s{step}.{labels[-2]}.test") for step in range(steps)]
    owners = [query[12 : place + 1], *names]
    records = [_record(one, CNAME, other) for one, other in zip(owners, names, strict=False)]
    if not addresses:
        records.append(_record(names[-1], CNAME, owners[0]))
    elif kind == A:
        records += [_record(names[-1], A, socket.inet_aton(each)) for each in addresses]
    head = query[:2] + struct.pack("!HHHHH", 0x8180, 1, len(records), 0, 0)
    return head + query[12 : place + 5] + b"".join(records)


def _name(text: str) -> bytes:
    return b"".join(bytes([len(part)]) + part.encode() for part in text.split(".")) + b"\0"


def _record(owner: bytes, kind: int, data: bytes) -> bytes:
    return owner + struct.pack("!HHIH", kind, 1, 60, len(data)) + data


def serve_names() -> None:
    """Answer queries of this machine, which has no other name server, in a thread."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((PRIVATE, 53))

    def run() -> None:
        while True:
            query, client = server.recvfrom(2048)
            server.sendto(answer(query), client)

    threading.Thread(target=run, daemon=True).start()
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(f"nameserver {PRIVATE}\noptions timeout:1 attempts:1\n")
        file.flush()
        subprocess.run(["mount", "--bind", file.name, "/etc/resolv.conf"], check=True)


async def try_all() -> None:
    """Try all chains, with and without a browser."""
    page = f"<!doctype html><title>t</title><p>{MARK}</p>"
    limits = miolo.Limits(seconds=SECONDS)
    with Hosts(lambda path: Reply(page)) as hosts:
        for browser in sys.argv[1:]:
            options = miolo.RenderOptions(browser=browser, egress=POLICY, limits=limits)
            async with miolo.Renderer(options) as renderer:
                for number, name in enumerate(CHAINS):
                    started, expected = monotonic(), name in OPEN
                    try:
                        url = f"http://c{number}.test:{hosts.port}/"
                        seen = await renderer.render(url)
                        outcome = "rendered" if MARK in "".join(seen.text) else "another page"
                    except miolo.NavigationError as error:
                        outcome = error.cause or type(error).__name__
                    seconds = monotonic() - started
                    held = not hosts.hits() and (outcome == "rendered") == expected
                    row = [f"names: {name}, browser {browser}", outcome, seconds, held]
                    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    raise_loopback()
    serve_names()
    asyncio.run(try_all())
