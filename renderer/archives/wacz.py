"""Reads WACZ files: a ZIP of WARC files with a list of their pages."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ...errors import ArchiveError
from ..container import typed_damage
from .archive import Entry, RequestEntry
from .exchange import Exchange
from .har_source import read_member
from .warc_source import WarcSource

__all__ = ["WARC_NAMES", "WaczSource"]

WARC_NAMES = (".warc", ".warc.gz")

# Crawlers list the pages that they reached by links apart from those that they were started with.
PAGE_LISTS = ("pages/pages.jsonl", "pages/extraPages.jsonl")
MAX_LIST_BYTES = 256 << 20

# Local header of a ZIP member; it ends with the lengths of the name and of the extra field.
LOCAL_HEADER = struct.Struct("<26xHH")


class WaczSource:
    """Exchanges of a WACZ, read directly from its WARC members.

    Raises
    ------
    ArchiveError
        The file is damaged, or the ZIP compresses its WARC files, which the format forbids.
    """

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        names = set(archive.namelist())
        lists = [read_member(archive, n, MAX_LIST_BYTES) for n in PAGE_LISTS if n in names]
        self._pages = [url for data in lists for url in _list(data)]
        with path.open("rb") as file, typed_damage("the list of files is damaged"):
            stretches = [_stretch(file, info) for info in archive.infolist() if _is_warc(info)]
        self._warc = WarcSource(path, stretches)

    def entries(self) -> Iterator[Entry | RequestEntry]:
        """All requests and responses."""
        return self._warc.entries()

    def read(self, place: int) -> Exchange:
        """The exchange at a place, with its body."""
        return self._warc.read(place)

    def pages(self) -> Iterable[str]:
        """URLs as ``pages/*.jsonl`` lists them."""
        return self._pages

    def close(self) -> None:
        """Close the file."""
        self._warc.close()


def _is_warc(info: zipfile.ZipInfo) -> bool:
    name = info.filename.lower()
    return name.startswith("archive/") and name.endswith(WARC_NAMES) and info.file_size > 0


def _stretch(file: BinaryIO, info: zipfile.ZipInfo) -> tuple[int, int]:
    """Offsets at which a member's bytes begin and end."""
    if info.compress_type != zipfile.ZIP_STORED:
        raise ArchiveError(f"{info.filename} is packed; a WACZ must store its WARC files")
    file.seek(info.header_offset)
    head = file.read(LOCAL_HEADER.size)
    if len(head) < LOCAL_HEADER.size:
        raise ArchiveError(f"{info.filename} is not where the list of files puts it")
    start = info.header_offset + LOCAL_HEADER.size + sum(LOCAL_HEADER.unpack(head))
    return start, start + info.file_size


def _list(data: bytes) -> Iterator[str]:
    for line in data.splitlines():
        try:
            row: Any = json.loads(line)
        except (ValueError, RecursionError):
            continue  # an incomplete line
        # The first line has no URL: it names the format.
        url = row.get("url") if isinstance(row, dict) else None
        if isinstance(url, str) and url.lower().startswith(("http://", "https://")):
            yield url
