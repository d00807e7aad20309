"""Opens web archives by the content of the file, and writes them by the suffix of its name."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from ...errors import ArchiveError
from ..network.exchange import Exchange
from ..network.source_kinds import (
    GZIP,
    START_BYTES,
    WARC_NAMES,
    ZIP_START,
    is_har,
    is_mhtml,
    is_record,
)
from ..page.container import typed_damage, whole_file
from ..page.mhtml import mhtml_source
from .archive import Archive, Source
from .har import har_source, har_text, zipped_har
from .wacz import wacz_source, write_wacz
from .warc import WarcSource, warc_records

RECORD_NAMES = (".warc.gz", ".warc", ".wacz", ".har", ".har.gz")
"""Suffixes of the files that `save_archive` writes."""


def open_archive(path: str | Path) -> Archive:
    """Open a web archive and index it.

    Parameters
    ----------
    path
        A WARC or ARC (plain, or with a gzip member for each record), a WACZ or another ZIP of such
        files, a HAR (``.har``, ``.har.gz`` or Playwright's ``.har.zip``), or a page with its
        resources as MHTML.

    Raises
    ------
    ArchiveError
        The file is damaged, or has none of these formats.
    MissingDependencyError
        The file has WARC or ARC records, and warcio is not installed.
    OSError
        The file cannot be opened at all.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            start = file.read(START_BYTES)
    except ValueError as error:  # a null character
        raise ArchiveError(f"{str(path)!r} is not the name of a file") from error
    try:
        if start.startswith(ZIP_START):
            return Archive(_zip(path))
        if is_har(start):
            return Archive(har_source(path))
        if start.startswith((GZIP, b"WARC/")) or is_record(start):
            return Archive(WarcSource(path))
        if is_mhtml(start):
            return Archive(mhtml_source(path))
    except ArchiveError as error:
        raise ArchiveError(f"{path}: {error}") from None
    raise ArchiveError(f"{path} is not a WARC, ARC, WACZ, HAR or MHTML file")


def _zip(path: Path) -> Source:
    with typed_damage("damaged"):
        archive = zipfile.ZipFile(path)
    with ExitStack() as unless_needed:
        unless_needed.enter_context(archive)
        names = archive.namelist()
        hars = [name for name in names if name.lower().endswith(".har")]
        if len(hars) > 1:
            raise ArchiveError("a ZIP with several HAR files: unpack it, and open them one by one")
        if hars:
            source = zipped_har(archive, hars[0], path.name)
            unless_needed.pop_all()
            return source
        if not any(name.lower().endswith(WARC_NAMES) for name in names):
            raise ArchiveError("a ZIP with neither a HAR nor WARC files in it")
        return wacz_source(path, archive)


def save_archive(path: str | Path, exchanges: Sequence[Exchange]) -> None:
    """Write exchanges to a file in the format that its name ends in.

    Parameters
    ----------
    path
        The file: a HAR if its name ends in ``.har`` or ``.har.gz``, a WACZ if it ends in ``.wacz``,
        a plain WARC if it ends in ``.warc``, else a WARC of gzip members. An existing file is
        replaced.
    exchanges
        Exchanges, as `Renderer.render` adds them to a list.

    Raises
    ------
    MissingDependencyError
        The file has a WARC, and warcio is not installed.
    OSError
        The file cannot be written.
    """
    path = Path(path)
    name = path.name.lower()
    if name.endswith(".wacz"):
        with whole_file(path) as file:
            write_wacz(file, exchanges)
        return
    if name.endswith((".har", ".har.gz")):
        data = har_text(exchanges)
        data = gzip.compress(data) if name.endswith(".gz") else data
    else:
        data = warc_records(exchanges)
        data = gzip.decompress(data) if name.endswith(".warc") else data
    with whole_file(path) as file:
        file.write(data)
