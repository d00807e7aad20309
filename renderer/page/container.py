"""Miolo's file format: a ZIP of JSON and plain arrays, without pickle, validated on reading."""

from __future__ import annotations

import io
import lzma
import math
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError, MioloError
from ...patterns import lazy_re

Member = bytes | NDArray[Any]

# Far more than any real page or site needs: 200,000 nodes with a screenshot take under 100 MB.
MAX_UNPACKED_BYTES = 1 << 30

ZIP_START = b"PK"

PACKED_ALREADY = (".png",)

# Array headers exactly as NumPy writes them. NumPy would evaluate any other header as a Python
# literal, and tokenize it as one written by Python 2.
HEADER = lazy_re(
    rb"\{'descr': '([<>|=]?[A-Za-z]\d{0,9})', 'fortran_order': (True|False), "
    rb"'shape': \(([\d, ]{0,200})\), \} *\n"
)

# What zipfile, zlib, json, NumPy and Miolo raise for invalid content; see `_damage`.
DAMAGE = (
    ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, OSError, RuntimeError,
    SyntaxError, TypeError, ValueError, lzma.LZMAError, struct.error, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip

# The first bytes of an array, by version of the format, and the number of bytes that store the
# length of its header.
STARTS = {b"\x93NUMPY\x01\x00": 2, b"\x93NUMPY\x02\x00": 4}


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that appears at `path` either complete or not at all.

    A link is followed. Something that is not a regular file, such as ``/dev/null`` or a pipe, is
    written to and never replaced.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    path = path.resolve()
    draft = path.with_name(f"{path.name}.{uuid4().hex}.part")
    try:
        with draft.open("xb") as file:
            yield file
        draft.replace(path)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename == str(draft):
            error.filename = str(path)
        with suppress(OSError):
            draft.unlink()
        raise


def save_container(path: Path, members: Mapping[str, Member], *, is_packed: bool = True) -> None:
    """Write members, arrays as ``.npy``, all or nothing; unpacked ones load in half of the time."""
    with whole_file(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, member in members.items():
            if not isinstance(member, bytes):
                buffer, array = io.BytesIO(), np.ascontiguousarray(member)
                np.lib.format.write_array(buffer, array, allow_pickle=False)
                member = buffer.getvalue()
            packs = is_packed and not name.endswith(PACKED_ALREADY)
            form = zipfile.ZIP_DEFLATED if packs else zipfile.ZIP_STORED
            # A fixed date, so that equal content gives equal bytes.
            archive.writestr(zipfile.ZipInfo(name), member, compress_type=form, compresslevel=6)


def read_whole(path: Path, what: str, start: bytes = b"") -> bytes:
    """Read a file that is not too large; only its beginning if it does not begin with `start`."""
    try:
        with path.open("rb") as file:
            head = file.read(len(start))
            if head != start:
                return head
            content = head + file.read(MAX_UNPACKED_BYTES + 1)
    except ValueError as error:  # a null character
        raise ArchiveError(f"{str(path)!r} is not the name of a file") from error
    except MemoryError as error:
        raise ArchiveError(f"{path}: larger than a {what} can be") from error
    if len(content) > MAX_UNPACKED_BYTES:
        raise ArchiveError(f"{path}: larger than a {what} can be")
    return content


@contextmanager
def open_container(path: Path, what: str) -> Iterator[zipfile.ZipFile]:
    """Open a file for reading; any failure while it is read becomes an `ArchiveError`."""
    # Read the whole file first: every later error is then caused by its content.
    content = io.BytesIO(read_whole(path, what, ZIP_START))
    try:
        with typed_damage(f"not a {what} that can be read"), zipfile.ZipFile(content) as archive:
            if sum(info.file_size for info in archive.infolist()) > MAX_UNPACKED_BYTES:
                raise ArchiveError(f"unpacks to more than a {what} can hold")
            yield archive
    except ArchiveError as error:
        raise ArchiveError(f"{path}: {error}") from error.__cause__


@contextmanager
def typed_damage(message: str) -> Iterator[None]:
    """Convert the errors that damaged files cause in their readers to `ArchiveError`."""
    try:
        yield
    except MioloError:
        raise
    except _damage() as error:
        raise ArchiveError(f"{message} ({str(error)[:200] or type(error).__name__})") from error


def _damage() -> tuple[type[Exception], ...]:
    """`DAMAGE`, and the error of SQLite if something has imported it."""
    sqlite = sys.modules.get("sqlite3")
    return DAMAGE if sqlite is None else (*DAMAGE, sqlite.DataError)


def any_array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """Read an array of any dtype; its declared size must match the length of its member."""
    data = archive.read(f"{name}.npy")
    length_bytes = STARTS.get(data[:8])
    if length_bytes is None:
        raise ArchiveError(f"{name} is of an unknown version")
    start = 8 + length_bytes + int.from_bytes(data[8 : 8 + length_bytes], "little")
    header = HEADER.fullmatch(data[8 + length_bytes : start])
    if not header:
        raise ArchiveError(f"{name} has a damaged header")
    dtype = np.dtype(header[1].decode())
    shape = tuple(map(int, header[3].rstrip(b", ").split(b","))) if header[3] else ()
    # Otherwise NumPy would read less or more than there is.
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(data) - start:
        raise ArchiveError(f"{name} is not of its declared length")
    array = np.frombuffer(data, dtype, offset=start) if len(data) > start else np.empty(0, dtype)
    return array.reshape(shape, order="F" if header[2] == b"True" else "C").copy()


def read_array(archive: zipfile.ZipFile, name: str, dtype: type) -> NDArray[Any]:
    """Read an array that must have the given dtype."""
    array = any_array(archive, name)
    if array.dtype != np.dtype(dtype):
        raise ArchiveError(f"{name} has dtype {array.dtype}")
    return array
