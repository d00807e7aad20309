"""Extraction of hostile pages, in every format, under limits of time and memory.

    python benchmarks/extraction_attacks.py FOLDER

Each snapshot (`*.miolo`) in the folder is extracted by `auto` and written in each format, in its
own process, forked from one that has loaded everything. Prints a line of JSON for each snapshot.
`attacks.py` runs this program on the snapshots of the hostile pages.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import resource
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic

import miolo
from attack_table import Row
from miolo.extract.methods.registry import DEFAULT_METHOD
from miolo.extract.warm_up import warm_up

__all__ = ["extraction_rows"]

FORMATS = ("text", "markdown", "html", "json", "csv", "tei", "chunks")
FORKS = multiprocessing.get_context("fork")
CPU_SECONDS, WALL_SECONDS, ADDRESS_SPACE = 30, 60, 6 << 30


async def extraction_rows(folder: Path) -> AsyncIterator[Row]:
    """A row for each snapshot in a folder; each format is a part of the row."""
    command = (sys.executable, __file__, str(folder))
    work = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert work.stdout is not None
    async for line in work.stdout:
        record = json.loads(line)
        written = record["written"]
        faults = tuple(f"{form}: {record['end']}" for form in FORMATS if form not in written)
        outcome = f"{len(written)} of {len(FORMATS)} formats written"
        yield Row(record["name"], outcome, record["seconds"], faults, parts=len(FORMATS))
    if await work.wait():
        yield Row("all", f"exit code {work.returncode}", 0.0, ("the extraction ended",))


def main() -> None:
    """Extract each snapshot of a folder, and print the outcome."""
    warm_up(DEFAULT_METHOD)
    for path in sorted(Path(sys.argv[1]).glob("*.miolo")):
        started = monotonic()
        written, end = extract_aside(path)
        record = {"name": path.stem, "end": end, "written": written}
        print(json.dumps({**record, "seconds": monotonic() - started}), flush=True)


def extract_aside(path: Path) -> tuple[list[str], str]:
    """Formats of a snapshot that a separate process writes, and how the process ended."""
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
    return written, end


def extract_within_limits(path: Path, written: Connection) -> None:
    """Extract a snapshot, write it and send each finished format, unless a limit ends that."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    extraction = miolo.extract_snapshot(miolo.Snapshot.load(path))
    for form in FORMATS:
        miolo.format_extraction(extraction, form)
        written.send(form)


if __name__ == "__main__":
    main()
