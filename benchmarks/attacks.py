"""Every attack and every hostile page: what was tried, what happened, how long it took.

    python benchmarks/attacks.py [--only PREFIX]… [--skip-egress] [--skip-service]

Hostile pages (tests/hostile) are rendered one after the other by one renderer on loopback. A page
holds that ends within its deadline and the grace of the tests, with a typed error or a snapshot as
the table of pages says; that leaves no context and no task; and after which an ordinary page comes
whole. Every page that could be rendered is then extracted and written in each format, in a process
of its own whose processor time and memory are limited; a page and a format hold that are written
within the limits. Attacks on the egress filter (tests/shared) hold if what they want to reach hears
nothing; those that do not reach it without the filter either are "n/a" and not counted. Files that
were tampered with are those of file_attacks.py, attacks on a running service those of
service_attacks.py.

Prints a table in Markdown, then a line of JSON. The exit code is 1 where anything did not hold, or
where a process or a temporary folder of this program is left.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from textwrap import shorten
from time import monotonic

import miolo
import psutil
from miolo.extract.methods.registry import DEFAULT_METHOD
from miolo.extract.warm_up import warm_up

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path += [str(TESTS / "hostile"), str(TESTS / "shared")]

from egress_attacks import ATTACKS, attacked_hosts, run_attack  # noqa: E402
from egress_hosts import POLICY, Resolver  # noqa: E402
from file_attacks import file_rows  # noqa: E402
from hostile_set import HOSTILE, serving_hostile  # noqa: E402
from hostile_set.trial import tried  # noqa: E402
from service_attacks import service_rows  # noqa: E402

FORMATS = ("text", "markdown", "html", "json", "csv", "tei", "chunks")
EXTRACT = "--extract-all"
FORKS = multiprocessing.get_context("fork")
CPU_SECONDS, WALL_SECONDS, ADDRESS_SPACE = 30, 60, 6 << 30

# The filter, which resolves the names of the tests, but lets everything through.
UNFILTERED = miolo.EgressPolicy("never", allowed=("0.0.0.0/0", "::/0"))
OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",)


@dataclass(frozen=True)
class Row:
    """One thing that was tried."""

    name: str
    happened: str
    seconds: float
    faults: tuple[str, ...] = ()
    is_applicable: bool = True

    @property
    def verdict(self) -> str:
        """Whether it held, or why not."""
        if not self.is_applicable:
            return "n/a"
        return "**no**: " + "; ".join(self.faults) if self.faults else "yes"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", action="append", default=[], help="names that begin so")
    options.add_argument("--skip-egress", action="store_true")
    options.add_argument("--skip-service", action="store_true")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="attacks-") as folder:
        # Whatever this program and its browsers leave in a temporary folder is found there.
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        rows = asyncio.run(all_rows(chosen))
        left = left_behind(Path(folder))
    rows = [row for row in rows if row.is_applicable]
    held = sum(not row.faults for row in rows)
    print(*left, sep="\n", file=sys.stderr)
    print(json.dumps({"tried": len(rows), "held": held, "left_behind": len(left)}))
    sys.exit(held < len(rows) or bool(left))


async def all_rows(chosen: argparse.Namespace) -> list[Row]:
    """Try everything that was chosen."""
    only = tuple(chosen.only) or ("",)
    with tempfile.TemporaryDirectory() as folder:
        names = [name for name in HOSTILE if name.startswith(only)]
        rows = await shown(hostile_rows(names, Path(folder)))
        rows += await shown(extraction_rows(Path(folder)))
    rows += await shown(tampering_rows(only))
    if not chosen.skip_egress:
        rows += await shown(egress_rows(only))
    if not chosen.skip_service:
        rows += await shown(door_rows(only))
    return rows


async def shown(rows: AsyncIterator[Row]) -> list[Row]:
    """Print rows as they come."""
    found = []
    async for row in rows:
        if not found:
            print("| tried | happened | seconds | held |\n|---|---|---|---|")
        found.append(row)
        happened, verdict = (
            text.replace("|", "/").replace("\n", " ") for text in (row.happened, row.verdict)
        )
        print(f"| {row.name} | {happened} | {row.seconds:.1f} | {verdict} |", flush=True)
    return found


async def hostile_rows(names: list[str], folder: Path) -> AsyncIterator[Row]:
    """Rendering; the snapshots are saved in the folder."""
    with serving_hostile() as origin:
        async with miolo.Renderer(
            miolo.RenderOptions(egress=miolo.EgressPolicy("always")), switches=OFFLINE
        ) as renderer:
            for name in names:
                trial = await tried(renderer, HOSTILE[name], origin)
                if trial.snapshot is not None:
                    trial.snapshot.save(folder / f"{name}.miolo")
                yield Row(name, trial.end, trial.seconds, tuple(trial.faults))


async def extraction_rows(folder: Path) -> AsyncIterator[Row]:
    """Extraction of the saved snapshots by `auto`, written in each format."""
    command = (sys.executable, __file__, EXTRACT, str(folder))
    work = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert work.stdout is not None
    async for line in work.stdout:
        found = json.loads(line)
        for form in FORMATS:
            faults = () if form in found["written"] else (found["end"],)
            happened = "not written" if faults else "written"
            name = f"{form}: {found['name']}"
            yield Row(name, happened, found["seconds"] / len(FORMATS), faults)
    await work.wait()


def extract_all(folder: Path) -> None:
    """Extract each snapshot of a folder in a process that has loaded all, and print what came."""
    warm_up(DEFAULT_METHOD)
    for path in sorted(folder.glob("*.miolo")):
        started = monotonic()
        come, go = FORKS.Pipe(duplex=False)
        process = FORKS.Process(target=extract_within_limits, args=(path, go))
        process.start()
        go.close()
        process.join(WALL_SECONDS)
        end = f"exit code {process.exitcode}"
        if process.is_alive():
            process.kill()
            process.join()
            end = f"not ended after {WALL_SECONDS} s"
        written = []
        with suppress(EOFError):
            while True:
                written.append(come.recv())
        found = {"name": path.stem, "end": end, "written": written}
        print(json.dumps({**found, "seconds": monotonic() - started}), flush=True)


def extract_within_limits(path: Path, written: Connection) -> None:
    """Extract a snapshot, write it, and send each format that is done; limits may end it."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    extraction = miolo.extract_snapshot(miolo.Snapshot.load(path))
    for form in FORMATS:
        miolo.format_extraction(extraction, form)
        written.send(form)


async def egress_rows(only: tuple[str, ...]) -> AsyncIterator[Row]:
    options = miolo.RenderOptions(egress=POLICY)
    with attacked_hosts() as hosts:
        async with miolo.Renderer(options, resolve=Resolver()) as renderer:
            for attack in ATTACKS:
                if f"egress: {attack.name}".startswith(only):
                    came = await run_attack(renderer, hosts, attack)
                    told = shorten(came.told, 60) + (" (egress)" if came.with_warnings else "")
                    faults = () if came.held else (f"{came.hits} hits",)
                    # An attack that would not arrive without the filter says nothing about it.
                    open_way = await run_attack(renderer, hosts, attack, UNFILTERED)
                    reaches = bool(open_way.hits) or not attack.blocked or not came.held
                    yield Row(f"egress: {attack.name}", told, came.seconds, faults, reaches)


async def tampering_rows(only: tuple[str, ...]) -> AsyncIterator[Row]:
    async for name, happened, seconds, faults in file_rows(only):
        yield Row(name, happened, seconds, tuple(faults))


async def door_rows(only: tuple[str, ...]) -> AsyncIterator[Row]:
    async for name, seen, seconds in service_rows(only):
        yield Row(name, seen.happened, seconds, tuple(seen.faults))


def left_behind(folder: Path) -> list[str]:
    """Processes below this one, and what is in its temporary folder."""
    processes = psutil.Process().children(recursive=True)
    return [*map(str, processes), *map(str, folder.iterdir())]


if __name__ == "__main__":
    if sys.argv[1:2] == [EXTRACT]:
        extract_all(Path(sys.argv[2]))
    else:
        main()
