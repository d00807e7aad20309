"""`Snapshot`: one rendered page as a structure of arrays, the input of every algorithm."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..network.source_kinds import is_mhtml
from .arrays import NOWHERE, POSITIONS, Frame, PageInfo, SnapshotArrays

if TYPE_CHECKING:
    from ..options import Limits

__all__ = [
    "NOWHERE", "POSITIONS", "Frame", "PageInfo", "Snapshot", "cached_per_snapshot",
]  # fmt: skip

Result = TypeVar("Result")


class Snapshot(SnapshotArrays):
    """A page; see `SnapshotArrays` for its arrays.

    Nodes are numbered in document order, so a subtree is the slice ``i:end[i]``.
    """

    def save(self, path: str | Path) -> None:
        """Write all but the PDF to one compressed file; see `miolo.renderer.page.snapshot_file`."""
        from .snapshot_file import save_snapshot

        save_snapshot(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Snapshot:
        """Read a saved snapshot.

        Raises
        ------
        ArchiveError
            The file is truncated, not a snapshot, of an unknown version or inconsistent.
        """
        from .snapshot_file import load_snapshot

        return load_snapshot(cls, Path(path))

    @classmethod
    def from_html(
        cls, html: str | bytes, *, url: str = "about:blank", limits: Limits | None = None
    ) -> Snapshot:
        """Snapshot of static HTML without a browser: no scripts, no geometry.

        Boxes, fonts and colours are zero and ``page.has_geometry`` is False; `display` and
        `visible` follow from a browser's default style sheet, the ``hidden`` attribute, inline
        styles and, for `visible`, the style sheets within the page.

        Parameters
        ----------
        html
            Text, or bytes whose encoding is detected. A page as MHTML is read, too.
        url
            Address of the page, to which its links are relative.
        limits
            Limits of which those on nodes and depth apply; by default none.
        """
        from .encoding import check_html
        from .static import parse_html

        check_html(html)
        if is_mhtml(html):
            from .mhtml import open_mhtml

            if source := open_mhtml(html, url):
                html, url = source.read(source.place).body, source.url
        return parse_html(cls, html, url=url, limits=limits)


def cached_per_snapshot(function: Callable[[Snapshot], Result]) -> Callable[[Snapshot], Result]:
    """Cache the results of a function of a snapshot alone, each with its snapshot.

    Several methods read the same page, and all need the same texts, layers and counts. Each caller
    gets a shallow copy, so that it may modify an array.
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def cached(snapshot: Snapshot) -> Result:
        if name not in snapshot.cached_values:
            snapshot.cached_values[name] = function(snapshot)
        return copy(snapshot.cached_values[name])

    return cached
