"""`PageRecipe`: how a worker processes an address, and its messages with the reader."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import MioloError
from ...extract.options import ExtractOptions
from ...output.schema import valid_text
from ...renderer.options import RenderOptions

__all__ = ["Address", "AddressRow", "PageRecipe", "Row", "Setup", "further_columns"]

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
class Setup:
    """The first message to a worker.

    Attributes
    ----------
    recipe
        How each address is processed.
    archive
        Path of an archive from which all requests are answered, without network access.
    """

    recipe: PageRecipe
    archive: str | None = None


@dataclass(frozen=True)
class Address:
    """An address to read."""

    id: int
    url: str


@dataclass(frozen=True)
class AddressRow:
    """The row of an address.

    Attributes
    ----------
    id
        Number of the address.
    row
        Result of the page, which may be a failure.
    fault
        Error of the machine, in place of a row.
    """

    id: int
    row: Row | None = None
    fault: MioloError | None = None
