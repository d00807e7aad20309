"""What `miolo batch` and `miolo crawl` do and show."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import typer

from ..collect.batch.lists import read_list
from ..collect.batch.options import BatchOptions
from ..collect.batch.pages import Counts
from ..collect.batch.run import run_batch
from ..collect.batch.runner import OnProgress, Progress
from ..collect.crawl.run import run_crawl
from ..collect.frontier.scope import Reach
from ..renderer.browser.chromium import runs_as_root
from .console import print_error, print_rows
from .sources import report_home

__all__ = ["batch_pages", "crawl_site"]

FAILED = 1


def batch_pages(
    pages: str,
    column: str | None,
    folder: Path,
    options: BatchOptions,
    *,
    retry_failed: bool,
    parquet: bool,
) -> None:
    """Work a list off; failed pages make the exit code 1."""
    urls = read_list(pages, column)
    with watched() as on_progress:
        work = run_batch(folder, urls, options, retry_failed=retry_failed, on_progress=on_progress)
        counts = _run(work)
    _finish(counts, folder, "run the same command again", parquet)


def crawl_site(
    url: str,
    folder: Path,
    options: BatchOptions,
    *,
    pages: int,
    reach: Reach,
    listings: bool,
    parquet: bool,
) -> None:
    """Visit a site's pages; failed ones are part of every crawl, and no failure of it."""
    with watched() as on_progress:
        work = run_crawl(
            folder,
            url,
            options,
            pages=pages,
            reach=reach,
            listings=listings,
            on_progress=on_progress,
            on_grant=report_home,
        )
        counts = _run(work)
    code = 0 if counts.done else FAILED
    _finish(counts, folder, "a larger --pages goes on with them", parquet, code)


def _run(work: Coroutine[None, None, Counts]) -> Counts:
    if runs_as_root():
        print_error("running as root: Chromium's sandbox is off")
    return asyncio.run(work)


def _finish(
    counts: Counts, folder: Path, queued: str, parquet: bool, code: int | None = None
) -> None:
    if parquet:
        from ..collect.collections.collection import Collection

        Collection(folder).export_results()
    _show(counts, folder, queued)
    ended = (FAILED if counts.failed else 0) if code is None else code
    if ended:
        raise typer.Exit(ended)


@contextmanager
def watched() -> Iterator[OnProgress]:
    """A bar with rate, failures and time left on standard error, where that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    started = monotonic()
    console = Console(stderr=True)
    with Bar(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task("starting")

        def on_progress(progress: Progress) -> None:
            ended = progress.done + progress.failed
            bar.update(
                task,
                total=ended + progress.left,
                completed=ended,
                description=_describe(progress, ended / max(monotonic() - started, 1e-9)),
            )

        yield on_progress


def _describe(progress: Progress, rate: float) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(progress.kinds.items()))
    parts = [f"{rate:.1f} pages/s", kinds, f"short of {progress.short}" if progress.short else ""]
    return ", ".join(part for part in parts if part)


def _show(counts: Counts, folder: Path, queued: str) -> None:
    """The collection's pages by state, and why pages failed."""
    print_rows(f"{counts.done:>8,} done, in {folder}", err=True)
    if counts.queued:
        print_rows(f"{counts.queued:>8,} queued: {queued}", err=True)
    if counts.dropped:
        print_rows(f"{counts.dropped:>8,} links not queued, since the queue was full", err=True)
    for kind, count in sorted(counts.kinds.items(), key=lambda pair: -pair[1]):
        print_rows(f"{count:>8,} failed by {kind}", err=True)
