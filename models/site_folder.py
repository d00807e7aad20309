"""`SiteFolder`: learned sites in files, of which each page uses that of its host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..renderer.network.origins import host_of, learned_name, site_of

if TYPE_CHECKING:
    from ..renderer.page.snapshot import Snapshot
    from .site import Site

# Maximum number of learned sites kept in memory; addresses are usually grouped by site.
SITES = 64


@dataclass(frozen=True)
class SiteFolder:
    """A folder of learned sites, which can be given in place of a `Site`.

    Each file is ``<host>.json``, or ``<host>%3A<port>.json``. The pages of a host use its own file,
    or else that of the domain that it belongs to. A page whose host has no file is read without a
    learned site.

    Examples
    --------
    >>> learned = SiteFolder("sites")
    >>> article = extract_url("https://example.org/story", site=learned)  # doctest: +SKIP
    """

    path: Path
    """The folder, which every process that reads pages must be able to read."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))

    def check(self) -> None:
        """Read all files, so that a damaged one is found before any page is.

        Raises
        ------
        ArchiveError
            A file is damaged.
        NotADirectoryError
            There is no such folder.
        """
        if not self.path.is_dir():
            raise NotADirectoryError(f"there is no folder {self.path}")
        for file in sorted(self.path.glob("*.json")):
            _load(file, file.stat().st_mtime_ns)

    def file(self, host: str) -> Path:
        """Path of the file of a host or domain."""
        return self.path / f"{quote(host, safe='')}.json"

    def __call__(self, snapshot: Snapshot) -> Site | None:
        """The learned site of a page; None if its host has no file.

        Raises
        ------
        ArchiveError
            The file is damaged.
        """
        file = self.file_of(snapshot.page.url)
        return _load(file, file.stat().st_mtime_ns) if file else None

    def file_of(self, url: str) -> Path | None:
        """Path of the file that the page at an address is read with; None if there is none."""
        files = map(self.file, _names(url))
        return next(filter(Path.is_file, files), None)


def _names(url: str) -> Iterator[str]:
    """The host of an address, and domains around it up to the registrable one, with its port."""
    host, domain, name = host_of(url), site_of(url), learned_name(url)
    port = name.removeprefix(domain) if name and domain else ""
    while host and host != domain and "." in host:
        yield host + port
        host = host.partition(".")[2]
    if name:
        yield name


@lru_cache(SITES)
def _load(file: Path, _: int) -> Site:
    from .site import Site

    return Site.load(file)
