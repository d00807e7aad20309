"""``state.sqlite``, the file that lists a collection's pages: schema, opening and checks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...errors import ArchiveError, DuplicatePageError, StorageError
from .jobs import Counts

__all__ = [
    "COUNTS",
    "DAMAGED",
    "DUPLICATE_PAGE",
    "FILE",
    "PASSING",
    "STATE",
    "VERSION",
    "add_states",
    "as_text",
    "open_read_only",
    "open_state",
]

FILE = "state.sqlite"
VERSION = 1

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
    turn INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'running', 'done', 'failed')),
    tries INTEGER NOT NULL DEFAULT 0,
    due REAL NOT NULL DEFAULT 0,
    passing INTEGER NOT NULL DEFAULT 0,
    kind TEXT,
    error TEXT,
    http_status INTEGER,
    seconds REAL
);
CREATE TABLE IF NOT EXISTS superseded (place INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS replaceable (
    id INTEGER PRIMARY KEY REFERENCES pages,  -- one that an update has queued again
    place INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS rereads (
    id INTEGER PRIMARY KEY REFERENCES pages,  -- a done one that is read again without a visit
    place INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS validators (
    id INTEGER PRIMARY KEY, etag TEXT NOT NULL, modified TEXT NOT NULL, digest TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS checks (id INTEGER PRIMARY KEY, time REAL NOT NULL);
CREATE TABLE IF NOT EXISTS kept_rows (
    id INTEGER PRIMARY KEY REFERENCES pages,  -- one that failed because of its text
    place INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS confidences (id INTEGER PRIMARY KEY, value REAL NOT NULL);
CREATE TABLE IF NOT EXISTS referrers (id INTEGER PRIMARY KEY, page INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS contents (id INTEGER PRIMARY KEY, digest TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS digests ON contents (digest);
DROP INDEX IF EXISTS waiting;
CREATE INDEX IF NOT EXISTS queue ON pages (host, seconds IS NULL, depth, turn, id)
    WHERE state = 'queued';
CREATE INDEX IF NOT EXISTS states ON pages (state, kind);
"""

DUPLICATE_PAGE = DuplicatePageError.__name__
"""Kind of an address that leads to a page of another address: a duplicate, and no failure."""

STATE = f"CASE WHEN state = 'failed' AND kind = '{DUPLICATE_PAGE}' THEN 'duplicate' ELSE state END"
"""Expression for the state of a page in which duplicates have a state of their own."""

COUNTS = "SELECT state, kind, COUNT(*) FROM pages GROUP BY state, kind"
"""Query for the rows that `add_states` sums up."""

PASSING = "SELECT COUNT(*) FROM pages WHERE state = 'failed' AND passing"
"""Query for the number of failed pages that the next run visits again."""


def add_states(rows: Iterable[tuple[Any, ...]], passing: int, dropped: str, folder: Path) -> Counts:
    """Sum up rows of (state, kind, count)."""
    states = dict.fromkeys(("queued", "running", "done", "failed"), 0)
    kinds: dict[str, int] = {}
    duplicates = 0
    for state, kind, count in rows:
        if state not in states:
            raise ArchiveError(f"the state of {folder} is damaged: unknown page state {state!r}")
        if state == "failed" and kind == DUPLICATE_PAGE:
            duplicates += count
            continue
        states[state] += count
        if state == "failed":
            kinds[str(kind)] = kinds.get(str(kind), 0) + count
    if not dropped.isdecimal():
        raise ArchiveError(f"the state of {folder} is damaged: {dropped!r} is not a number")
    return Counts(
        **states, kinds=kinds, passing=passing, dropped=int(dropped), duplicates=duplicates
    )


def as_text(data: bytes) -> str:
    """Decode text of a state file; bytes that are not UTF-8 are damage and become U+FFFD."""
    return data.decode("utf-8", "replace")


def open_state(path: Path) -> sqlite3.Connection:
    """Open the file for writing; it is created if missing."""
    try:
        # The job store begins and commits transactions itself.
        db = sqlite3.connect(path, isolation_level=None)
        try:
            _prepare(db, path)
        except BaseException:
            db.close()
            raise
    except DAMAGED as error:
        code = getattr(error, "sqlite_errorcode", 0)
        if code & 0xFF in UNAVAILABLE:
            raise StorageError(f"{path} cannot be written: {error}") from error
        raise ArchiveError(f"{path} cannot be read: {error}") from error
    return db


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    """Create the tables if missing, and check the version."""
    db.text_factory = as_text
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.executescript(SCHEMA)
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, VERSION):
        raise ArchiveError(
            f"{path} has format version {version}, but this release of Miolo reads "
            f"version {VERSION}"
        )
    db.execute(f"PRAGMA user_version = {VERSION}")


def open_read_only(file: Path) -> sqlite3.Connection:
    """Open an SQLite file for reading, even if its folder is not writable."""
    try:
        return _connect(file, "mode=ro")
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
    return _connect(file, "immutable=1")


def _connect(file: Path, mode: str) -> sqlite3.Connection:
    db = sqlite3.connect(f"{file.resolve().as_uri()}?{mode}", uri=True, timeout=BUSY_SECONDS)
    db.text_factory = as_text
    try:
        # Connecting alone does not read the file.
        db.execute("SELECT 1 FROM sqlite_master").fetchone()
    except BaseException:
        db.close()
        raise
    return db
