"""Run every attack, and report its outcome, its time and whether it was held off.

    python benchmarks/attacks.py [--only PREFIX]… [--skip GROUP]… [--write docs]

The program runs in its own network namespace, with only loopback, if the kernel supports that.

pages
    The hostile pages (tests/hostile), rendered one after the other by one renderer. An attack is
    held off if the page ends within its deadline and a grace period, with the typed error or the
    snapshot that the table of pages specifies, if no context and no task is left, and if an
    ordinary page renders completely afterwards.
extraction
    Every page that could be rendered is extracted by `auto` and written in each format, within
    limits of processor time and memory (extraction_attacks.py).
requests
    The hostile responses, and bombs in several encodings, as responses to plain requests without a
    browser. An attack is held off if the request ends in time, with a response no longer than its
    limit or with a typed error.
egress
    Attacks on the filter (tests/shared). An attack is held off if the victim receives no request
    and the page is as it should be. Each is also tried without the filter; if the victim receives
    no request then either, the row is "n/a" and does not count.
files
    Archives and states of collections that were tampered with (file_attacks.py).
surface
    Lists, settings, cookies, labels, sitemaps, robots.txt files and calls of tools that others may
    have made (surface_rows.py).
machine
    Machines that lack open files, temporary folders, shared memory or space (surface_rows.py).
service
    Attacks on a running service (service_attacks.py).

Prints tables in Markdown, then a line of JSON. The exit code is 1 if an attack was not held off, or
if a process or a temporary folder of this program is left.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic

import miolo
import psutil

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path += [str(TESTS / "hostile"), str(TESTS / "shared")]

from attack_table import Row, Table, print_table, write_tables  # noqa: E402
from egress_attacks import ATTACKS, MARK, attacked_hosts, run_attack  # noqa: E402
from egress_hosts import POLICY, Resolver  # noqa: E402
from extraction_attacks import extraction_rows  # noqa: E402
from file_attacks import file_rows  # noqa: E402
from hostile_set import HOSTILE, serving_hostile  # noqa: E402
from hostile_set.responses import PAGES as RESPONSES  # noqa: E402
from hostile_set.trial import run_trial  # noqa: E402
from own_network import enter_own_network  # noqa: E402
from service_attacks import service_rows  # noqa: E402
from surface_rows import machine_rows, name_rows, surface_rows  # noqa: E402

GROUPS = (
    "pages", "extraction", "requests", "egress", "names", "files", "surface", "machine", "service"
)  # fmt: skip

# The filter still resolves the names of the tests, but allows every address.
UNFILTERED = miolo.EgressPolicy("never", allowed=("0.0.0.0/0", "::/0"))
OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",)
ANY = miolo.RenderOptions(egress=miolo.EgressPolicy("always"))

# Limits of a plain request; the grace period is for a busy machine.
FETCH_SECONDS, FETCH_GRACE_SECONDS, FETCH_BYTES = 6.0, 3.0, 4 << 20

PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", action="append", default=[], help="names that begin so")
    options.add_argument("--skip", action="append", default=[], choices=GROUPS)
    options.add_argument("--write", type=Path, help="folder of the documentation to update")
    chosen = options.parse_args()
    alone = enter_own_network()
    # Orphaned processes then become children of this process, and are counted.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory(prefix="attacks-") as folder:
        # Temporary files that this program and its browsers leave behind are found there.
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        tables = asyncio.run(all_tables(tuple(chosen.only), chosen.skip))
        left = left_behind(Path(folder))
    print(*left, sep="\n", file=sys.stderr)
    rows = [row for table in tables for row in table.rows]
    figures = {
        "tried": sum(row.tried for row in rows),
        "held": sum(row.held for row in rows),
        "not_applicable": sum(not row.is_applicable for row in rows),
        "left_behind": len(left),
        "own_network": alone,
    }
    print(json.dumps(figures))
    if chosen.write:
        summary = f"`python benchmarks/attacks.py`, {os.cpu_count()} cores: `{json.dumps(figures)}`"
        write_tables(chosen.write, tables, summary)
    sys.exit(figures["held"] < figures["tried"] or bool(left))


async def all_tables(only: tuple[str, ...], skipped: list[str]) -> list[Table]:
    """Run the chosen attacks."""
    only = only or ("",)
    with tempfile.TemporaryDirectory() as folder:
        groups = {
            "pages": ("Hostile pages, rendered", page_rows(only, Path(folder))),
            "extraction": (
                "The same pages, extracted and written",
                extraction_rows(Path(folder)),
            ),
            "requests": ("Plain requests", request_rows(only)),
            "egress": ("Reaching a private network", egress_rows(only)),
            "names": ("Names that lead to a private network", name_rows(only)),
            "files": ("Files that were tampered with", tampering_rows(only)),
            "surface": ("Files and inputs that others may have made", surface_rows(only)),
            "machine": ("Machines that lack something", machine_rows(only)),
            "service": ("The service", door_rows(only)),
        }
        return [
            await print_table(title, rows)
            for name, (title, rows) in groups.items()
            if name not in skipped
        ]


async def page_rows(only: tuple[str, ...], folder: Path) -> AsyncIterator[Row]:
    """Rows of the hostile pages, whose snapshots are saved in the folder."""
    with serving_hostile() as origin:
        async with miolo.Renderer(ANY, switches=OFFLINE) as renderer:
            for name in HOSTILE:
                if not name.startswith(only):
                    continue
                trial = await run_trial(renderer, HOSTILE[name], origin)
                if trial.snapshot is not None:
                    trial.snapshot.save(folder / f"{name}.miolo")
                yield Row(name, trial.end, trial.seconds, tuple(trial.faults))


async def request_rows(only: tuple[str, ...]) -> AsyncIterator[Row]:
    """Rows of the hostile responses to plain requests."""
    with serving_hostile() as origin:
        async with miolo.Renderer(ANY) as renderer:
            for page in RESPONSES:
                name = f"request: {page.name}"
                if name.startswith(only):
                    yield await request_row(renderer, name, f"{origin}/{page.name}")


async def request_row(renderer: miolo.Renderer, name: str, url: str) -> Row:
    """Row of one request; a late response, one that is too long or an untyped error is a fault."""
    started, faults = monotonic(), []
    try:
        exchange = await renderer.fetch(url, seconds=FETCH_SECONDS, max_bytes=FETCH_BYTES)
        outcome = f"status {exchange.status}, {len(exchange.body):,} bytes"
        if len(exchange.body) > FETCH_BYTES:
            faults.append("too long")
    except miolo.MioloError as error:
        outcome = type(error).__name__
    except Exception as error:
        outcome = type(error).__name__
        faults.append("not a typed error")
    seconds = monotonic() - started
    if seconds > FETCH_SECONDS + FETCH_GRACE_SECONDS:
        faults.append("too late")
    return Row(name, outcome, seconds, tuple(faults))


async def egress_rows(only: tuple[str, ...]) -> AsyncIterator[Row]:
    options = miolo.RenderOptions(egress=POLICY)
    with attacked_hosts() as hosts:
        async with miolo.Renderer(options, resolve=Resolver()) as renderer:
            for attack in ATTACKS:
                name = f"egress: {attack.name}"
                if not name.startswith(only):
                    continue
                came = await run_attack(renderer, hosts, attack)
                rendered_page = (
                    "rendered without it" if MARK in came.output else came.output.split(":")[0]
                )
                outcome = rendered_page + (", warning `egress`" if came.with_warnings else "")
                faults = () if came.held else (f"{came.hits} hits: {came.output[:80]}",)
                # An attack that does not arrive without the filter does not test the filter.
                unfiltered = await run_attack(renderer, hosts, attack, UNFILTERED)
                arrives = unfiltered.reached or not came.held
                yield Row(name, outcome, came.seconds, faults, arrives)


async def tampering_rows(only: tuple[str, ...]) -> AsyncIterator[Row]:
    async for name, outcome, seconds, faults in file_rows(only):
        yield Row(name, outcome, seconds, tuple(faults))


async def door_rows(only: tuple[str, ...]) -> AsyncIterator[Row]:
    async for name, seen, seconds in service_rows(only):
        yield Row(name, seen.happened, seconds, tuple(seen.faults))


def left_behind(folder: Path) -> list[str]:
    """Running descendants of this process, and the contents of its temporary folder."""
    processes = psutil.Process().children(recursive=True)
    running = [each for each in processes if each.status() != psutil.STATUS_ZOMBIE]
    return [*map(str, running), *map(str, folder.iterdir())]


if __name__ == "__main__":
    main()
