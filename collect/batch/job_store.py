"""`JobStore`: which pages are queued, running, done or failed, in SQLite beside the results.

One commit marks a page as done and records the length of the journals that hold its results. If
the process dies before that commit, whatever was written for the page is truncated and the page
is visited again. After the commit the page stays done. No result is lost or duplicated.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any, cast

from ... import errors
from ...workers.system import lock_file
from .files import LOCK, RESULTS
from .jobs import Address, Counts, Job, server_of
from .retries import LONGEST_WAIT
from .state_file import DAMAGED, DROPPED, FILE, count_pages, open_state
from .validators import GONE, GONE_STATUSES, Validators


class Journal:
    """Lines or records in one file, which is created with the first data.

    Opening the file truncates it to the committed length. This removes what a killed run wrote
    after its last commit: a partial line, or the line of a page that is not marked as done.
    """

    def __init__(self, path: Path, length: int) -> None:
        self._path = path
        self._file = path.open("ab") if path.exists() else None
        if self._file and self._file.tell() > length:
            self._file.truncate(length)
            self._file.seek(length)

    @property
    def length(self) -> int:
        """Current length in bytes."""
        return self._file.tell() if self._file else 0

    def append(self, data: bytes) -> None:
        """Append data; it is on the disk only after `sync`."""
        if not data:
            return
        try:
            self._file = self._file or self._path.open("ab")
            self._file.write(data)
        except OSError as error:
            raise errors.StorageError(f"results cannot be written: {error}") from error

    def sync(self) -> None:
        """Flush all appended data to the disk; a full disk is a `StorageError`."""
        if self._file is None:
            return
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise errors.StorageError(f"results cannot be written: {error}") from error

    def close(self) -> None:
        """Close the file; errors are ignored, because data lost on a full disk is uncommitted."""
        with contextlib.suppress(OSError):
            if self._file:
                self._file.close()


@dataclass(frozen=True)
class UpdatablePage:
    """A page that an update requests: its number, its address, whether it is a duplicate, and the
    validators of its last response, if they are known.
    """

    id: int
    url: str
    is_duplicate: bool
    validators: Validators | None


BAD_LINE = "BadLineError"  # kind of failure of a line in a list that is not an address
ENDED = "ended"  # name of the fact that states when the last run was complete
COMMIT_SECONDS = 0.5  # number of seconds between two commits of a run
CHUNK = 10_000  # number of addresses that are read, and of rows that are fetched, at a time


class JobStore:
    """The state of one collection in a folder; only one process at a time may have it open.

    `journals` names the files to which results are appended. A `CollectionLockedError` means that
    another run has the collection open, an `ArchiveError` that the state cannot be read or that a
    journal is shorter than its committed length, a `StorageError` that the disk is full.
    """

    def __init__(self, folder: Path, journals: Iterable[str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        with ExitStack() as opened:
            self._lock = opened.enter_context((folder / LOCK).open("w"))
            try:
                lock_file(self._lock)
            except OSError:
                raise errors.CollectionLockedError(f"another run is writing to {folder}") from None
            self._db = opened.enter_context(closing(open_state(folder / FILE)))
            self.journals: dict[str, Journal] = {}
            self._committed = monotonic()
            for name in journals:
                journal = self._journal(folder / name)
                self.journals[name] = opened.enter_context(closing(journal))
            self._recover()
            self._opened = opened.pop_all()

    def _do(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        try:
            if not self._db.in_transaction and sql != "COMMIT":
                self._db.execute("BEGIN")
            return self._db.execute(sql, values)
        except sqlite3.OperationalError as error:
            raise errors.StorageError(f"results cannot be written: {error}") from error
        except DAMAGED as error:
            raise errors.ArchiveError(f"the state of {self._folder} is damaged: {error}") from error

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, fetched in chunks."""
        cursor = self._do(sql, values)
        try:
            while rows := cursor.fetchmany(CHUNK):
                yield from rows
        except DAMAGED as error:
            raise errors.ArchiveError(f"the state of {self._folder} is damaged: {error}") from error

    def _first(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        return next(self._rows(sql, values), None)

    def _journal(self, path: Path) -> Journal:
        row = self._first("SELECT length FROM journals WHERE name = ?", (path.name,))
        agreed = row[0] if row else 0
        if not isinstance(agreed, int):
            raise errors.ArchiveError(
                f"the state of {self._folder} is damaged: {agreed!r} is not a valid length"
            )
        if (path.stat().st_size if path.exists() else 0) < agreed:
            raise errors.ArchiveError(
                f"{path} is shorter than the {agreed:,} bytes that were written to it"
            )
        return Journal(path, agreed)

    def _recover(self) -> None:
        """Queue the pages that were running when the last run ended, and transient failures."""
        self._do("UPDATE pages SET state = 'queued' WHERE state = 'running'")
        self._do(
            "UPDATE pages SET state = 'queued', tries = 0, due = 0, kind = NULL, error = NULL "
            "WHERE state = 'failed' AND passing"
        )
        self.commit()

    def retry_failed(self, kind: str | None = None) -> None:
        """Queue failed pages, but no bad lines: those with an error of a class, or all."""
        self._do(
            "UPDATE pages SET state = 'queued', tries = 0, due = 0 "
            "WHERE state = 'failed' AND kind != ? AND kind = IFNULL(?, kind)",
            (BAD_LINE, kind),
        )
        self.commit()

    def forget_bad_lines(self) -> None:
        """Delete the lines that are not addresses; the list may have been corrected."""
        self._do("DELETE FROM pages WHERE state = 'failed' AND kind = ?", (BAD_LINE,))

    def fact(self, name: str) -> str | None:
        """The value of a fact about the collection; None if it was never set."""
        row = self._first("SELECT value FROM facts WHERE name = ?", (name,))
        return row[0] if row else None

    def note(self, name: str, value: str) -> None:
        """Set a fact about the collection."""
        self._do("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def note_dropped(self, count: int) -> None:
        """Add to the count of addresses that were found but not queued."""
        self.note(DROPPED, str(int(self.fact(DROPPED) or 0) + count))

    def add(self, addresses: Iterable[Address]) -> dict[str, int]:
        """Queue pages, and count the new ones of each host; known pages keep their state."""
        new: dict[str, int] = {}
        rest = iter(addresses)
        while chunk := list(islice(rest, CHUNK)):
            for address in chunk:
                host = server_of(address.url)
                order = address.rank, address.turn
                row = address.url, host, address.depth, *order, address.linked_from
                cursor = self._do(
                    "INSERT OR IGNORE INTO pages (url, host, depth, rank, turn, linked_from) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    row,
                )
                if cursor.rowcount:
                    new[host] = new.get(host, 0) + 1
        return new

    def add_failed(self, url: str, error: errors.MioloError) -> None:
        """Record a page that cannot be visited; a known page keeps its state."""
        self._do(
            "INSERT OR IGNORE INTO pages (url, host, depth, turn, state, kind, error) "
            "VALUES (?, '', 0, 0, 'failed', ?, ?)",
            (url, type(error).__name__, str(error)),
        )

    def waiting(self) -> dict[str, int]:
        """Number of queued pages for each host, in the order in which the hosts were added."""
        rows = self._rows(
            "SELECT host, COUNT(*) FROM pages WHERE state = 'queued' GROUP BY host ORDER BY MIN(id)"
        )
        return dict(cast(Iterator[tuple[str, int]], rows))

    def take(self, host: str, now: float) -> Job | float | None:
        """Take the next page of a host and mark it as running.

        If no page is due yet, the time at which the first becomes due is returned, in seconds since
        the epoch; if no page is queued, None.
        """
        row = self._first(
            "SELECT id, url, depth, tries FROM pages WHERE state = 'queued' AND host = ?1 "
            # A time further ahead than any wait comes from a clock that was wrong.
            "AND (due <= ?2 OR due > ?2 + ?3) ORDER BY seconds IS NULL, rank, turn, id LIMIT 1",
            (host, now, LONGEST_WAIT),
        )
        if row is None:
            query = (
                "SELECT MIN(due) FROM pages INDEXED BY queue WHERE state = 'queued' AND host = ?"
            )
            (due,) = self._first(query, (host,)) or (None,)
            if not isinstance(due, (int, float, type(None))):
                raise errors.ArchiveError(
                    f"the state of {self._folder} is damaged: {due!r} is not a valid time"
                )
            return due
        number, url, depth, tries = row
        if not (isinstance(url, str) and isinstance(depth, int) and isinstance(tries, int)):
            raise errors.ArchiveError(f"the state of {self._folder} is damaged at page {number}")
        self._do("UPDATE pages SET state = 'running', tries = tries + 1 WHERE id = ?", (number,))
        return Job(number, url, depth, host, tries + 1)

    def finish(self, job: Job, seconds: float, row: bytes, confidence: float | None = None) -> None:
        """Mark a page as done, whose files are on the disk; its row supersedes an earlier one."""
        self._write_row(job, row, confidence)
        self._do(
            "UPDATE pages SET state = 'done', seconds = ?, kind = NULL, error = NULL, "
            "http_status = NULL, again = NULL WHERE id = ?",
            (seconds, job.id),
        )

    def fail(
        self,
        job: Job,
        error: Exception,
        seconds: float,
        *,
        passing: bool,
        row: bytes = b"",
        confidence: float | None = None,
    ) -> None:
        """Mark a page as failed; the next run retries it if the failure is `passing`.

        A page that failed because of its text has a row, which is kept until another one
        supersedes it. A page that an update has queued again stays as it was, unless it is gone or
        is now another page; the next update visits it again.
        """
        is_duplicate = isinstance(error, errors.DuplicatePageError)
        if is_duplicate or getattr(error, "status", None) in GONE_STATUSES:
            self._do("UPDATE pages SET place = NULL, confidence = NULL WHERE id = ?", (job.id,))
        elif self._do(
            "UPDATE pages SET state = 'done', again = NULL, digest = NULL "
            "WHERE id = ? AND again NOTNULL",
            (job.id,),
        ).rowcount:
            return
        if row:
            self._write_row(job, row, confidence)
        if not is_duplicate:
            # A page with validators was done once; an update visits it as soon as it is back.
            self._do(
                "UPDATE pages SET etag = ?, modified = ?, digest = ? "
                "WHERE id = ? AND digest NOTNULL",
                (GONE.etag, GONE.modified, GONE.digest, job.id),
            )
        state = "duplicate" if is_duplicate else "failed"
        self._do(
            "UPDATE pages SET state = ?, kind = ?, error = ?, http_status = ?, "
            "seconds = ?, passing = ?, again = NULL WHERE id = ?",
            (state, *_describe(error), seconds, passing, job.id),
        )

    def _write_row(self, job: Job, row: bytes, confidence: float | None) -> None:
        """Append the row of a page to the results; only the last one of a page counts."""
        place = self.journals[RESULTS].length
        self.journals[RESULTS].append(row)
        self._do(
            "UPDATE pages SET place = ?, confidence = ? WHERE id = ?", (place, confidence, job.id)
        )

    def requeue(self, job: Job, error: Exception, due: float) -> None:
        """Queue a page again, to be visited no earlier than `due`."""
        self._do(
            "UPDATE pages SET state = 'queued', kind = ?, error = ?, http_status = ?, due = ? "
            "WHERE id = ?",
            (*_describe(error), due, job.id),
        )

    def release(self, job: Job) -> None:
        """Queue a page again whose visit did not take place."""
        self._do("UPDATE pages SET state = 'queued', tries = tries - 1 WHERE id = ?", (job.id,))

    def commit(self) -> None:
        """Commit all changes since the last commit; journals are flushed to the disk first."""
        for name, journal in self.journals.items():
            journal.sync()
            self._do("INSERT OR REPLACE INTO journals VALUES (?, ?)", (name, journal.length))
        self._do("COMMIT")
        self._committed = monotonic()

    def commit_if_due(self) -> None:
        """Commit if the last commit was `COMMIT_SECONDS` ago."""
        if monotonic() - self._committed >= COMMIT_SECONDS:
            self.commit()

    def count_visited(self) -> int:
        """Number of pages that are done, or were done until an update queued them again."""
        row = self._first(
            "SELECT COUNT(*) FROM pages WHERE state = 'done' "
            # A queued duplicate has validators, too, but no duration.
            "OR (state = 'queued' AND seconds NOTNULL AND digest NOTNULL)"
        )
        return row[0] if row else 0

    def updatable_pages(self) -> list[UpdatablePage]:
        """Pages that an update requests, first those that none has requested for the longest."""
        rows = self._rows(
            "SELECT id, url, state = 'duplicate', etag, modified, digest FROM pages "
            "WHERE state = 'done' OR (state = 'failed' AND digest = ?) "
            "OR (state = 'duplicate' AND tries) ORDER BY checked, id",
            (GONE.digest,),
        )
        return [
            UpdatablePage(
                int(number),
                str(url),
                bool(is_duplicate),
                None if validators[-1] is None else Validators(*map(str, validators)),
            )
            for number, url, is_duplicate, *validators in rows
        ]

    def note_validators(self, number: int, validators: Validators, *, keep: bool = False) -> None:
        """Store the validators of a page's last response, or keep those that an update has stored.

        Some servers send browsers other text than plain requests, and updates make only plain
        requests, which can be compared with each other.
        """
        self._do(
            "UPDATE pages SET etag = ?, modified = ?, digest = ? "
            "WHERE id = ? AND (digest IS NULL OR NOT ?)",
            (validators.etag, validators.modified, validators.digest, number, keep),
        )

    def note_check(self, number: int, time: float) -> None:
        """Store when an update has last requested a page, in seconds since the epoch."""
        self._do("UPDATE pages SET checked = ? WHERE id = ?", (time, number))

    def row_places(self) -> dict[int, int]:
        """Byte offset of the row of each page in the results, by page number."""
        query = "SELECT id, CAST(place AS INTEGER) FROM pages WHERE place NOTNULL"
        return dict(cast(Iterator[tuple[int, int]], self._rows(query)))

    def done_jobs(self, numbers: Iterable[int]) -> list[Job]:
        """Those of these pages that are done."""
        query = "SELECT url, depth, host, tries FROM pages WHERE id = ? AND state = 'done'"
        rows = ((number, self._first(query, (number,))) for number in numbers)
        return [Job(number, *row) for number, row in rows if row is not None]

    def note_rereads(self, numbers: Iterable[int]) -> None:
        """Remember done pages to be read again from their snapshots."""
        query = "UPDATE pages SET again = 'read' WHERE id = ? AND state = 'done'"
        for number in numbers:
            self._do(query, (number,))

    def rereads(self) -> list[Job]:
        """Done pages that are to be read again."""
        query = "SELECT id FROM pages WHERE state = 'done' AND again = 'read'"
        return self.done_jobs([int(page) for (page,) in self._rows(query)])

    def end_reread(self, job: Job, row: bytes = b"", confidence: float | None = None) -> None:
        """Replace the row of a page that was read again; without a row, the page stays as it is."""
        ended = self._do(
            "UPDATE pages SET again = NULL WHERE id = ? AND state = 'done' AND again = 'read'",
            (job.id,),
        )
        if row and ended.rowcount:
            self._write_row(job, row, confidence)

    def requeue_done(self, number: int) -> None:
        """Queue a done page again, or one that was done until it was gone."""
        self._do(
            "UPDATE pages SET state = 'queued', tries = 0, due = 0, "
            "again = IIF(place NOTNULL, 'visit', NULL) WHERE id = ?",
            (number,),
        )

    def requeue_duplicate(self, number: int) -> int:
        """Queue a duplicate like a page that was never visited; 0 if it was queued already."""
        return self._requeue_duplicates("id = ?", (number,))

    def requeue_duplicates_of(self, url: str, target: str) -> int:
        """Queue and count the duplicates of a changed page, except its final address `target`."""
        return self._requeue_duplicates(
            "error IN (?, ?) AND url != ?", (_same_address(url), _same_text(url), target)
        )

    def _requeue_duplicates(self, condition: str, values: Sequence[Any]) -> int:
        return self._do(
            "UPDATE pages SET state = 'queued', tries = 0, due = 0, kind = NULL, error = NULL, "
            f"seconds = NULL WHERE state = 'duplicate' AND {condition}",
            values,
        ).rowcount

    def forget(self, name: str) -> None:
        """Delete a fact about the collection."""
        self._do("DELETE FROM facts WHERE name = ?", (name,))

    def counts(self) -> Counts:
        """Number of pages in each state."""
        return count_pages(self._rows, self._folder)

    def addresses(self) -> Iterator[Address]:
        """All pages that were ever queued, in the order in which they were added."""
        rows = self._rows(
            # Final addresses of redirects were never queued.
            "SELECT url, depth, turn FROM pages "
            "WHERE tries OR state NOT IN ('failed', 'duplicate') ORDER BY id"
        )
        return (Address(str(url), depth, turn) for url, depth, turn in rows)

    def has_url(self, url: str) -> bool:
        """Whether a page was ever queued."""
        return self._first("SELECT 1 FROM pages WHERE url = ?", (url,)) is not None

    def same_page(self, job: Job, url: str) -> bool:
        """Whether a page's final address is another page's; a new one becomes a duplicate."""
        message = _same_address(job.url)
        row = self._first("SELECT id, error FROM pages WHERE url = ?", (url,))
        if row is None:
            self._do(
                "INSERT INTO pages (url, host, depth, turn, state, kind, error) "
                "VALUES (?, ?, ?, 0, 'duplicate', ?, ?)",
                (url, server_of(url), job.depth, errors.DuplicatePageError.__name__, message),
            )
        # An update visits a page again whose final address was recorded at its first visit.
        return row is not None and row[0] != job.id and row[1] != message

    def same_content(self, job: Job, digest: str) -> str | None:
        """Which done page has the same content; None if none has it, and the hash is stored."""
        row = self._first(
            "SELECT url FROM pages WHERE content = ? AND state = 'done' AND id != ? LIMIT 1",
            (digest, job.id),
        )
        if row is not None:
            # Hashes of duplicates would have to be passed over at each search.
            return _same_text(str(row[0]))
        self._do("UPDATE pages SET content = ? WHERE id = ?", (digest, job.id))
        return None

    def close(self) -> None:
        """Close the collection; uncommitted changes are discarded."""
        self._opened.close()


def _same_address(url: str) -> str:
    """Why the final address of a page is not visited."""
    return f"already visited as {url}"


def _same_text(url: str) -> str:
    """Why a page with the content of another page is not kept."""
    return f"the page declares the same address as {url} and has the same text"


def _describe(error: Exception) -> tuple[str, str, int | None]:
    return type(error).__name__, str(error), getattr(error, "status", None)
