"""`CollectionReader`: a folder of pages, read without loading all of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from ...errors import ArchiveError, EmptyInputError
from ...renderer.page.snapshot import Snapshot
from ..batch.files import RESULTS
from ..batch.pages import Counts
from ..batch.result_rows import ResultRows
from ..batch.state_file import FILE
from .page import STATES, CollectionPage, Confidence, HostCount, Pages, State, domain_of
from .state import PlainFolder, SavedState

__all__ = ["CollectionReader"]

Log = Callable[[str], None]


class CollectionReader:
    """Read access to a collection; see `Collection`."""

    def __init__(self, path: str | Path, *, log: Log | None = None) -> None:
        self.path = Path(path)
        with os.scandir(self.path):  # raises an error unless it is a folder that can be read
            pass
        self._log = log
        self._domain: str | None = None
        whole = (self.path / FILE).exists()
        self._known: Pages = SavedState(self.path) if whole else PlainFolder(self.path)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {str(self.path)!r}: {len(self)} pages done>"

    def __len__(self) -> int:
        """Number of done pages."""
        if self._domain is None:
            return self._known.counts().done
        return sum(1 for _ in self.pages())

    def of_site(self, domain: str | None) -> Self:
        """The collection restricted to the pages of one registrable domain; None for all pages."""
        narrowed = type(self)(self.path, log=self._log)
        narrowed._domain = domain
        return narrowed

    def with_log(self, log: Log) -> Self:
        """The collection with another `log`."""
        other = type(self)(self.path, log=log)
        other._domain = self._domain
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
        for page in self._known.pages(states):
            if self._domain is None or page.domain == self._domain:
                yield page

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
        """The given pages with their snapshots, one at a time.

        Raises
        ------
        ArchiveError
            A snapshot is damaged or missing, and there is no `log`.
        """
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
        return not ((self.path / FILE).exists() or self.has_snapshots)

    @property
    def has_snapshots(self) -> bool:
        """Whether there is any snapshot file, readable or not."""
        return next(self.path.rglob("*.miolo"), None) is not None

    def rows(self) -> Iterator[dict[str, Any]]:
        """Results in the order in which pages ended, as plain values; ``"id"`` is the page number.

        Raises
        ------
        ArchiveError
            A row is damaged and there is no `log`, or the file is shorter than its committed
            length.
        """
        results = self.results
        return self._parse(results, results.lines())

    def numbered_rows(self) -> Iterator[dict[str, Any]]:
        """Results in order of page number; see `rows`."""
        results = self.results
        return self._parse(results, ((place, line) for _, place, line in results.by_number()))

    def _parse(
        self, results: ResultRows, lines: Iterator[tuple[int, bytes]]
    ) -> Iterator[dict[str, Any]]:
        for place, line in lines:
            try:
                row = results.parse(place, line)
            except ArchiveError as error:
                self._report_damage(error)
                continue
            if self._domain is None or domain_of(str(row.get("requested_url"))) == self._domain:
                yield row

    @property
    def results(self) -> ResultRows:
        """The file of results with its current committed length."""
        source = self._known
        return ResultRows(self.path / RESULTS, source.journal_length(RESULTS), source.superseded())

    def counts(self) -> Counts:
        """Number of pages in each state, and of failed pages by kind, for all sites."""
        return self._known.counts()

    def sites(self) -> dict[str, int]:
        """Number of done pages of each registrable domain, in descending order.

        Files and addresses without a domain are counted under the empty string.
        """
        return dict(Counter(page.domain for page in self.pages()).most_common())

    def hosts(self) -> list[HostCount]:
        """Number of pages of each host, in descending order, for all sites."""
        return self._known.hosts()

    def seconds(self, share: float = 0.5) -> float | None:
        """Quantile of the durations of visits in seconds; None if they are not recorded."""
        return self._known.seconds(share)

    def confidence(self) -> Confidence | None:
        """Confidence of the texts; None if it is not recorded."""
        return self._known.confidence()

    def facts(self) -> dict[str, str]:
        """Facts that the run has recorded, such as its options."""
        return self._known.facts()

    def _report_damage(self, error: ArchiveError) -> None:
        if self._log is None:
            raise error
        self._log(str(error))

    @property
    def _label(self) -> str:
        return f"{self.path} for {self._domain}" if self._domain else str(self.path)
