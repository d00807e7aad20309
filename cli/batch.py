"""`miolo batch` and `crawl`: extract many pages into a folder; `links`: what a page leads to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ..collect.batch.hosts import Politeness
from ..collect.batch.jobs import Counts
from ..extract.options import ExtractOptions
from ..models.site_folder import SiteFolder
from ..renderer.network.policy import EgressPolicy
from ..renderer.options import OPTIONS, RenderOptions
from .choice_options import choice, existing_file, option
from .console import Ticker, counted, print_note, print_rows, progress_bar, with_hint
from .page_sources import (
    lazy_renderer,
    listed_source,
    named_options,
    report_private_host,
    typed_address,
    typed_source,
    warn_of_root,
)
from .shared_options import TextFormat, with_extract_options, with_page_options

if TYPE_CHECKING:
    from ..collect.batch.batch_options import Kept
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
    return value


Folder = Annotated[
    Path, typer.Option("--output", "-o", file_okay=False, help="Folder of the collection.")
]
Snapshots = Annotated[bool, typer.Option("--snapshots", help="Keep each page's snapshot.")]
Screenshots = Annotated[bool, typer.Option("--screenshots", help="Keep each page's screenshot.")]
Archive = Annotated[
    Path | None,
    existing_file(help="Load all pages from this archive."),
]
Browsers = Annotated[
    int | None,
    typer.Option(min=1, help="Number of Chromium processes; by default based on the cores."),
]
AtOnce = Annotated[int, typer.Option("--pages-at-once", min=1, help="Open pages per Chromium.")]
Delay = Annotated[float, typer.Option(min=0, help="Seconds between visits to the same host.")]
PerHost = Annotated[int, typer.Option("--per-host", min=1, help="Concurrent visits per host.")]
Private = Annotated[
    bool,
    typer.Option(
        "--allow-private/--no-private",
        help="Let pages reach any address, or no private address. By default, no private address.",
    ),
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", help="Retry pages that failed permanently.")
]
MinConfidence = Annotated[
    float,
    typer.Option(
        "--min-confidence",
        min=0,
        max=1,
        metavar="P",
        help="Count pages as failed whose text is right with a probability below this; their rows "
        "and files are kept.",
    ),
]
Parquet = Annotated[bool, typer.Option("--parquet", help="Write results.parquet at the end.")]


@with_page_options
@with_extract_options
def batch(
    pages: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            callback=_list_file,
            help="List of URLs or files: lines, JSON Lines, CSV, Parquet or a feed; - for stdin; "
            "or an archive (WARC, WACZ, HAR), of which all pages are read.",
        ),
    ],
    options: RenderOptions,
    extract: ExtractOptions,
    output: Folder,
    column: str | None = option(
        None, "Column of a CSV or Parquet file, or key of JSON Lines; by default url."
    ),
    files: bool = option(
        False, "Let any line name a file, not only those with ./ or /.", "--files"
    ),
    snapshots: Snapshots = False,
    screenshots: Screenshots = False,
    record: bool = option(
        False, "Record everything that is loaded in archive.warc.gz.", "--record"
    ),
    har: bool = option(False, "Record everything that each page loads in a HAR file.", "--har"),
    archive: Archive = None,
    browsers: Browsers = None,
    pages_at_once: AtOnce = 4,
    delay: Delay = 0.5,
    per_host: PerHost = 2,
    robots: bool = option(False, "Obey robots.txt.", "--robots"),
    min_confidence: MinConfidence = 0.0,
    retry_failed: RetryFailed = False,
    browser: Annotated[
        str | None,
        choice(
            OPTIONS["browser"].kind.choices,
            help="Render every page (always), no page (never), or those whose article needs it "
            "(auto). By default auto, for an archive never, or always if a kept file or an action "
            "needs the browser.",
        ),
    ] = None,
    parquet: Parquet = False,
    private: Private = False,
) -> None:
    """Extract many pages into a folder; run it again to resume."""
    from ..collect.batch.batch_options import BROWSERS, MOSTLY_PLAIN_BROWSERS, BatchOptions, Kept
    from ..collect.batch.lists import read_list
    from ..collect.batch.run_batch import queue_list, run_queue
    from ..renderer.archives.open_archive import open_archive
    from ..renderer.network.source_kinds import is_archive_file

    kept = Kept(snapshots, screenshots, record, har)
    is_archive = pages != "-" and is_archive_file(Path(pages))
    if is_archive and (archive or column or files):
        raise typer.BadParameter(
            f"{pages} is an archive, which needs no --archive, --column or --files"
        )
    use = cast("BrowserUse", browser or _browser_use(options, kept, is_archive=is_archive))
    egress = EgressPolicy("always" if private else "never", options.egress.allowed)
    for gap in missing_later(kept, use):
        print_note(gap)
    try:
        chosen = BatchOptions(
            render=replace(options, browser=use, egress=egress),
            extract=extract,
            browsers=browsers or (BROWSERS if use == "always" else MOSTLY_PLAIN_BROWSERS),
            pages=pages_at_once,
            politeness=Politeness(delay, per_host),
            robots=robots,
            kept=kept,
            min_confidence=min_confidence,
            replay=Path(pages) if is_archive else archive,
        )
    except ValueError as error:
        raise typer.BadParameter(f"--browser {use}: {error}") from None
    with (
        open_archive(Path(pages)) if is_archive else nullcontext() as opened,
        show_progress() as on_progress,
    ):
        read = partial(read_list, pages, column, partial(listed_source, files=files))
        with _note_if_interrupted("no page was added: run the same command again to begin"):
            urls = opened.pages() if opened else read()
            queue_list(output, urls, chosen, retry_failed=retry_failed)
        with _note_if_interrupted(CONTINUE):
            counts = asyncio.run(run_queue(output, chosen, on_progress=on_progress))
    notes = chain(_site_notes(counts, output, extract.site), retry_notes(counts))
    _finish(counts, output, "run the same command again", parquet, notes=notes)


@with_page_options
@with_extract_options
def crawl(
    url: Annotated[
        str, typer.Argument(metavar="URL", callback=typed_address, help="URL of the first page.")
    ],
    options: RenderOptions,
    extract: ExtractOptions,
    output: Folder,
    pages: int = option(200, "Maximum number of pages.", min=1),
    reach: Annotated[
        str, choice(("site", "host", "path"), help="Follow links to the same site, host or path.")
    ] = "site",
    screenshots: Screenshots = False,
    archive: Archive = None,
    browsers: Browsers = None,
    pages_at_once: AtOnce = 4,
    delay: Delay = 0.5,
    per_host: PerHost = 2,
    robots: bool = option(True, "Obey robots.txt and nofollow.", "--robots/--no-robots"),
    listings: bool = option(True, "Read sitemaps and feeds.", "--listings/--no-listings"),
    min_confidence: MinConfidence = 0.0,
    retry_failed: RetryFailed = False,
    parquet: Parquet = False,
    update: bool = option(False, "Revisit pages that have changed since the last run.", "--update"),
    learn: bool = option(
        False, "Learn the site from the first pages, and read all with it, these too.", "--learn"
    ),
) -> None:
    """Visit the pages of a site and save them with their articles."""
    from ..collect.batch.batch_options import BROWSERS, BatchOptions, Kept
    from ..collect.crawl.run_crawl import run_crawl

    renders_all = options.browser == "always"
    if screenshots and not renders_all:
        raise typer.BadParameter("screenshots need --browser always")
    if update and archive is not None:
        raise typer.BadParameter("--update checks the live site and cannot be used with --archive")
    if learn and extract.site is not None:
        raise typer.BadParameter("--learn learns the site anew: use it without --sites")
    chosen = BatchOptions(
        render=options,
        extract=extract,
        browsers=browsers or BROWSERS,
        pages=pages_at_once,
        politeness=Politeness(delay, per_host),
        robots=robots,
        kept=Kept(
            snapshots=True,
            screenshots=screenshots,
            archive=archive is None and options.browser == "always",
        ),
        min_confidence=min_confidence,
        learn=learn,
        replay=archive,
    )
    with show_progress() as on_progress, _note_if_interrupted(CONTINUE):
        work = run_crawl(
            output,
            url,
            chosen,
            pages=pages,
            reach=cast("Reach", reach),
            listings=listings,
            retry_failed=retry_failed,
            update=update,
            on_update=_show_update,
            on_progress=on_progress,
            on_grant=report_private_host,
            on_learned=_show_learned,
        )
        counts = asyncio.run(work)
    # Failed pages are normal in a crawl and do not make it fail.
    code = 0 if counts.done else FAILED
    notes = _site_notes(counts, output, extract.site)
    _finish(
        counts, output, "use a larger --pages to continue with them", parquet, code, notes=notes
    )


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


def _site_notes(counts: Counts, folder: Path, site: object) -> Iterator[str]:
    """How many pages the learned sites of --sites were used for, since other hosts have none."""
    from ..collect.collections.collection import Collection

    if isinstance(site, SiteFolder):
        hosts = Collection(folder).hosts()
        learned = sum(host.done for host in hosts if site.file_of(host.host))
        yield f"{learned:,} of {counted(counts.done, 'page')} read with a learned site"


def retry_notes(counts: Counts) -> Iterator[str]:
    """How the failed pages of a list can be visited again."""
    if counts.passing:
        yield f"the same command retries {counts.passing:,} of {counted(counts.failed, 'failure')}"
    if counts.failed > counts.passing + counts.kinds.get("BadLineError", 0):
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


def _finish(
    counts: Counts,
    folder: Path,
    queued: str,
    parquet: bool,
    code: int | None = None,
    *,
    notes: Iterable[str] = (),
) -> None:
    from ..collect.collections.collection import Collection

    collection = Collection(folder)
    if parquet:
        collection.export_results()
    _show(counts, collection, queued)
    for note in notes:
        print_note(note)
    ended = (FAILED if counts.failed else 0) if code is None else code
    if ended:
        raise typer.Exit(ended)


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


def _page_source(text: str) -> str:
    source = typed_source(text)
    with suppress(OSError, ValueError):  # not a valid name, for example too long
        if Path(source).is_file():
            return source
    return typed_address(text)


@with_page_options
def links(
    url: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            callback=_page_source,
            help="URL or file of a page, feed or sitemap.",
        ),
    ],
    options: RenderOptions,
    reach: Annotated[
        str,
        choice(
            ("any", "site", "host", "path"), help="List only links to the same site, host or path."
        ),
    ] = "any",
    listed: bool = option(False, "Read feeds and sitemaps and list their pages.", "--listed"),
    form: TextFormat = "text",
) -> None:
    """List the links, feeds and sitemaps of a page, or the pages that these list."""
    from ..collect.frontier.listing import Lead, find_leads

    within = None if reach == "any" else cast("Reach", reach)

    async def find() -> list[Lead]:
        async with lazy_renderer(options) as renderer:
            own = await named_options(renderer, url, options)
            is_address = url.lower().startswith(("http://", "https://"))
            source = url if is_address else Path(url)
            return await find_leads(renderer, source, own, reach=within, listed=listed)

    leads = asyncio.run(find())
    if not leads:
        limit = " within its reach (--reach)" if within else ""
        print_note(f"{url} has no links{limit}")
    for lead in leads:
        if form == "json":
            typer.echo(json.dumps(asdict(lead), ensure_ascii=False))
        else:
            print_rows("\t".join(filter(None, (lead.kind, lead.url, lead.date))))
