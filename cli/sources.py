"""What the command line takes as a page: a URL, an HTML file, a saved snapshot, ``-``."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..extract.job import PageJob
from ..extract.job_run import CallingThread, extract_page
from ..extract.sources import HTML, Source, parse_source
from ..renderer.archives.open_archive import open_archive
from ..renderer.options import RenderOptions
from ..renderer.renderer import Renderer
from ..renderer.snapshot import Snapshot

__all__ = ["lazy_renderer", "load_page", "page_job", "page_source"]


@asynccontextmanager
async def lazy_renderer(
    options: RenderOptions, archive: Path | None = None
) -> AsyncGenerator[Renderer]:
    """A renderer that starts a browser only when a page needs one, fed from an archive if any.

    Raises
    ------
    ArchiveError
        The archive is damaged, or another file.
    """
    with open_archive(archive) if archive else nullcontext() as replay:
        renderer = Renderer(options, replay=replay)
        try:
            yield renderer
        finally:
            await renderer.close()


def page_source(text: str) -> Source:
    """What is meant by a word of the command line."""
    return HTML(sys.stdin.buffer.read()) if text == "-" else parse_source(text)


async def load_page(renderer: Renderer, source: str) -> Snapshot:
    """The snapshot of a source.

    Raises
    ------
    MioloError
        The page failed.
    """
    job = page_job(source, renderer.options)
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
