"""What `miolo status` and `miolo export` do."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from ..collect.collections.collection import Collection
from ..collect.collections.status import Status, status_of
from .console import print_error, print_rows

__all__ = ["export_folder", "tell_status"]


def export_folder(
    folder: Path, output: Path, tables: Sequence[str] | None, method: str | None
) -> None:
    """Write the tables, and say how large they are."""
    made = Collection(folder, log=print_error).export(output, tables, method=method)
    for name, size in made.tables.items():
        print_error(f"{name}: {size.rows:,} rows, {size.bytes:,} bytes, {size.parts} files")
    print_error(f"written to {output} with a data card, README.md; its licence is to be filled in")


def tell_status(folder: Path, watch: float, form: str) -> None:
    """Print how a collection stands, and how fast a run is."""
    collection = Collection(folder)
    rate = _rate(collection, watch) if watch else None
    status = status_of(collection)
    if form == "json":
        print_rows(json.dumps(asdict(status) | {"pages_per_second": rate}))
        return
    for line in _lines(status, rate):
        print_rows(line)


def _rate(collection: Collection, seconds: float) -> float:
    """Pages that end in a second."""
    started, before = time.monotonic(), collection.counts()
    time.sleep(seconds)
    after, elapsed = collection.counts(), time.monotonic() - started
    return round((after.done + after.failed - before.done - before.failed) / elapsed, 3)


def _lines(status: Status, rate: float | None) -> Iterator[str]:
    yield from (f"{count:>12,} {state}" for state, count in status.states.items())
    yield from (f"{count:>12,} failed by {kind}" for kind, count in status.failures.items())
    yield f"{status.hosts:>12,} hosts"
    for host in status.largest_hosts:
        name = host.host or "files"
        yield f"{host.pages:>12,}   {name}: {host.done:,} done, {host.failed:,} failed"
    for share, seconds in status.seconds.items():
        if seconds is not None:
            yield f"{seconds:>12.2f} seconds at most took {share.replace('_', ' ')} of the visits"
    if rate is not None:
        yield f"{rate:>12.2f} pages a second"
    yield from (f"{size / 1e6:>12,.1f} MB {name}" for name, size in status.bytes.items() if size)
