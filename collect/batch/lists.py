"""Lists of pages: lines of text, JSON Lines, or a column of a CSV or Parquet file."""

from __future__ import annotations

import csv
import gzip
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from io import BufferedReader, TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import TextIO

from ...errors import EmptyInputError
from ...patterns import lazy_re
from ...renderer.network.source_kinds import (
    BINARY,
    JSON,
    check_not_empty,
    is_record,
    not_a_page,
    source_kind,
)
from ...untrusted_json import parse_json
from ..frontier.sitemaps import is_listing_file, listing_of_file
from ..parquet import parquet
from .jobs import BadLine

COLUMNS = ("url", "requested_url", "address", "link")
"""Names, in any case, under which a column of addresses is looked for if none is given."""

MAX_LINE = 100_000
"""Maximum number of characters in a line or CSV field; addresses have a few thousand at most."""

MAX_JSON_LINE = 50_000_000
"""Maximum number of characters in a line of JSON Lines, which may hold a whole page."""

MAX_SKIPPED = 100_000_000
"""Maximum number of characters of a longer line that are read in order to find the next line."""

FIRST_LINES = 1_000  # number of lines among which a list has to have one that names a page

SEPARATORS = ",;\t"

CSV, JSON_LINES, PARQUET, GZIP = (".csv", ".tsv"), (".jsonl", ".ndjson"), (".parquet", ".pq"), ".gz"

# Bytes that are not UTF-8 become surrogates, so that only their line fails.
ENCODING, ERRORS = "utf-8-sig", "surrogateescape"

HEAD_BYTES = 4096

UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")

MARKUP = lazy_re(rb"<(?:!doctype\s+html|html|head|body|!--|script|meta|div|p)\b", re.I)
XML = lazy_re(rb"<\?xml\b", re.I)

# A time of day near the beginning of a line, which is no address.
LOGGED = lazy_re(rb"^(?![a-z+.-]+://)[^\n]{0,60}?[0-9]{2}:[0-9]{2}:[0-9]{2}", re.I | re.M)
MIN_LOGGED = 0.5  # minimum share of such lines in a log

CONTROLS = bytes({*range(32)} - {*b"\t\n\v\f\r\x1b"})
MAX_CONTROLS = 0.05  # maximum share of control characters in text; random bytes have a tenth


def read_list(
    path: str | Path,
    column: str | None = None,
    resolve: Callable[[str], str] = str,
) -> Iterator[str | BadLine]:
    """Iterate over the addresses and files of a list without loading the whole list.

    A list is a text file with one entry per line (empty lines and lines that begin with ``#`` are
    ignored), a CSV or TSV file with a header, whose separator is the comma, semicolon or tab that
    the header has most often, JSON Lines with an object or a string on each line, any of them
    compressed if its name ends in ``.gz``, a Parquet file, or a feed or sitemap; ``-`` reads lines
    from standard input. `column` is the name of the column, or of the objects' key; by default the
    first of `COLUMNS` that exists, in any case. If a column is given, a text file is read as CSV.

    `resolve` returns the address or path that an entry means, or raises a `ValueError` with the
    reason why it means none. A line that cannot be read yields a `BadLine`; the following lines are
    still read. It is an `EmptyInputError` if there is no such column, the file is truncated or of
    another type than its suffix names, none of its first `FIRST_LINES` lines names a page, or a
    line has no end, and the `NotHTMLError` of a page if the file is empty or has no text.
    """
    if str(path) == "-":
        entries = _of_suffix(_standard_input(), "standard input", "", column)
        return _resolve(entries, "standard input", "line", resolve)
    Path(path).stat()  # a missing file is an error before the caller creates anything
    path = Path(path)
    suffix = path.suffix.lower()
    if is_listing_file(path):
        return _of_listing(path)
    if suffix in PARQUET:
        return _resolve(_of_parquet(path, column), str(path), "row", resolve)
    return _resolve(_of_file(path, suffix, column), str(path), "line", resolve)


def _resolve(
    entries: Iterator[Entry], name: str, unit: str, resolve: Callable[[str], str]
) -> Iterator[str | BadLine]:
    """What the entries of a list mean; a list without pages at its beginning is refused."""
    bad: list[BadLine] = []  # lines before the first that names a page
    found, number = False, 0
    for number, entry, reason in entries:
        reason = reason or _fault(entry)
        if entry and not reason:
            try:
                entry = resolve(entry)
            except ValueError as error:
                reason = str(error)
        if reason:
            bad.append(BadLine(f"{name}, {unit} {number}", reason))
        found = found or (bool(entry) and not reason)
        if found:
            yield from bad
            bad.clear()
            if entry and not reason:
                yield entry
        elif number >= FIRST_LINES:
            break
    if bad:
        raise EmptyInputError(
            f"{name} is not a list of pages: none of its first {number:,} {unit}s names one "
            f"({bad[0].place.rpartition(', ')[2]}: {bad[0].reason})"
        )


def _of_listing(path: Path) -> Iterator[str | BadLine]:
    """Pages of a feed or a sitemap."""
    listing = listing_of_file(path)
    if not listing.pages:
        also = f", only further sitemaps, such as {listing.sitemaps[0]}" if listing.sitemaps else ""
        raise EmptyInputError(f"{path} is a feed or a sitemap that lists no pages{also}")
    yield from (url for url, _ in listing.pages)


def _standard_input() -> TextIO:
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding=ENCODING, errors=ERRORS)
        if isinstance(sys.stdin.buffer, BufferedReader):
            _check_kind(sys.stdin.buffer.peek(HEAD_BYTES), "standard input", "")
    return sys.stdin


def _of_file(path: Path, suffix: str, column: str | None) -> Iterator[Entry]:
    is_packed = suffix == GZIP
    suffix = Path(path.stem).suffix.lower() if is_packed else suffix
    try:
        with gzip.open(path) if is_packed else path.open("rb") as file:
            head = file.peek(HEAD_BYTES)
            check_not_empty(head, str(path))
            _check_kind(head, str(path), suffix)
            with TextIOWrapper(file, ENCODING, ERRORS, newline="") as lines:
                yield from _of_suffix(lines, str(path), suffix, column)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise EmptyInputError(f"{path} is not a valid gzip file: {error}") from error


def _check_kind(head: bytes, name: str, suffix: str) -> None:
    text = kind_of_text(head, is_json=suffix in JSON_LINES, is_table=suffix in CSV)
    kind = None if is_record(head) else source_kind(head)
    # A list may have a line with a null character.
    if kind not in (None, JSON, BINARY):
        raise not_a_page(name, kind)
    if text is not None:
        raise EmptyInputError(f"{name} is not a list of pages, but {text}")


def _of_suffix(file: TextIO, name: str, suffix: str, column: str | None) -> Iterator[Entry]:
    if suffix in JSON_LINES:
        return _of_json(_lines(file, name, MAX_JSON_LINE), column)
    if column or suffix in CSV:
        return _of_csv(_lines(file, name), column, name)
    return _of_lines(_lines(file, name))


def _fault(entry: str) -> str:
    """Why an entry cannot be an address; empty if it can."""
    if not entry.isascii() and any("\ud800" <= character <= "\udfff" for character in entry):
        return "not valid UTF-8"
    if "\0" in entry:
        return "contains a null character"
    return f"longer than {MAX_LINE:,} characters" if len(entry) > MAX_LINE else ""


def _lines(file: TextIO, name: str, limit: int = MAX_LINE) -> Iterator[str]:
    """Lines of a file, each truncated to `limit` + 1 characters."""
    while line := file.readline(limit + 1):
        rest, skipped = line, 0
        while len(rest) > limit and not rest.endswith("\n"):
            rest = file.readline(limit + 1)
            skipped += len(rest)
            if skipped > MAX_SKIPPED:
                raise EmptyInputError(
                    f"{name} is not a list of pages: a line is longer than {MAX_SKIPPED:,} "
                    "characters"
                )
        yield line


Entry = tuple[int, str, str]
"""Number of a line, its text, and the reason why it cannot be read, empty if it can."""


def _of_lines(lines: Iterator[str]) -> Iterator[Entry]:
    for number, line in enumerate(lines, 1):
        entry = line.strip()
        yield number, "" if entry.startswith("#") else entry, ""


def _of_json(lines: Iterator[str], column: str | None) -> Iterator[Entry]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            yield number, "", ""
            continue
        try:
            value = parse_json(line.encode("utf-8", ERRORS))
        except (ValueError, RecursionError):
            yield number, "", "not valid JSON"
            continue
        if isinstance(value, dict):
            key = _key(value, column)
            value = None if key is None else value[key]
        if isinstance(value, str):
            # Half of a surrogate pair, which JSON may contain, is not valid UTF-8.
            yield number, value.strip(), ""
        else:
            yield number, "", f"no key {column or ' or '.join(COLUMNS)}"


def _of_csv(lines: Iterator[str], column: str | None, name: str) -> Iterator[Entry]:
    first = next(lines, "")
    rows = csv.reader(chain([first], lines), delimiter=max(SEPARATORS, key=first.count))
    try:
        header = next(rows, [])
    except csv.Error as error:
        raise EmptyInputError(f"{name} is not a valid CSV file: {error}") from error
    place = header.index(_column(header, column, name))
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield rows.line_num, "", f"not valid CSV: {error}"
        else:
            yield rows.line_num, row[place].strip() if place < len(row) else "", ""


def _of_parquet(path: Path, column: str | None) -> Iterator[Entry]:
    pa, pq = parquet()
    try:
        file = pq.ParquetFile(path)
        name = _column(file.schema_arrow.names, column, str(path))
        number = 0
        for batch in file.iter_batches(columns=[name]):
            for entry in batch.column(0).to_pylist():
                number += 1
                yield number, entry.strip() if isinstance(entry, str) else "", ""
    except (pa.ArrowException, OSError) as error:
        raise EmptyInputError(f"{path} is not a valid Parquet file: {error}") from error


def _key(names: Iterable[str], column: str | None) -> str | None:
    """The column among names, or by default the first of `COLUMNS`; None if there is none."""
    if column:
        return column if column in names else None
    by_name = {name.lower(): name for name in reversed(list(names))}
    return next((by_name[name] for name in COLUMNS if name in by_name), None)


def _column(names: Iterable[str], column: str | None, path: str) -> str:
    there = list(names)
    name = _key(there, column)
    if name is not None:
        return name
    requested = column or " or ".join(COLUMNS)
    raise EmptyInputError(
        f"{path} has no column {requested}; its columns are: {', '.join(there) or 'none'}",
        lacks="column",
    )


def kind_of_text(head: bytes, *, is_json: bool = False, is_table: bool = False) -> str | None:
    """What a file is that neither is nor can become a list of pages; None if it may be a list."""
    if head.startswith(UTF16_MARKS):
        return "text in UTF-16: save it as UTF-8"
    if is_record(head):
        return "a WARC archive: give its file instead of its content"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if MARKUP.match(text):
        return "an HTML page: use `miolo extract`"
    if XML.match(text):
        return "an XML document"
    if text[:1] in (b"{", b"[") and not is_json:
        return "JSON: a list in JSON Lines has a name that ends in .jsonl"
    lines = len(head.splitlines())
    if not is_json and not is_table and len(LOGGED.findall(head)) > max(MIN_LOGGED * lines, 1):
        return "a log, whose lines begin with times"
    controls = len(head) - len(head.translate(None, CONTROLS))
    return "a binary file" if controls > MAX_CONTROLS * len(head) else None
