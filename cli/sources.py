"""What the command line takes as a page: a URL, an HTML file, a saved snapshot, ``-``."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

from ..errors import MioloError
from ..extract.sources import snapshot_of
from ..renderer.archives.open_archive import open_archive
from ..renderer.options import RenderOptions
from ..renderer.renderer import Renderer
from ..renderer.snapshot import Snapshot

__all__ = ["Outcome", "lazy_renderer", "snapshots"]

Outcome = Snapshot | MioloError


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


async def snapshots(
    renderer: Renderer, sources: Iterable[str]
) -> AsyncIterator[tuple[str, Outcome]]:
    """Each source with its snapshot, or with the error that it ended in."""
    for source in sources:
        try:
            yield source, await _snapshot(renderer, source)
        except MioloError as error:
            yield source, error


async def _snapshot(renderer: Renderer, source: str) -> Snapshot:
    if source == "-":
        return await renderer.render_html(sys.stdin.buffer.read())
    return await snapshot_of(renderer, source)
