"""`PageRecipe`: what a worker anywhere does with an address, in one frozen object."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...extract.methods.registry import DEFAULT_METHOD, find_method
from ...models.article.roles import DEFAULT_PRESET, Preset, role_set
from ...output.schema import valid_text
from ...renderer.options import RenderOptions

__all__ = ["PageRecipe", "further_columns", "site_file"]


@dataclass(frozen=True)
class PageRecipe:
    """How each address is processed. It can be pickled, and is checked where it is made.

    Attributes
    ----------
    render
        How pages are rendered; its deadline holds for every page.
    method
        Name of a method.
    preset, include, exclude
        Roles that count as the text; see `extract_snapshot`.
    pages
        Pages that a worker has open at once.
    column
        Where a table has its addresses, or the paths of its WARC files.
    archives
        Whether the column has paths of WARC or WACZ files; all of their pages are rendered
        from the file alone, with no network.
    sites
        Folder of learned sites as `learn_sites` writes it; a page whose site has no file
        there is read without.
    snapshots
        Folder to save snapshots in, on a disk that all machines have; rows get a further
        column ``snapshot`` with the file's path.
    switches
        Further switches for Chromium's command line.

    Raises
    ------
    UnknownMethodError
        There is no method of this name.
    UnknownRoleError
        There is no preset or role of this name.
    """

    render: RenderOptions = field(default_factory=RenderOptions)
    method: str = DEFAULT_METHOD
    preset: Preset = DEFAULT_PRESET
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    pages: int = 4
    column: str = "url"
    archives: bool = False
    sites: Path | None = None
    snapshots: Path | None = None
    switches: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        find_method(self.method)
        role_set(self.preset, self.include, self.exclude)
        if self.pages < 1:
            raise ValueError("a worker has one page open at least")


def site_file(folder: Path, site: str) -> Path:
    """Where a learned site is in a folder of them."""
    return folder / f"{quote(site, safe='')}.json"


def further_columns(recipe: PageRecipe, snapshot: Path | None) -> dict[str, Any]:
    """The columns of a row besides its result: where its snapshot is, if those are saved."""
    if recipe.snapshots is None:
        return {}
    return {"snapshot": None if snapshot is None else valid_text(str(snapshot))}
