"""`Drafts`: corrections that users of the web page have not yet exported, in SQLite."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

from ..collect.batch.state_file import open_database
from ..errors import ArchiveError, StorageError

MAX_KEY_CHARS = 9000
MAX_DRAFT_CHARS = 1 << 20

# A draft counts as at least this many bytes, which bounds the number of drafts too.
LEAST_BYTES = 4096

VERSION = 1
SCHEMA = "CREATE TABLE IF NOT EXISTS drafts (key TEXT PRIMARY KEY, text TEXT, saved REAL)"

DELETE_OLDEST = """DELETE FROM drafts WHERE key IN (SELECT key FROM (
  SELECT key, sum(max(?, length(CAST(text AS BLOB)))) OVER (ORDER BY saved DESC, key) AS held
  FROM drafts) WHERE held > ?)"""


class Drafts:
    """Texts by page in a file, or in memory; beyond `max_bytes`, the oldest are deleted."""

    def __init__(self, path: Path | None = None, max_bytes: int = 64 << 20) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        try:
            file = path or ":memory:"
            self._db = open_database(file, SCHEMA, VERSION, check_same_thread=False)
        except (sqlite3.Error, ArchiveError) as error:
            raise StorageError(f"drafts cannot be stored in {path}: {error}") from error

    def __enter__(self) -> Drafts:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def save(self, key: str, text: str) -> None:
        """Save the draft of a page, replacing the previous one."""
        row = (key, text, time.time())
        try:
            with self._lock:
                self._db.execute("INSERT OR REPLACE INTO drafts VALUES (?, ?, ?)", row)
                self._db.execute(DELETE_OLDEST, (LEAST_BYTES, self._max_bytes))
        except sqlite3.Error as error:
            raise StorageError(f"the draft cannot be saved: {error}") from error

    def load(self, key: str) -> str | None:
        """The draft of a page; None if there is none."""
        try:
            with self._lock:
                query = "SELECT text FROM drafts WHERE key = ?"
                row = self._db.execute(query, (key,)).fetchone()
        except sqlite3.Error as error:
            raise StorageError(f"the draft cannot be read: {error}") from error
        return None if row is None else row[0]
