"""`CollectionReader`: a folder of pages, read without loading all of them."""

from __future__ import annotations

import json
import os
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from copy import copy
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self

from ...errors import ArchiveError, EmptyInputError
from ...output.schema import valid_text
from ...renderer.network.origins import learned_name
from ...renderer.page.container import open_container
from ...renderer.page.snapshot import Snapshot
from ...untrusted_json import parse_json
from ..batch.files import RESULTS, file_of
from ..batch.jobs import Counts, server_of
from ..batch.state_file import DAMAGED, FILE, VERSION, count_pages, open_read_only

State = Literal["queued", "running", "done", "failed", "duplicate"]

STATES: tuple[State, ...] = ("queued", "running", "done", "failed", "duplicate")


@dataclass(frozen=True)
class CollectionPage:
    """A page of a collection."""

    id: int
    url: str
    """Number of the page in the collection, from 1, and its address or file, as given."""
    state: State
    """``"queued"``, ``"running"``, ``"done"``, ``"failed"`` or ``"duplicate"``: the address leads
    to a page of another address."""
    file: Path
    """Path of the snapshot, if one was kept."""
    host: str = ""
    """Scheme, host and port; the empty string for a file."""
    depth: int = 0
    tries: int = 0
    """Number of links from the start of a crawl, and number of visits so far."""
    kind: str | None = None
    error: str | None = None
    http_status: int | None = None
    """Reason why the page failed, is to be retried or is a duplicate: name of the error, its
    message, HTTP status."""
    seconds: float | None = None
    """Duration of the last visit."""

    @property
    def domain(self) -> str:
        """Registrable domain of the page's address; the empty string if it has none."""
        return domain_of(self.url)


@dataclass(frozen=True)
class HostCount:
    """Number of pages of one host, without duplicates: in all states, done and failed."""

    host: str
    pages: int
    done: int
    failed: int


@dataclass(frozen=True)
class Confidence:
    """Confidence of the texts of a collection, also of those that made their pages fail.

    The mean is the expected share of right texts; `doubtful` ones are more likely wrong than right.
    """

    texts: int
    mean: float
    doubtful: int


def domain_of(url: str) -> str:
    """Registrable domain of an address, with its port if that is not the usual one of the web; the
    empty string for a file or other text.
    """
    return learned_name(url) or ""


Log = Callable[[str], None]

Listed = tuple[str, str, bytes]

# Number of pages read at a time. A long read transaction would prevent checkpoints of a run's log.
CHUNK = 1000

COLUMNS = "id, url, state, file, host, depth, tries, kind, error, http_status, seconds"

# What is known of the snapshots in a folder without a state.
PLAIN = """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, url TEXT, host TEXT, file BLOB, state TEXT DEFAULT 'done',
    depth DEFAULT 0, tries DEFAULT 1, passing DEFAULT 0, kind, error, http_status, seconds, place,
    confidence, linked_from
);
CREATE TABLE facts (name, value);
"""

Order = Literal["place", "id"]


class CollectionReader:
    """Read access to a collection; see `Collection`."""

    def __init__(self, path: str | Path, *, log: Log | None = None) -> None:
        self.path = Path(path)
        with os.scandir(self.path):  # raises an error unless it is a folder that can be read
            pass
        self._log = log
        self._domain: str | None = None
        self._file = self.path / FILE
        self.has_state = self._file.exists()
        """Whether the folder has the state of a run."""
        self._listed: list[Listed] | None = None
        if self.has_state:
            self.counts()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {str(self.path)!r}: {len(self)} pages done>"

    def __len__(self) -> int:
        """Number of done pages."""
        if self._domain is None:
            return self.counts().done
        return sum(1 for _ in self.pages())

    def of_site(self, domain: str | None) -> Self:
        """The collection restricted to the pages of one registrable domain; None for all pages."""
        narrowed = copy(self)
        narrowed._domain = domain
        return narrowed

    def with_log(self, log: Log) -> Self:
        """The collection with another `log`."""
        other = copy(self)
        other._log = log
        return other

    def report(self, message: str) -> None:
        """Pass a message to the log, if there is one."""
        if self._log is not None:
            self._log(message)

    def pages(self, state: State | Sequence[State] | None = "done") -> Iterator[CollectionPage]:
        """Pages in one state, in several, or (None) in all, in order of number.

        State ``"duplicate"`` has the addresses that lead to pages of other addresses.
        """
        states = STATES if state is None else (state,) if isinstance(state, str) else tuple(state)
        marks = ", ".join("?" * len(states))
        columns = COLUMNS if not self.has_state else COLUMNS.replace("file", "NULL")
        # With the index of states, SQLite would read and sort all pages of a state for each chunk.
        query = (
            f"SELECT {columns} FROM pages WHERE +state IN ({marks}) AND id > ? "
            f"ORDER BY id LIMIT {CHUNK if self.has_state else -1}"
        )
        last = 0
        while chunk := self._fetch(query, (*states, last)):
            for page in map(self._page, chunk):
                if self._domain is None or page.domain == self._domain:
                    yield page
            last = chunk[-1][0]

    def _page(self, row: tuple[Any, ...]) -> CollectionPage:
        number, url, state, file, *rest = row
        if not isinstance(url, str):
            raise ArchiveError(f"{self._file} is damaged at page {number}")
        path = Path(os.fsdecode(file)) if file else file_of(self.path, "snapshots", url, ".miolo")
        return CollectionPage(number, url, state, path, *rest)

    def snapshot_files(self) -> list[tuple[str, str]]:
        """Path below the folder, and address, of each page with a snapshot."""
        return [
            (page.file.relative_to(self.path).as_posix(), page.url)
            for page in self.pages()
            if page.file.is_file()
        ]

    def failures(self) -> Iterator[CollectionPage]:
        """Failed pages, with `kind` and `error`."""
        return self.pages("failed")

    def referrers(self) -> dict[int, str]:
        """Addresses of the pages that link to failed pages of a crawl, by the numbers of these."""
        query = (
            "SELECT failed.id, source.url FROM pages AS failed "
            "JOIN pages AS source ON source.id = failed.linked_from WHERE failed.state = 'failed'"
        )
        return dict(self._fetch(query))

    def snapshot(self, page: CollectionPage) -> Snapshot:
        """Snapshot of a page.

        Raises
        ------
        ArchiveError
            The snapshot is damaged or missing.
        """
        try:
            return Snapshot.load(page.file)
        except OSError as error:
            message = f"snapshot of {page.url} cannot be read: {page.file}: {error.strerror}"
            raise ArchiveError(message) from error

    def snapshots(self) -> Iterator[tuple[CollectionPage, Snapshot]]:
        """Done pages with their snapshots, one at a time, in order of number.

        Raises
        ------
        ArchiveError
            A snapshot is damaged or missing, and there is no `log`.
        EmptyInputError
            There is no readable snapshot.
        """
        is_empty = True
        for page, snapshot in self.loaded(self.pages() if self.has_snapshots else ()):
            is_empty = False
            yield page, snapshot
        if is_empty:
            raise EmptyInputError(
                f"no readable snapshot (*.miolo) in {self._label}", lacks="snapshots"
            )

    def loaded(self, pages: Iterable[CollectionPage]) -> Iterator[tuple[CollectionPage, Snapshot]]:
        """The given pages with their snapshots, one at a time."""
        for page in pages:
            try:
                snapshot = self.snapshot(page)
            except ArchiveError as error:
                self._report_damage(error)
                continue
            yield page, snapshot

    @property
    def is_missing(self) -> bool:
        """Whether the folder has neither the state of a run nor any snapshot file."""
        return not (self.has_state or self.has_snapshots)

    @property
    def has_snapshots(self) -> bool:
        """Whether there is any snapshot file, readable or not."""
        return next(self.path.rglob("*.miolo"), None) is not None

    def rows(self) -> Iterator[dict[str, Any]]:
        """Results in the order in which pages ended, as plain values; ``"id"`` is the page number.

        Raises
        ------
        ArchiveError
            A row is damaged and there is no `log`, or the file cannot be read.
        """
        return self._rows("place")

    def numbered_rows(self) -> Iterator[dict[str, Any]]:
        """Results in order of page number; see `rows`."""
        return self._rows("id")

    def _rows(self, order: Order) -> Iterator[dict[str, Any]]:
        query = f"SELECT place FROM pages WHERE place NOTNULL ORDER BY {order}"
        with self._reading() as db:
            places = array("q", (place for (place,) in db.execute(query)))
        if not places:
            return
        with self._open_results() as file:
            for place in places:
                try:
                    row = _row_at(file, int(place))
                except ArchiveError as error:
                    self._report_damage(error)
                    continue
                if self._domain is None or domain_of(str(row.get("requested_url"))) == self._domain:
                    yield row

    def _open_results(self) -> BinaryIO:
        file = self.path / RESULTS
        query = "SELECT MAX(length) FROM journals WHERE name = ?"
        length = self._fetch_one(query, (RESULTS,)) or 0
        try:
            opened = file.open("rb")
            if file.stat().st_size >= length:
                return opened
        except OSError as error:
            raise ArchiveError(f"{file} cannot be read: {error.strerror}") from error
        opened.close()
        raise ArchiveError(f"{file} is shorter than the {length:,} bytes that were written to it")

    def counts(self) -> Counts:
        """Number of pages in each state, and of failed pages by kind, for all sites."""
        return count_pages(self._fetch, self.path)

    def sites(self) -> dict[str, int]:
        """Number of done pages of each registrable domain, in descending order.

        Files and addresses without a domain are counted under the empty string.
        """
        return dict(Counter(page.domain for page in self.pages()).most_common())

    def hosts(self) -> list[HostCount]:
        """Number of pages of each host, in descending order, for all sites."""
        query = (
            "SELECT host, COUNT(*), SUM(state = 'done'), SUM(state = 'failed') FROM pages "
            "WHERE state != 'duplicate' GROUP BY host ORDER BY COUNT(*) DESC, host"
        )
        return [HostCount(*row) for row in self._fetch(query)]

    def seconds(self, share: float = 0.5) -> float | None:
        """Quantile of the durations of visits in seconds; None if they are not recorded."""
        visits = self._fetch_one("SELECT COUNT(seconds) FROM pages")
        if not visits:
            return None
        query = "SELECT seconds FROM pages WHERE seconds NOTNULL ORDER BY seconds LIMIT 1 OFFSET ?"
        return self._fetch_one(query, (max(ceil(share * visits) - 1, 0),))

    def confidence(self) -> Confidence | None:
        """Confidence of the texts; None if it is not recorded."""
        query = "SELECT COUNT(confidence), AVG(confidence), SUM(confidence < 0.5) FROM pages"
        texts, mean, doubtful = self._fetch(query)[0]
        return Confidence(texts, round(mean, 4), doubtful) if texts else None

    def facts(self) -> dict[str, str]:
        """Facts that the run has recorded, such as its options."""
        return dict(self._fetch("SELECT name, value FROM facts ORDER BY name"))

    def _report_damage(self, error: ArchiveError) -> None:
        if self._log is None:
            raise error
        self._log(str(error))

    def _fetch_one(self, query: str, values: tuple[Any, ...] = ()) -> Any:
        return self._fetch(query, values)[0][0]

    def _fetch(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with self._reading() as db:
            return db.execute(query, values).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """The state, or the list of the snapshots as one."""
        try:
            state = open_read_only(self._file, VERSION) if self.has_state else self._list()
            with closing(state) as db:
                yield db
        except (sqlite3.Error, TypeError, ValueError, *DAMAGED) as error:
            raise ArchiveError(f"{self._file} cannot be read: {error}") from error

    def _list(self) -> sqlite3.Connection:
        """The files ``*.miolo`` in the folder, at any depth, as done pages in order of name."""
        if self._listed is None:
            files = sorted(file for file in self.path.rglob("*.miolo") if file.is_file())
            pairs = ((_address(file), os.fsencode(file)) for file in files)
            self._listed = [(url, server_of(url), file) for url, file in pairs]
        db = sqlite3.connect(":memory:")
        db.executescript(PLAIN)
        db.executemany("INSERT INTO pages (url, host, file) VALUES (?, ?, ?)", self._listed)
        return db

    @property
    def _label(self) -> str:
        return f"{self.path} for {self._domain}" if self._domain else str(self.path)


def _row_at(file: BinaryIO, place: int) -> dict[str, Any]:
    """The row at a byte offset of the results."""
    try:
        file.seek(place)
        line = file.readline()
        row = json.loads(line)
    except (OSError, ValueError, RecursionError) as error:
        raise ArchiveError(f"{file.name} is damaged at byte {place:,}: {error}") from error
    if not isinstance(row, dict) or type(row.get("id")) is not int:
        raise ArchiveError(f"{file.name} is damaged at byte {place:,}: not the row of a page")
    return row


def _address(file: Path) -> str:
    """Address of a saved page; empty if the file is damaged."""
    try:
        # The rest of the file is checked only when the snapshot is loaded.
        with open_container(file, "snapshot") as archive:
            url = parse_json(archive.read("meta.json"))["page"]["url"]
    except (ArchiveError, OSError):
        return ""
    return valid_text(url) if isinstance(url, str) else ""
