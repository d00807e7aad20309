"""`PageRecipe`: how a worker processes an address."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...extract.options import ExtractOptions
from ...output.schema import valid_text
from ...renderer.options import RenderOptions

__all__ = ["Address", "PageRecipe", "Row", "further_columns"]

Row = dict[str, Any]


@dataclass(frozen=True)
class PageRecipe:
    """How each address is processed. It can be pickled, and is validated when it is created.

    Attributes
    ----------
    render
        How pages are rendered; its deadline applies to every page.
    extract
        How articles are extracted, without its site.
    pages
        Maximum number of pages that a worker has open at once.
    column
        Name of the column with the addresses, or with the paths of archives.
    archives
        Whether the column has paths of WARC or WACZ files; all of their pages are rendered from
        the file without network access.
    sites
        Folder of learned sites as written by `learn_sites`; see `SiteFolder`.
    snapshots
        Folder in which snapshots are saved, on a disk that all machines share; rows then have an
        additional column ``snapshot`` with the file's path.
    switches
        Additional command-line switches for Chromium.
    """

    render: RenderOptions = field(default_factory=RenderOptions)
    extract: ExtractOptions = field(default_factory=ExtractOptions)
    pages: int = 4
    column: str = "url"
    archives: bool = False
    sites: Path | None = None
    snapshots: Path | None = None
    switches: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.pages < 1:
            raise ValueError("each worker must open at least one page at a time")


def further_columns(recipe: PageRecipe, snapshot: Path | None) -> dict[str, Any]:
    """Additional columns of a row: the path of its snapshot, if snapshots are saved."""
    if recipe.snapshots is None:
        return {}
    return {"snapshot": None if snapshot is None else valid_text(str(snapshot))}


@dataclass(frozen=True)
class Address:
    """An address to read."""

    url: str
