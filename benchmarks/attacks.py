"""Every attack and every hostile page: what was tried, what happened, how long it took.

    python benchmarks/attacks.py [--only PREFIX]… [--skip-egress] [--skip-service]

Hostile pages (tests/hostile) are rendered one after the other by one renderer on loopback. A page
holds that ends within its deadline and the grace of the tests, with a typed error or a snapshot as
the table of pages says; that leaves no context and no task; and after which an ordinary page comes
whole. Attacks on the egress filter (tests/shared) hold if what they want to reach hears nothing.
Attacks on a running service are those of service_attacks.py.
Prints a table in Markdown, then a line of JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

import miolo
import psutil

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path += [str(TESTS / "hostile"), str(TESTS / "shared")]

from egress_attacks import ATTACKS, attacked_hosts, run_attack  # noqa: E402
from egress_hosts import POLICY, Resolver  # noqa: E402
from hostile_set import HOSTILE, serving_hostile  # noqa: E402
from hostile_set.trial import tried  # noqa: E402
from service_attacks import service_rows  # noqa: E402

OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",)


@dataclass(frozen=True)
class Row:
    """One thing that was tried."""

    name: str
    happened: str
    seconds: float
    faults: tuple[str, ...] = ()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", action="append", default=[], help="names that begin so")
    options.add_argument("--skip-egress", action="store_true")
    options.add_argument("--skip-service", action="store_true")
    chosen = options.parse_args()
    before = left_behind()
    names = [name for name in HOSTILE if name.startswith(tuple(chosen.only) or "")]
    rows = asyncio.run(shown(hostile_rows(names)))
    if not chosen.skip_egress:
        rows += asyncio.run(shown(egress_rows(tuple(chosen.only))))
    if not chosen.skip_service:
        rows += asyncio.run(shown(door_rows(tuple(chosen.only))))
    more = left_behind() - before
    held = sum(not row.faults for row in rows)
    print(json.dumps({"tried": len(rows), "held": held, "left_behind": len(more)}))


async def shown(rows: AsyncIterator[Row]) -> list[Row]:
    """Print rows as they come."""
    found = []
    async for row in rows:
        if not found:
            print("| tried | happened | seconds | held |\n|---|---|---|---|")
        found.append(row)
        held = "yes" if not row.faults else "**no**: " + "; ".join(row.faults).replace("|", "/")
        happened = row.happened.replace("|", "/").replace("\n", " ")
        print(f"| {row.name} | {happened} | {row.seconds:.1f} | {held} |", flush=True)
    return found


async def hostile_rows(names: list[str]) -> AsyncIterator[Row]:
    with serving_hostile() as origin:
        async with miolo.Renderer(
            miolo.RenderOptions(egress=miolo.EgressPolicy("always")), switches=OFFLINE
        ) as renderer:
            for name in names:
                trial = await tried(renderer, HOSTILE[name], origin)
                yield Row(name, trial.end, trial.seconds, tuple(trial.faults))


async def egress_rows(only: tuple[str, ...]) -> AsyncIterator[Row]:
    options = miolo.RenderOptions(egress=POLICY)
    with attacked_hosts() as hosts:
        async with miolo.Renderer(options, resolve=Resolver()) as renderer:
            for attack in ATTACKS:
                if attack.name.startswith(only or ""):
                    came = await run_attack(renderer, hosts, attack)
                    told = shorten(came.told, 60) + (" (egress)" if came.with_warnings else "")
                    faults = () if came.held else (f"{came.hits} hits",)
                    yield Row(f"egress: {attack.name}", told, came.seconds, faults)


async def door_rows(only: tuple[str, ...]) -> AsyncIterator[Row]:
    async for name, seen, seconds in service_rows(only):
        yield Row(name, seen.happened, seconds, tuple(seen.faults))


def left_behind() -> set[str]:
    """Processes below this one, and temporary folders."""
    below = {str(process.pid) for process in psutil.Process().children(recursive=True)}
    return below | {str(path) for path in Path(tempfile.gettempdir()).glob("*playwright*")}


if __name__ == "__main__":
    main()
