"""What the command line takes as a page: a URL, an HTML file, a saved snapshot, ``-``."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..extract.job import PageJob
from ..extract.job_run import CallingThread, extract_page
from ..extract.sources import HTML, Source, parse_source
from ..renderer.archives.open_archive import open_archive
from ..renderer.network.addresses import Address, as_address
from ..renderer.options import RenderOptions
from ..renderer.page_policy import resolve_policy, restrict_policy
from ..renderer.renderer import Renderer
from ..renderer.snapshot import Snapshot
from .console import print_error

__all__ = [
    "lazy_renderer",
    "load_page",
    "named_options",
    "page_job",
    "page_source",
    "report_home",
]

# A name may have any number of addresses.
SHOWN = 3


@asynccontextmanager
async def lazy_renderer(
    options: RenderOptions, archive: Path | None = None
) -> AsyncGenerator[Renderer]:
    """A renderer that starts a browser only when a page needs one, fed from an archive if any.

    Its own options refuse private addresses; see `named_options`.

    Raises
    ------
    ArchiveError
        The archive is damaged, or another file.
    """
    with open_archive(archive) if archive else nullcontext() as replay:
        renderer = Renderer(restrict_policy(options), replay=replay)
        try:
            yield renderer
        finally:
            await renderer.close()


def page_source(text: str) -> Source:
    """What is meant by a word of the command line."""
    return HTML(sys.stdin.buffer.read()) if text == "-" else parse_source(text)


async def named_options(renderer: Renderer, source: str, options: RenderOptions) -> RenderOptions:
    """Options for a source that the user typed; a private home is granted and printed.

    An archive answers every request, so no page that comes from there reaches any address.
    """
    if renderer.replay is not None:
        return options
    return await resolve_policy(options, source, on_grant=report_home)


def report_home(host: str, addresses: Sequence[Address]) -> None:
    """Print that a page may reach private addresses, and why."""
    shown = ", ".join(map(str, addresses[:SHOWN]))
    more = ", ..." if len(addresses) > SHOWN else ""
    is_name = as_address(host) is None
    home = f"has only private addresses ({shown}{more})" if is_name else "is a private address"
    print_error(
        f"{host} {home}, so its page may reach private addresses (--no-private refuses them)"
    )


async def load_page(renderer: Renderer, source: str, options: RenderOptions) -> Snapshot:
    """The snapshot of a source that the user typed.

    Raises
    ------
    MioloError
        The page failed.
    """
    job = page_job(source, await named_options(renderer, source, options))
    job = replace(job, keep_snapshot=True)
    result = await extract_page(job, renderer, executor=CallingThread())
    result.raise_for_error()
    assert result.snapshot is not None
    return result.snapshot


def page_job(source: str, options: RenderOptions, **more: Any) -> PageJob:
    """The job of a source, to render alone unless more is said."""
    deadline = options.limits.seconds
    chosen = {"methods": (), "requested_url": source, "deadline": deadline, **more}
    return PageJob(page_source(source), options, **chosen)
