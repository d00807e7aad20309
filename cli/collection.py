"""`miolo status`, `export` and `similar`: what `batch` and `crawl` have written."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import EmptyInputError
from ..models.site_folder import SiteFolder
from .choice_options import argument, check_names, choice, option
from .console import counted, print_note, print_rows
from .render_options import QUIET
from .shared_options import FIGURES_FORMAT, SITE_FILES, TEXT_FORMAT

if TYPE_CHECKING:
    from ..collect.collections.collection import Collection, Status

SHARES = {"half": "median visit", "nine_tenths": "90th percentile"}
"""Names of the quantiles of `Status.seconds`."""

FILES = (".jsonl", ".json", ".csv", ".parquet", ".md")
"""Suffixes of files that somebody may expect of an export, which writes a folder."""

FOLDER = argument(
    ..., "DIR", "A collection, or a folder of snapshots.", exists=True, file_okay=False
)


def _tables(value: str | None) -> str | None:
    if value is not None:
        check_names(value.split(","), ("pages", "nodes", "blocks", "texts", "labels"))
    return value


def status(
    folder: Path = FOLDER,
    watch: float = option(0.0, "Seconds to watch a run in order to measure its rate.", min=0),
    failed: bool = option(
        False,
        "List each failure: address, error, number of visits, and the page that links to it.",
        "--failed",
    ),
    form: str = FIGURES_FORMAT,
) -> None:
    """Show the state of a collection: pages, failures, hosts, times and sizes."""
    from ..collect.collections.collection import Collection, status_of

    collection = _present(Collection(folder))
    if failed:
        print_failures(collection, form)
        return
    rate = None
    if watch:
        started, before = time.monotonic(), collection.counts()
        time.sleep(watch)
        after, elapsed = collection.counts(), time.monotonic() - started
        ended = after.done + after.failed - before.done - before.failed
        rate = round(ended / elapsed, 3)
    status = status_of(collection)
    if form == "json":
        print_rows(json.dumps(asdict(status) | {"pages_per_second": rate}))
        return
    for line in _lines(status, rate):
        print_rows(line)


def _present(collection: Collection) -> Collection:
    """A collection, whose folder must have pages."""
    if collection.is_missing:
        raise EmptyInputError(
            f"{collection.path} has neither the state of a run (state.sqlite) nor snapshots "
            "(*.miolo)"
        )
    return collection


def export(
    folder: Path = FOLDER,
    output: Path = option(..., "Folder to write to.", "--output", "-o", file_okay=False),
    tables: str | None = option(
        None,
        "Tables to write, separated by commas: pages, nodes, blocks, texts, labels. "
        "By default all.",
        callback=_tables,
    ),
    method: str | None = option(
        None,
        "Extract again with this method; by default use the run's results.",
        "--method",
        "-m",
    ),
    sites: Path | None = SITE_FILES,
    labels_as: str | None = choice(
        None,
        ("roles", "label-studio", "web-poet", "web-scraper"),
        "Write only the labels, in a format for other programs.",
    ),
    quiet: bool = QUIET,
) -> None:
    """Export a collection as Parquet tables with a data card, or its labels in other formats."""
    if output.suffix in FILES and not output.exists():
        raise typer.BadParameter(
            f"{output} would be a folder of tables; {folder}/results.jsonl has a line of JSON for "
            "each page, with its text and Markdown"
        )
    if output.resolve() == folder.resolve():
        raise typer.BadParameter("--output must be another folder than the collection")
    if labels_as is not None:
        _export_labels(folder, output, labels_as)
        return
    from ..collect.collections.collection import Collection

    collection, site = Collection(folder, log=print_note), sites and SiteFolder(sites)
    names = tables.split(",") if tables else None
    result = collection.export(output, names, method=method, site=site)
    for name, size in result.tables.items():
        sizes = ((size.rows, "row"), (size.bytes, "byte"), (size.parts, "file"))
        print_note(f"{name}: {', '.join(counted(number, noun) for number, noun in sizes)}")
    print_note(f"written to {output} with a data card, README.md; fill in its licence")


def _export_labels(folder: Path, output: Path, form: str) -> None:
    from ..collect.labels.label_files import write_fixtures, write_role_lines
    from ..collect.labels.label_studio import write_label_studio
    from ..collect.labels.site_maps import write_site_maps
    from ..collect.labels.store import LabelStore, files_left_out

    with LabelStore(folder) as store:
        left_out, custom = files_left_out(store, print_note), store.custom_roles()
        pages = [page for page in store.labelled_pages() if page.file not in left_out]
        final = [first for first, *_ in store.final_pages() if first.file not in left_out]
    if form == "web-poet":
        pages, file = final, write_fixtures(final, folder, output)
    elif form == "web-scraper":
        pages, (file, fits) = final, write_site_maps(final, folder, output)
        for fit in fits:
            about = f"{fit.selector} (F1 {fit.f1:.2f})" if fit.selector else "no fitting selector"
            print_rows(f"{fit.site}\t{fit.name}\t{about}")
    elif form == "label-studio":
        file, missing = write_label_studio(pages, folder, output, custom)
        if missing:
            print_note(f"{counted(missing, 'label')} left out: their blocks are not in the HTML")
    else:
        file = write_role_lines(pages, output)
    print_note(f"{counted(len(pages), 'set')} of page labels written to {file}")


def print_failures(collection: Collection, form: str) -> None:
    """Print the failures of a collection, one per line or as JSON Lines."""
    linked_from = collection.referrers()
    page = None
    for page in collection.failures():
        names = ("url", "kind", "error", "http_status", "tries")
        row = {name: getattr(page, name) for name in names}
        row["linked_from"] = linked_from.get(page.id)
        if form == "json":
            typer.echo(json.dumps(row, ensure_ascii=False))
            continue
        source = f", linked from {row['linked_from']}" if row["linked_from"] else ""
        visits = counted(page.tries, "visit")
        error = (page.error or "").removeprefix(page.url).lstrip(": ")
        print_rows(f"{page.url}\t{page.kind} after {visits}: {error}{source}")
    if page is None:
        print_note("no page has failed")


def _lines(status: Status, rate: float | None) -> Iterator[str]:
    yield from (f"{count:>12,} {state}" for state, count in status.states.items())
    yield from (f"{count:>12,} failed with {kind}" for kind, count in status.failures.items())
    yield f"{status.hosts:>12,} {'host' if status.hosts == 1 else 'hosts'}"
    for host in status.largest_hosts:
        name = host.host or "files"
        yield f"{host.pages:>12,}   {name}: {host.done:,} done, {host.failed:,} failed"
    for share, seconds in status.seconds.items():
        if seconds is not None:
            yield f"{seconds:>12.2f} s {SHARES[share]}"
    if status.confidence is not None:
        mean, doubtful = status.confidence.mean, status.confidence.doubtful
        texts = counted(status.confidence.texts, "text")
        yield f"{mean:>12.2f} mean confidence of {texts}, {doubtful:,} more likely wrong than right"
    if status.labels is not None:
        for state, count in asdict(status.labels).items():
            yield f"{count:>12,} {state}"
    if rate is not None:
        yield f"{rate:>12.2f} pages per second"
    yield from (f"{size / 1e6:>12,.1f} MB {name}" for name, size in status.bytes.items() if size)
    if status.is_interrupted:
        yield "interrupted: run the same command again to continue"


def similar(
    folders: list[Path] = argument(..., "DIR", "Collections.", exists=True, file_okay=False),
    min_similarity: float = option(
        0.8, "Minimum share of five-word sequences in common.", min=0.1, max=0.99
    ),
    form: str = TEXT_FORMAT,
    quiet: bool = QUIET,
) -> None:
    """List pages with nearly the same text, within and across collections."""
    from ..collect.collections.collection import Collection
    from ..collect.collections.similar import similar_pages

    collections = [_present(Collection(folder, log=print_note)) for folder in folders]
    pair = None
    for pair in similar_pages(collections, min_similarity):
        if form == "json":
            row = asdict(pair) | {
                "collection": str(folders[pair.collection]),
                "earlier_collection": str(folders[pair.earlier_collection]),
            }
            typer.echo(json.dumps(row, ensure_ascii=False))
        else:
            print_rows(f"{pair.similarity:.2f}\t{pair.url}\t{pair.earlier_url}")
    if pair is None:
        print_note("no two pages have nearly the same text")
