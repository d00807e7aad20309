"""Reads and writes WACZ files (Webrecorder, 1.1.1), and reads other ZIPs of WARC files."""

from __future__ import annotations

import hashlib
import itertools
import json
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit

from ...errors import ArchiveError
from ..network.exchange import Exchange, now, requested_url
from ..network.source_kinds import WARC_NAMES, is_record
from ..page.container import typed_damage
from .har import read_member
from .warc import BLOCK, WarcSource, warc_records

__all__ = ["wacz_source", "write_wacz"]


# Crawlers list the pages that they reached by links apart from those that they were started with.
PAGE_LISTS = ("pages/pages.jsonl", "pages/extraPages.jsonl")
MAX_LIST_BYTES = 256 << 20

# Most that compressed WARC files in a ZIP are unpacked to, in a temporary file.
MAX_UNPACKED_BYTES = 2 << 30

# Local header of a ZIP member; it ends with the lengths of the name and of the extra field.
LOCAL_HEADER = struct.Struct("<26xHH")

DATA = "archive/data.warc.gz"
INDEX = "indexes/index.cdx"
DESCRIPTION = "datapackage.json"


def wacz_source(path: Path, archive: zipfile.ZipFile) -> WarcSource:
    """Open a WACZ, or any ZIP of WARC or ARC files.

    Files that the ZIP stores, as a WACZ must, are read in place. Compressed ones are unpacked to a
    temporary file, which is deleted when the source is closed.
    """
    names = set(archive.namelist())
    lists = [read_member(archive, n, MAX_LIST_BYTES) for n in PAGE_LISTS if n in names]
    pages = [url for data in lists for url in _list(data)]
    members = [info for info in archive.infolist()
               if info.filename.lower().endswith(WARC_NAMES) and info.file_size > 0]  # fmt: skip
    if any(info.compress_type != zipfile.ZIP_STORED for info in members):
        return _unpacked(path, archive, members, pages)
    return WarcSource(path, _spans(path, members), pages=pages)


def _spans(path: Path, members: Sequence[zipfile.ZipInfo]) -> list[tuple[int, int]]:
    """Where stored members begin and end in the file."""
    with path.open("rb") as file, typed_damage("the list of files is damaged"):
        spans = sorted(_span(file, info) for info in members)
    # Members that share bytes would be read many times each.
    if any(stop > start for (_, stop), (start, _) in itertools.pairwise(spans)):
        raise ArchiveError("its files overlap")
    return spans


def _span(file: BinaryIO, info: zipfile.ZipInfo) -> tuple[int, int]:
    """Offsets at which a member's bytes begin and end."""
    file.seek(info.header_offset)
    head = file.read(LOCAL_HEADER.size)
    if len(head) < LOCAL_HEADER.size:
        raise ArchiveError(f"{info.filename} is not where the list of files puts it")
    start = info.header_offset + LOCAL_HEADER.size + sum(LOCAL_HEADER.unpack(head))
    return start, start + info.file_size


def _unpacked(
    path: Path, archive: zipfile.ZipFile, members: Sequence[zipfile.ZipInfo], pages: Sequence[str]
) -> WarcSource:
    """The WARC files of a ZIP, unpacked one after the other to a temporary file."""
    file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115
    try:
        spans = []
        for info in members:
            start = file.tell()
            _unpack(archive, info, file)
            spans.append((start, file.tell()))
        return WarcSource(path, spans, file, pages)
    except BaseException:
        file.close()
        raise


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, file: BinaryIO) -> None:
    first = True
    with typed_damage(f"{info.filename} is damaged"), archive.open(info) as member:
        while data := member.read(BLOCK):
            if first and not is_record(data):
                raise ArchiveError(f"{info.filename} is not a WARC or ARC file")
            first = False
            file.write(data)
            if file.tell() > MAX_UNPACKED_BYTES:
                limit = f"{MAX_UNPACKED_BYTES >> 30} GiB"
                raise ArchiveError(f"its WARC files unpack to more than {limit}: unpack them first")


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


def write_wacz(file: BinaryIO, exchanges: Sequence[Exchange]) -> None:
    """Write exchanges as a WACZ: their WARC file, its index, its pages and the description."""
    records, index = bytearray(), []
    for exchange in exchanges:
        record = warc_records([exchange])
        # The response comes first, in a gzip member of its own.
        member = zlib.decompressobj(16 + zlib.MAX_WBITS)
        member.decompress(record)
        length = len(record) - len(member.unused_data)
        index.append(_index_line(exchange, len(records), length))
        records += record
    pages = [exchange for exchange in exchanges if exchange.is_page]
    rows = [{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}]
    rows += [{"url": page.url, "ts": page.time or now()} for page in pages]
    members = {
        DATA: bytes(records),
        INDEX: "".join(sorted(index)).encode(),
        PAGE_LISTS[0]: "".join(f"{json.dumps(row)}\n" for row in rows).encode(),
    }
    members[DESCRIPTION] = _description(members)
    members["datapackage-digest.json"] = json.dumps(
        {"path": DESCRIPTION, "hash": _hash(members[DESCRIPTION])}
    ).encode()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def _index_line(exchange: Exchange, offset: int, length: int) -> str:
    """A line of the index (CDXJ), by which other programs find a response."""
    time = "".join(filter(str.isdigit, exchange.time))[:14] or "19700101000000"
    fields = {
        "url": exchange.url,
        "mime": exchange.mime,
        "status": str(exchange.status),
        "method": exchange.method,
        "digest": _hash(exchange.body),
        "length": str(length),
        "offset": str(offset),
        "filename": Path(DATA).name,
    }
    return f"{_index_key(exchange.url)} {time} {json.dumps(fields)}\n"


def _index_key(url: str) -> str:
    """A URL in the order in which indexes are sorted (SURT): the labels of its host reversed."""
    url = requested_url(url)
    try:
        parts = urlsplit(url)
        labels = (parts.hostname or "").split(".")
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return url
    query = f"?{parts.query}" if parts.query else ""
    return f"{','.join(reversed(labels))}{port}){parts.path}{query}".lower()


def _description(members: dict[str, bytes]) -> bytes:
    """The description of a WACZ: its files, their lengths and hashes."""
    resources = [
        {"name": Path(name).name, "path": name, "hash": _hash(data), "bytes": len(data)}
        for name, data in members.items()
    ]
    fields = {
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "software": "miolo",
        "created": now(),
        "resources": resources,
    }
    return json.dumps(fields, indent=1).encode()


def _hash(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
