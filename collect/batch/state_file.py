"""``state.sqlite``, the file that lists a collection's pages: schema, opening and checks."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ...errors import ArchiveError, StorageError
from .jobs import Counts

FILE = "state.sqlite"
VERSION = 3

BUSY_SECONDS = 30.0

# Errors of SQLite if it cannot write its log (-wal) and the log's index (-shm) beside the file.
CANNOT_WRITE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)

# Errors of SQLite that the disk or its permissions cause, and not the content of the file.
UNAVAILABLE = (*CANNOT_WRITE, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)

DAMAGED = (sqlite3.DatabaseError, UnicodeDecodeError, OverflowError)
"""Errors that a damaged file causes; some messages of SQLite quote bytes that are not UTF-8."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS journals (name TEXT PRIMARY KEY, length INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    host TEXT NOT NULL,
    depth INTEGER NOT NULL,
    rank INTEGER NOT NULL DEFAULT 0,  -- smaller ones are visited first, then smaller turns
    turn INTEGER NOT NULL,
    linked_from INTEGER REFERENCES pages,
    -- A duplicate is an address that leads to a page of another address.
    state TEXT NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'running', 'done', 'failed', 'duplicate')),
    tries INTEGER NOT NULL DEFAULT 0,
    due REAL NOT NULL DEFAULT 0,
    passing INTEGER NOT NULL DEFAULT 0,
    kind TEXT,
    error TEXT,
    http_status INTEGER,
    seconds REAL,
    place INTEGER,  -- of its line in the results
    confidence REAL,  -- of the text in that line
    content TEXT,  -- hash of its address and text
    etag TEXT,
    modified TEXT,
    digest TEXT,
    checked REAL,  -- when an update has last requested it
    again TEXT CHECK (again IN ('visit', 'read'))  -- of a done page: by an update, without a visit
);
CREATE INDEX IF NOT EXISTS contents ON pages (content) WHERE content NOTNULL;
CREATE INDEX IF NOT EXISTS queue ON pages (host, seconds IS NULL, rank, turn, id)
    WHERE state = 'queued';
CREATE INDEX IF NOT EXISTS states ON pages (state, kind, passing);
"""

DROPPED = "dropped"  # name of the fact that counts the addresses that a crawl did not queue

Fetch = Callable[[str], Iterable[tuple[Any, ...]]]


def count_pages(fetch: Fetch, folder: Path) -> Counts:
    """Numbers of the pages of a folder by state, from the rows of queries."""
    states = dict.fromkeys(("queued", "running", "done", "failed", "duplicate"), 0)
    kinds: dict[str, int] = {}
    retried = 0
    query = "SELECT state, kind, passing, COUNT(*) FROM pages GROUP BY state, kind, passing"
    for state, kind, passing, count in fetch(query):
        if state not in states:
            raise ArchiveError(f"the state of {folder} is damaged: unknown page state {state!r}")
        states[state] += count
        if state == "failed":
            kinds[str(kind)] = kinds.get(str(kind), 0) + count
            retried += count if passing else 0
    rows = fetch(f"SELECT value FROM facts WHERE name = '{DROPPED}'")
    dropped = str(next(iter(rows), ("0",))[0])
    if not dropped.isdecimal():
        raise ArchiveError(f"the state of {folder} is damaged: {dropped!r} is not a number")
    duplicates = states.pop("duplicate")
    return Counts(
        **states, kinds=kinds, passing=retried, dropped=int(dropped), duplicates=duplicates
    )


def as_text(data: bytes) -> str:
    """Decode text of a state file; bytes that are not UTF-8 are damage and become U+FFFD."""
    return data.decode("utf-8", "replace")


def open_database(
    path: str | Path, schema: str, version: int, **options: Any
) -> sqlite3.Connection:
    """Open an SQLite file for writing; it is created if missing, with the tables of a schema.

    Its user begins and commits transactions itself.
    """
    db = sqlite3.connect(path, isolation_level=None, **options)
    try:
        db.text_factory = as_text
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        _check_version(db, path, version, 0)
        db.executescript(schema)
        db.execute(f"PRAGMA user_version = {version}")
    except BaseException:
        db.close()
        raise
    return db


def _check_version(db: sqlite3.Connection, path: str | Path, *versions: int) -> None:
    """Check the format version of an SQLite file, which must be the first or another one."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version not in versions:
        raise ArchiveError(
            f"{path} has format version {version}, but this release of Miolo reads "
            f"version {versions[0]}"
        )


def open_state(path: Path) -> sqlite3.Connection:
    """Open the state of a collection for writing; it is created if missing."""
    try:
        return open_database(path, SCHEMA, VERSION)
    except DAMAGED as error:
        code = getattr(error, "sqlite_errorcode", 0)
        if code & 0xFF in UNAVAILABLE:
            raise StorageError(f"{path} cannot be written: {error}") from error
        raise ArchiveError(f"{path} cannot be read: {error}") from error


def open_read_only(file: Path, version: int) -> sqlite3.Connection:
    """Open an SQLite file of a version for reading, even if its folder is not writable."""
    try:
        return _connect(file, "mode=ro", version)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in CANNOT_WRITE:
            raise
        log = file.with_name(f"{file.name}-wal")
        if log.exists() and log.stat().st_size:
            # Ignoring the log would silently read an older state.
            raise ArchiveError(
                f"{log} holds changes that are not in the database yet: copy the folder to a "
                "writable location"
            ) from error
    return _connect(file, "immutable=1", version)


def _connect(file: Path, mode: str, version: int) -> sqlite3.Connection:
    db = sqlite3.connect(f"{file.resolve().as_uri()}?{mode}", uri=True, timeout=BUSY_SECONDS)
    db.text_factory = as_text
    try:
        # Connecting alone does not read the file.
        _check_version(db, file, version)
    except BaseException:
        db.close()
        raise
    return db
