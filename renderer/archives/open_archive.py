"""Opens web archives by the content of the file, and writes them by the suffix of its name."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

from ...errors import ArchiveError
from ..container import typed_damage, whole_file
from .archive import Archive, Source
from .exchange import Exchange
from .har import write_har
from .har_source import har_source, zipped_har
from .wacz import WARC_NAMES, WaczSource
from .warc import warc_records
from .warc_source import WarcSource

__all__ = ["open_archive", "save_archive"]

WARC_STARTS = (b"\x1f\x8b", b"WARC/")
ZIP_START = b"PK\x03\x04"


def open_archive(path: str | Path) -> Archive:
    """Open a web archive and index it.

    Parameters
    ----------
    path
        A WARC (``.warc``, ``.warc.gz`` with a member for each record), a WACZ, a HAR, or
        Playwright's ``.har.zip``.

    Raises
    ------
    ArchiveError
        The file is damaged, or has none of these formats.
    MissingDependencyError
        The file is a WARC or WACZ, and warcio is not installed.
    OSError
        The file cannot be opened at all.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            start = file.read(64)
    except ValueError as error:  # a null character
        raise ArchiveError(f"{str(path)!r} is not the name of a file") from error
    try:
        if start.startswith(ZIP_START):
            return Archive(_zip(path))
        if start.startswith(WARC_STARTS):
            return Archive(WarcSource(path))
        if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            return Archive(har_source(path))
    except ArchiveError as error:
        raise ArchiveError(f"{path}: {error}") from None
    raise ArchiveError(f"{path} is not a WARC, WACZ or HAR file")


def _zip(path: Path) -> Source:
    with typed_damage("damaged"):
        archive = zipfile.ZipFile(path)
    try:
        return _in_zip(path, archive)
    except BaseException:
        archive.close()
        raise


def _in_zip(path: Path, archive: zipfile.ZipFile) -> Source:
    names = archive.namelist()
    har = next((name for name in names if name.endswith(".har") and "/" not in name), None)
    if har:
        return zipped_har(archive, har, path.name)
    if not any(n.startswith("archive/") and n.lower().endswith(WARC_NAMES) for n in names):
        raise ArchiveError("a ZIP with neither a HAR nor WARC files in it")
    with archive:
        return WaczSource(path, archive)


def save_archive(path: str | Path, exchanges: Sequence[Exchange]) -> None:
    """Write exchanges to a file: a HAR if its name ends in ``.har``, else a WARC of gzip members.

    Parameters
    ----------
    path
        The file. An existing one is replaced.
    exchanges
        Exchanges, as `Renderer.record` adds them to a list.

    Raises
    ------
    MissingDependencyError
        The file is a WARC, and warcio is not installed.
    OSError
        The file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() == ".har":
        write_har(path, exchanges)
        return
    records = warc_records(exchanges)
    with whole_file(path) as file:
        file.write(records)
