"""What is taken for a page: a URL, an HTML file, a saved snapshot."""

from __future__ import annotations

import zipfile
from pathlib import Path

from ..errors import NavigationError
from ..renderer.options import RenderOptions
from ..renderer.renderer import Renderer
from ..renderer.snapshot import Snapshot

__all__ = ["is_saved", "snapshot_of"]


async def snapshot_of(
    renderer: Renderer, source: str, options: RenderOptions | None = None
) -> Snapshot:
    """The snapshot of a source, rendered where it is not saved.

    Raises
    ------
    RenderError
        Nothing of the page could be captured, or there is no such file.
    ArchiveError
        A saved snapshot is damaged.
    """
    if "://" in source or source.startswith(("data:", "about:")):
        return await renderer.render(source, options)
    if is_saved(source):
        return Snapshot.load(source)
    path = Path(source)
    if not path.is_file():
        raise NavigationError(
            f"{source!r} is neither a file nor an address that starts with http:// or https://",
            url=source,
        )
    return await renderer.render_file(path, options)


def is_saved(source: str) -> bool:
    """Whether a source is a saved snapshot, for which no browser is needed."""
    path = Path(source)
    try:
        return path.is_file() and zipfile.is_zipfile(path)
    except (OSError, ValueError):  # no name of a file, such as one that is too long
        return False
