"""`JobStore`: which pages are queued, running, done or failed, in SQLite beside the results.

A page counts as done from the commit on that also says how long the journals are with its
results in them. Whatever happens before, the page is done again, and what was written of it is
cut off; whatever happens after, it is done. So nothing is lost and nothing is there twice.
"""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ...errors import ArchiveError, CollectionLockedError, StorageError
from .journal import Journal
from .pages import Address, Counts, Job, host_of

__all__ = ["DROPPED", "JobStore"]

FILE, LOCK = "state.sqlite", "lock"
VERSION = 1

# Kind of an address that leads to a page which has another.
DUPLICATE_PAGE = "DuplicatePageError"

DROPPED = "dropped"
"""Fact that counts the addresses that a crawl did not queue."""

# Addresses that are added in one transaction.
CHUNK = 10_000

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
CREATE INDEX IF NOT EXISTS waiting ON pages (host, depth, turn, id) WHERE state = 'queued';
CREATE INDEX IF NOT EXISTS states ON pages (state, kind);
"""


class JobStore:
    """The state of one collection; one process at a time may have it open.

    Parameters
    ----------
    folder
        Of the collection; made where it is not there.
    journals
        Names of the files that results are appended to.

    Raises
    ------
    CollectionLockedError
        Another run has it open.
    ArchiveError
        The state cannot be read, or a journal is shorter than was agreed on.
    """

    def __init__(self, folder: Path, journals: Iterable[str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._lock = (folder / LOCK).open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise CollectionLockedError(f"another run is writing to {folder}") from None
        try:
            self._db = _open(folder / FILE)
            self.journals = {name: self._journal(folder / name) for name in journals}
            self._recover()
        except BaseException:
            self._lock.close()
            raise

    def _do(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        try:
            if not self._db.in_transaction and sql != "COMMIT":
                self._db.execute("BEGIN")
            return self._db.execute(sql, values)
        except sqlite3.OperationalError as error:
            raise StorageError(f"results cannot be written: {error}") from error
        except sqlite3.DatabaseError as error:
            raise ArchiveError(f"the state of {self._folder} is damaged: {error}") from error

    def _journal(self, path: Path) -> Journal:
        row = self._do("SELECT length FROM journals WHERE name = ?", (path.name,)).fetchone()
        agreed = row[0] if row else 0
        if (path.stat().st_size if path.exists() else 0) < agreed:
            raise ArchiveError(
                f"{path} is shorter than the {agreed:,} bytes that were written to it"
            )
        return Journal(path, agreed)

    def _recover(self) -> None:
        """What was running when the last run ended is to be done again, as is what may pass."""
        self._do("UPDATE pages SET state = 'queued' WHERE state = 'running'")
        self._do(
            "UPDATE pages SET state = 'queued', tries = 0, due = 0, kind = NULL, error = NULL "
            "WHERE state = 'failed' AND passing"
        )
        self.commit()

    def retry_failed(self) -> None:
        """Queue all that has failed, for whatever reason."""
        self._do("UPDATE pages SET state = 'queued', tries = 0, due = 0 WHERE state = 'failed'")
        self.commit()

    def fact(self, name: str) -> str | None:
        """What was noted of the collection."""
        row = self._do("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def note(self, name: str, value: str) -> None:
        """Note something of the collection."""
        self._do("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def note_dropped(self, count: int) -> None:
        """Count addresses that were found and not queued."""
        self.note(DROPPED, str(int(self.fact(DROPPED) or 0) + count))

    def add(self, addresses: Iterable[Address]) -> dict[str, int]:
        """Queue pages; those that are known already stay as they are.

        Returns
        -------
        For each host the number of new pages.
        """
        new: dict[str, int] = {}
        rest = iter(addresses)
        while chunk := list(islice(rest, CHUNK)):
            for address in chunk:
                host = host_of(address.url)
                found = self._do(
                    "INSERT OR IGNORE INTO pages (url, host, depth, turn) VALUES (?, ?, ?, ?)",
                    (address.url, host, address.depth, address.turn),
                )
                if found.rowcount:
                    new[host] = new.get(host, 0) + 1
        return new

    def waiting(self) -> dict[str, int]:
        """Queued pages of each host, hosts in the order in which they came."""
        return dict(
            self._do(
                "SELECT host, COUNT(*) FROM pages WHERE state = 'queued' "
                "GROUP BY host ORDER BY MIN(id)"
            )
        )

    def take(self, host: str, now: float) -> Job | float | None:
        """The next page of a host, which runs from now on.

        Returns
        -------
        The page; or the time (seconds since the epoch) from which on one is due; or None if
        none is queued.
        """
        row = self._do(
            "SELECT id, url, depth, tries FROM pages WHERE state = 'queued' AND host = ? "
            "AND due <= ? ORDER BY depth, turn, id LIMIT 1",
            (host, now),
        ).fetchone()
        if row is None:
            return self._do(
                "SELECT MIN(due) FROM pages WHERE state = 'queued' AND host = ?", (host,)
            ).fetchone()[0]
        self._do("UPDATE pages SET state = 'running', tries = tries + 1 WHERE id = ?", (row[0],))
        return Job(row[0], row[1], row[2], host, row[3] + 1)

    def done(self, job: Job, seconds: float) -> None:
        """A page's results are in the journals and files."""
        self._do(
            "UPDATE pages SET state = 'done', seconds = ?, kind = NULL, error = NULL, "
            "http_status = NULL WHERE id = ?",
            (seconds, job.id),
        )

    def failed(self, job: Job, error: Exception, seconds: float, *, passing: bool) -> None:
        """A page is given up; `passing` ones are tried again by the next run."""
        self._do(
            "UPDATE pages SET state = 'failed', kind = ?, error = ?, http_status = ?, "
            "seconds = ?, passing = ? WHERE id = ?",
            (*_describe(error), seconds, passing, job.id),
        )

    def again(self, job: Job, error: Exception, due: float) -> None:
        """A page is tried once more, not before a time."""
        self._do(
            "UPDATE pages SET state = 'queued', kind = ?, error = ?, http_status = ?, due = ? "
            "WHERE id = ?",
            (*_describe(error), due, job.id),
        )

    def back(self, job: Job) -> None:
        """A page that was not visited after all."""
        self._do("UPDATE pages SET state = 'queued', tries = tries - 1 WHERE id = ?", (job.id,))

    def commit(self) -> None:
        """Agree on all that was said since the last time; journals are on the disk first.

        Raises
        ------
        StorageError
            The disk is full, or gone.
        """
        for name, journal in self.journals.items():
            journal.sync()
            self._do("INSERT OR REPLACE INTO journals VALUES (?, ?)", (name, journal.length))
        self._do("COMMIT")

    def counts(self) -> Counts:
        """Pages by state."""
        rows = self._do("SELECT state, kind, COUNT(*) FROM pages GROUP BY state, kind")
        states = dict.fromkeys(("queued", "running", "done", "failed"), 0)
        kinds: dict[str, int] = {}
        for state, kind, count in rows:
            states[state] += count
            if state == "failed":
                kinds[kind] = count
        return Counts(**states, kinds=kinds, dropped=int(self.fact(DROPPED) or 0))

    def addresses(self) -> Iterator[Address]:
        """All pages in the order in which they came."""
        rows = self._do("SELECT url, depth, turn FROM pages ORDER BY id")
        return (Address(*row) for row in rows)

    def knows(self, url: str) -> bool:
        """Whether a page was ever queued."""
        return self._do("SELECT 1 FROM pages WHERE url = ?", (url,)).fetchone() is not None

    def same_page(self, job: Job, url: str) -> bool:
        """Whether the address that a page led to is another page of the collection.

        That address counts as visited from now on.
        """
        found = self._do("SELECT id FROM pages WHERE url = ?", (url,)).fetchone()
        if found is None:
            self._do(
                "INSERT INTO pages (url, host, depth, turn, state, kind, error) "
                "VALUES (?, ?, ?, 0, 'failed', ?, ?)",
                (url, host_of(url), job.depth, DUPLICATE_PAGE, f"visited as {job.url}"),
            )
        return found is not None and found[0] != job.id

    def close(self) -> None:
        """Let go of the collection; what was not agreed on is forgotten."""
        for journal in self.journals.values():
            journal.close()
        self._db.close()
        self._lock.close()


def _open(path: Path) -> sqlite3.Connection:
    # Transactions begin where the job store says, and end where it commits.
    db = sqlite3.connect(path, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.executescript(SCHEMA)
        found = db.execute("PRAGMA user_version").fetchone()[0]
        if found not in (0, VERSION):
            raise ArchiveError(f"{path} is of version {found}, this is version {VERSION}")
        db.execute(f"PRAGMA user_version = {VERSION}")
    except sqlite3.DatabaseError as error:
        db.close()
        raise ArchiveError(f"{path} cannot be read: {error}") from error
    return db


def _describe(error: Exception) -> tuple[str, str, int | None]:
    return type(error).__name__, str(error), getattr(error, "status", None)
