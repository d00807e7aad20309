"""What the command line takes as a page: a URL, an HTML file, a saved snapshot, ``-``."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from ...errors import MioloError, NavigationError
from ...renderer.options import RenderOptions
from ...renderer.renderer import Renderer
from ...renderer.snapshot import Snapshot

__all__ = ["Outcome", "is_saved", "lazy_renderer", "snapshots"]

Outcome = Snapshot | MioloError


@asynccontextmanager
async def lazy_renderer(options: RenderOptions) -> AsyncGenerator[Renderer]:
    """A renderer that starts a browser only when a page needs one."""
    renderer = Renderer(options)
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
    if "://" in source or source.startswith(("data:", "about:")):
        return await renderer.render(source)
    path = Path(source)
    if is_saved(source):
        return Snapshot.load(path)
    if not path.is_file():
        raise NavigationError(
            f"{source!r} is neither a file nor an address that starts with http:// or https://",
            url=source,
        )
    return await renderer.render_file(path)


def is_saved(source: str) -> bool:
    """Whether a source is a saved snapshot, for which no browser is needed."""
    return Path(source).is_file() and zipfile.is_zipfile(source)
