"""`miolo batch` and `crawl`: extract many pages into a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from ..collect.batch.hosts import Politeness
from ..collect.batch.jobs import Counts
from ..extract.options import ExtractOptions
from ..models.site_folder import SiteFolder
from ..renderer.network.policy import EgressPolicy
from ..renderer.options import OPTIONS, RenderOptions
from .choice_options import argument, choice, existing_file, option
from .console import Ticker, counted, print_note, print_rows, progress_bar, with_hint
from .page_sources import listed_source, report_private_host, typed_address, warn_of_root
from .shared_options import with_extract_options, with_page_options, with_values

if TYPE_CHECKING:
    from ..collect.batch.batch_options import BatchOptions, Kept
    from ..collect.batch.runner import OnProgress, Progress
    from ..collect.collections.collection import Collection
    from ..collect.crawl.learning import LearnedNote
    from ..collect.crawl.update import UpdateCounts
    from ..collect.frontier.scope import Reach
    from ..renderer.options import BrowserUse


def _list_file(value: str) -> str:
    if value.lower().startswith(("http://", "https://")):
        raise typer.BadParameter(
            f"{value} is not a list: use `miolo extract` for a page or `miolo crawl` for a site; "
            "the pages of a feed are listed by `miolo links URL -f json > pages.jsonl`"
        )
    if Path(value).is_dir():
        raise typer.BadParameter(
            f"{value} is a folder: `find {value} -name '*.html' | miolo batch - --files` reads its "
            "files"
        )
    if value != "-" and not Path(value).exists():
        raise typer.BadParameter(f"there is no file {value}")
    return value


@dataclass(frozen=True)
class RunChoices:
    """What is chosen in the same way for batches and crawls."""

    output: Path = option(..., "Folder of the collection.", "--output", "-o", file_okay=False)
    screenshots: bool = option(False, "Keep each page's screenshot.", "--screenshots")
    archive: Path | None = existing_file("Load all pages from this archive.")
    browsers: int | None = option(
        None, "Number of Chromium processes; by default based on the cores.", min=1
    )
    pages_at_once: int = option(4, "Open pages per Chromium.", min=1)
    delay: float = option(0.5, "Seconds between visits to the same host.", min=0)
    per_host: int = option(2, "Concurrent visits per host.", min=1)
    min_confidence: float = option(
        0.0,
        "Count pages as failed whose text is right with a probability below this; their rows and "
        "files are kept.",
        min=0,
        max=1,
        metavar="P",
    )
    retry_failed: bool = option(False, "Retry pages that failed permanently.", "--retry-failed")
    parquet: bool = option(False, "Write results.parquet at the end.", "--parquet")

    def options(
        self, render: RenderOptions, extract: ExtractOptions, browsers: int, **more: Any
    ) -> BatchOptions:
        """Options of the run, with a default number of browsers."""
        from ..collect.batch.batch_options import BatchOptions

        return BatchOptions(
            render=render,
            extract=extract,
            browsers=self.browsers or browsers,
            pages=self.pages_at_once,
            politeness=Politeness(self.delay, self.per_host),
            min_confidence=self.min_confidence,
            **{"replay": self.archive, **more},
        )


@with_page_options
@with_extract_options
@with_values("run", RunChoices)
def batch(
    options: RenderOptions,
    extract: ExtractOptions,
    run: RunChoices,
    pages: str = argument(
        ...,
        "FILE",
        "List of URLs or files: lines, JSON Lines, CSV, Parquet or a feed; - for stdin; or an "
        "archive (WARC, WACZ, HAR), of which all pages are read.",
        callback=_list_file,
    ),
    column: str | None = option(
        None, "Column of a CSV or Parquet file, or key of JSON Lines; by default url."
    ),
    files: bool = option(
        False, "Let any line name a file, not only those with ./ or /.", "--files"
    ),
    snapshots: bool = option(False, "Keep each page's snapshot.", "--snapshots"),
    record: bool = option(
        False, "Record everything that is loaded in archive.warc.gz.", "--record"
    ),
    har: bool = option(False, "Record everything that each page loads in a HAR file.", "--har"),
    robots: bool = option(False, "Obey robots.txt.", "--robots"),
    browser: str | None = choice(
        None,
        OPTIONS["browser"].kind.choices,
        "Render every page (always), no page (never), or those whose article needs it (auto). By "
        "default auto, for an archive never, or always if a kept file or an action needs the "
        "browser.",
    ),
    private: bool = option(
        False,
        "Let pages reach any address, or no private address. By default, no private address.",
        "--allow-private/--no-private",
    ),
) -> None:
    """Extract many pages into a folder; run it again to resume."""
    from ..collect.batch.batch_options import BROWSERS, MOSTLY_PLAIN_BROWSERS, Kept
    from ..collect.batch.lists import read_list
    from ..collect.batch.run_batch import queue_list, run_queue
    from ..renderer.archives.open_archive import open_archive
    from ..renderer.network.source_kinds import is_archive_file

    kept = Kept(snapshots, run.screenshots, record, har)
    is_archive = pages != "-" and is_archive_file(Path(pages))
    if is_archive and (run.archive or column or files):
        raise typer.BadParameter(
            f"{pages} is an archive, which needs no --archive, --column or --files"
        )
    use = cast("BrowserUse", browser or _browser_use(options, kept, is_archive=is_archive))
    egress = EgressPolicy("always" if private else "never", options.egress.allowed)
    for gap in missing_later(kept, use):
        print_note(gap)
    browsers = BROWSERS if use == "always" else MOSTLY_PLAIN_BROWSERS
    more = {"replay": Path(pages)} if is_archive else {}
    try:
        render = replace(options, browser=use, egress=egress)
        chosen = run.options(render, extract, browsers, robots=robots, kept=kept, **more)
    except ValueError as error:
        raise typer.BadParameter(f"--browser {use}: {error}") from None
    with (
        open_archive(Path(pages)) if is_archive else nullcontext() as opened,
        show_progress() as on_progress,
    ):
        read = partial(read_list, pages, column, partial(listed_source, files=files))
        with _note_if_interrupted("no page was added: run the same command again to begin"):
            urls = opened.pages() if opened else read()
            queue_list(run.output, urls, chosen, retry_failed=run.retry_failed)
        with _note_if_interrupted(CONTINUE):
            counts = asyncio.run(run_queue(run.output, chosen, on_progress=on_progress))
    notes = chain(_site_notes(counts, run.output, extract), retry_notes(counts))
    code = FAILED if counts.failed else 0
    _finish(counts, run, "run the same command again", notes, code)


@with_page_options
@with_extract_options
@with_values("run", RunChoices)
def crawl(
    options: RenderOptions,
    extract: ExtractOptions,
    run: RunChoices,
    url: str = argument(..., "URL", "URL of the first page.", callback=typed_address),
    pages: int = option(200, "Maximum number of pages.", min=1),
    reach: str = choice(
        "site", ("site", "host", "path"), "Follow links to the same site, host or path."
    ),
    robots: bool = option(True, "Obey robots.txt and nofollow.", "--robots/--no-robots"),
    listings: bool = option(True, "Read sitemaps and feeds.", "--listings/--no-listings"),
    update: bool = option(False, "Revisit pages that have changed since the last run.", "--update"),
    learn: bool = option(
        False, "Learn the site from the first pages, and read all with it, these too.", "--learn"
    ),
) -> None:
    """Visit the pages of a site and save them with their articles."""
    from ..collect.batch.batch_options import BROWSERS, Kept
    from ..collect.crawl.run_crawl import run_crawl

    renders_all = options.browser == "always"
    if run.screenshots and not renders_all:
        raise typer.BadParameter("screenshots need --browser always")
    if update and run.archive is not None:
        raise typer.BadParameter("--update checks the live site and cannot be used with --archive")
    if learn and extract.site is not None:
        raise typer.BadParameter("--learn learns the site anew: use it without --sites")
    kept = Kept(
        snapshots=True,
        screenshots=run.screenshots,
        archive=run.archive is None and renders_all,
    )
    with show_progress() as on_progress, _note_if_interrupted(CONTINUE):
        work = run_crawl(
            run.output,
            url,
            run.options(options, extract, BROWSERS, robots=robots, kept=kept, learn=learn),
            pages=pages,
            reach=cast("Reach", reach),
            listings=listings,
            retry_failed=run.retry_failed,
            update=update,
            on_update=_show_update,
            on_progress=on_progress,
            on_grant=report_private_host,
            on_learned=_show_learned,
        )
        counts = asyncio.run(work)
    notes = _site_notes(counts, run.output, extract)
    # Failed pages are normal in a crawl and do not make it fail.
    code = 0 if counts.done else FAILED
    _finish(counts, run, "use a larger --pages to continue with them", notes, code)


def _browser_use(options: RenderOptions, kept: Kept, *, is_archive: bool) -> BrowserUse:
    """Use of the browser if `--browser` is absent: always if a kept file or action needs it."""
    if kept.needs_browser or options.acts:
        return "always"
    if is_archive:
        return "never"
    return options.browser if options.browser != "always" else "auto"


FAILED = 1

CONTINUE = "run the same command again to continue"


def missing_later(kept: Kept, browser: str) -> Iterator[str]:
    """Sentences that name what later steps will miss, and the option that keeps it."""
    if not kept.snapshots:
        yield (
            "snapshots are not kept: use --snapshots if you want to label pages, learn a site, run "
            "`evaluate --collection` or export the tables nodes and blocks"
        )
    elif not kept.screenshots and browser == "always":
        yield (
            "screenshots are not kept: the label queue can show only texts; use --screenshots to "
            "keep them"
        )
    elif browser != "always":
        yield (
            "snapshots of pages that are read without a browser have no boxes and no screenshot: "
            "use --screenshots to label pages beside their screenshots"
        )


def _site_notes(counts: Counts, folder: Path, extract: ExtractOptions) -> Iterator[str]:
    """How many pages the learned sites of --sites were used for, since other hosts have none."""
    from ..collect.collections.collection import Collection
    from ..extract.methods.registry import find_method

    site, method = extract.site, find_method(extract.method)
    if not isinstance(site, SiteFolder):
        return
    if not (method.uses_site or method.needs_site):
        yield f"the method {extract.method} uses no learned site, so that --sites changes nothing"
    else:
        hosts = Collection(folder).hosts()
        learned = sum(host.done for host in hosts if site.file_of(host.host))
        yield f"{learned:,} of {counted(counts.done, 'page')} read with a learned site"


def retry_notes(counts: Counts) -> Iterator[str]:
    """How the failed pages of a list can be visited again."""
    if counts.passing:
        yield f"the same command retries {counts.passing:,} of {counted(counts.failed, 'failure')}"
    # What the egress policy refused is visited again when it has changed.
    apart = sum(counts.kinds.get(kind, 0) for kind in ("BadLineError", "EgressRefusedError"))
    if counts.failed > counts.passing + apart:
        which = "the others" if counts.passing else "them"
        yield f"use --retry-failed to visit {which} again"


@contextmanager
def _note_if_interrupted(advice: str) -> Iterator[None]:
    """After Ctrl-C, state what was kept and how to continue."""
    try:
        yield
    except KeyboardInterrupt:
        print_note(f"interrupted: {advice}")
        raise


def _show_learned(note: LearnedNote) -> None:
    from ..models.site import Site
    from .learn import site_lines

    if note.changed:
        print_note("pages no longer match what was learned: the site is learned anew")
    for line in site_lines(Site.load(note.file), note.file):
        print_note(line)
    print_note(f"{counted(note.again, 'earlier page')} read again, without a visit")


def _show_update(updated: UpdateCounts) -> None:
    print_note(
        f"{counted(updated.checked, 'page')} checked: {updated.changed:,} changed, "
        f"{updated.failed:,} could not be requested"
    )


def _finish(counts: Counts, run: RunChoices, queued: str, notes: Iterable[str], code: int) -> None:
    """Print what a run has done, and end the command with a code."""
    from ..collect.collections.collection import Collection

    collection = Collection(run.output)
    if run.parquet:
        collection.export_results()
    _show(counts, collection, queued)
    for note in notes:
        print_note(note)
    if code:
        raise typer.Exit(code)


@contextmanager
def show_progress() -> Iterator[OnProgress]:
    """Progress bar on standard error, and a note once a browser starts without a sandbox."""
    warn, ticker = cache(warn_of_root), Ticker()
    with progress_bar() as bar:
        task = bar.add_task("starting", total=None) if bar else None

        def on_progress(progress: Progress) -> None:
            if progress.has_browser:
                warn()
            ended = progress.done + progress.failed
            total, description = progress.total, _describe(progress)
            if bar is None or task is None:
                line = f"{progress.done:,} of {total:,} pages done"
                ticker.print(lambda: ", ".join(filter(None, (line, description))))
                return
            if bar.tasks[0].total is None:
                # Pages of an earlier run do not count towards this run's rate.
                bar.reset(task, total=total, completed=ended, description=description)
            else:
                bar.update(task, total=total, completed=ended, description=description)

        yield on_progress


def _describe(progress: Progress) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(progress.kinds.items()))
    parts = [f"{progress.failed:,} failed: {kinds}"] if kinds else []
    return ", ".join([*parts, f"short of {progress.short}"] if progress.short else parts)


def _show(counts: Counts, collection: Collection, queued: str) -> None:
    """Print the number of pages by state, and of failed pages by reason with the first message."""
    rows = {
        f"done, saved in {collection.path}": counts.done,
        "most likely incomplete without a browser: use --browser auto in another folder": (
            counts.incomplete
        ),
        f"queued: {queued}": counts.queued,
        "links not queued because the queue was full": counts.dropped,
        "duplicate: visited under another address": counts.duplicates,
    }
    messages = _first_messages(counts, collection)
    for kind, count in sorted(counts.kinds.items(), key=lambda pair: -pair[1]):
        rows[f"failed with {kind}, first: {with_hint(messages.get(kind, ''), kind)}"] = count
    for place, (row, count) in enumerate(rows.items()):
        if count or not place:
            print_rows(f"{count:>8,} {row}", err=True)
    if counts.failed:
        print_note(f"`miolo status {collection.path} --failed` lists the failures")


def _first_messages(counts: Counts, collection: Collection) -> dict[str, str]:
    """The message of the first failed page of each kind."""
    messages: dict[str, str] = {}
    left = set(counts.kinds)
    failures = collection.failures()
    while left and (page := next(failures, None)):
        if page.kind in left:
            left.remove(page.kind)
            message = page.error or ""
            # Most messages name their page.
            messages[page.kind] = message if page.url in message else f"{page.url}: {message}"
    return messages
