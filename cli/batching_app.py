"""The commands for many pages: batch, crawl."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..renderer.options import RenderOptions
from .options import MethodOptions, with_method_options, with_page_options

__all__ = ["batching"]

batching = typer.Typer()


class Reach(StrEnum):
    """How far a crawl goes; the names of `miolo.collect.frontier.scope.REACHES`."""

    site = "site"
    host = "host"
    path = "path"


Folder = Annotated[
    Path, typer.Option("--output", "-o", file_okay=False, help="Folder of the collection.")
]
Snapshots = Annotated[bool, typer.Option("--snapshots", help="Keep each page's snapshot.")]
Screenshots = Annotated[bool, typer.Option("--screenshots", help="Keep each page's picture.")]
Archive = Annotated[
    Path | None,
    typer.Option(exists=True, dir_okay=False, help="Answer all pages from this archive."),
]
Browsers = Annotated[
    int | None, typer.Option(min=1, help="Chromiums; by the number of cores without.")
]
AtOnce = Annotated[int, typer.Option("--pages-at-once", min=1, help="Open pages of each.")]
Delay = Annotated[float, typer.Option(min=0, help="Seconds between visits of one host.")]
PerHost = Annotated[int, typer.Option("--per-host", min=1, help="Visits of one host at once.")]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", help="Visit again what has failed for good.")
]
Parquet = Annotated[bool, typer.Option("--parquet", help="Write results.parquet at the end.")]


@batching.command()
@with_page_options
@with_method_options
def batch(
    pages: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="URLs or files: lines, a column of CSV or Parquet, or - for lines."
        ),
    ],
    options: RenderOptions,
    how: MethodOptions,
    output: Folder,
    column: Annotated[str | None, typer.Option(help="Of CSV or Parquet; url without.")] = None,
    snapshots: Snapshots = False,
    screenshots: Screenshots = False,
    record: Annotated[
        bool, typer.Option("--record", help="Keep all that was loaded, in archive.warc.gz.")
    ] = False,
    har: Annotated[bool, typer.Option("--har", help="The same as a HAR file a page.")] = False,
    archive: Archive = None,
    browsers: Browsers = None,
    pages_at_once: AtOnce = 4,
    delay: Delay = 0.5,
    per_host: PerHost = 2,
    robots: Annotated[bool, typer.Option("--robots", help="Obey robots.txt.")] = False,
    retry_failed: RetryFailed = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Share no tab between pages of one origin.")
    ] = False,
    adaptive: Annotated[
        bool, typer.Option("--adaptive", help="No browser for hosts that read the same without.")
    ] = False,
    parquet: Parquet = False,
) -> None:
    """Extract many pages into a folder; run again, it goes on where it ended."""
    from ..collect.batch.hosts import Politeness
    from ..collect.batch.options import ADAPTIVE_BROWSERS, BROWSERS, BatchOptions, Kept
    from .batching import batch_pages

    try:
        chosen = BatchOptions(
            render=replace(options, reuse=not fresh),
            **vars(how),
            browsers=browsers or (ADAPTIVE_BROWSERS if adaptive else BROWSERS),
            pages=pages_at_once,
            politeness=Politeness(delay, per_host),
            robots=robots,
            adaptive=adaptive,
            kept=Kept(snapshots, screenshots, record, har),
            replay=archive,
        )
    except ValueError as error:
        raise typer.BadParameter(f"--adaptive: {error}") from None
    batch_pages(pages, column, output, chosen, retry_failed=retry_failed, parquet=parquet)


@batching.command()
@with_page_options
@with_method_options
def crawl(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where to begin.")],
    options: RenderOptions,
    how: MethodOptions,
    output: Folder,
    pages: Annotated[int, typer.Option(min=1, help="Pages at most.")] = 200,
    reach: Annotated[Reach, typer.Option(help="How far from the first page.")] = Reach.site,
    screenshots: Screenshots = False,
    archive: Archive = None,
    browsers: Browsers = None,
    pages_at_once: AtOnce = 4,
    delay: Delay = 0.5,
    per_host: PerHost = 2,
    robots: Annotated[
        bool, typer.Option("--robots/--no-robots", help="Obey robots.txt and nofollow.")
    ] = True,
    listings: Annotated[
        bool, typer.Option("--listings/--no-listings", help="Read sitemaps and feeds.")
    ] = True,
    parquet: Parquet = False,
) -> None:
    """Visit a site's pages, with all that they are rendered from, into a folder."""
    from ..collect.batch.hosts import Politeness
    from ..collect.batch.options import BROWSERS, BatchOptions, Kept
    from .batching import crawl_site

    chosen = BatchOptions(
        render=options,
        **vars(how),
        browsers=browsers or BROWSERS,
        pages=pages_at_once,
        politeness=Politeness(delay, per_host),
        robots=robots,
        kept=Kept(snapshots=True, screenshots=screenshots, archive=archive is None),
        replay=archive,
    )
    crawl_site(
        url, output, chosen, pages=pages, reach=reach.value, listings=listings, parquet=parquet
    )
