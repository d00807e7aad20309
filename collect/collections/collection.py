"""`Collection`: a folder of pages that can be read, exported and summarized."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...workers.system import is_locked
from ..batch.files import ARCHIVE, LOCK, RESULTS
from ..batch.job_store import ENDED
from ..batch.state_file import FILE
from .collection_reader import CollectionReader, Confidence, HostCount

if TYPE_CHECKING:
    from ...extract.options import LearnedSite
    from ..labels.store import LabelCounts
    from .export import ExportResult

MAX_HOSTS = 10

PLACES = (FILE, RESULTS, ARCHIVE, "snapshots", "screenshots")


class Collection(CollectionReader):
    """A folder written by `miolo batch` or `miolo crawl`, or a plain folder of snapshots.

    The folder is only read, and no file is kept open between calls: a run may be writing to it, and
    it may be on a read-only disk. (On a writable disk, SQLite may leave its empty log beside the
    state.)

    Parameters
    ----------
    path
        The folder. If it has no state, every file ``*.miolo`` in it, at any depth, is a done page.
    log
        Called with a message for each damaged or missing snapshot and each damaged row, which is
        then skipped. Without `log` they raise an error.

    Raises
    ------
    ArchiveError
        The state is damaged or of another version.
    OSError
        There is no such folder, or it cannot be opened.

    Examples
    --------
    >>> def titles(path):
    ...     for page, snapshot in Collection(path, log=print).snapshots():
    ...         print(page.id, page.url, snapshot.page.title)
    """

    def export(
        self,
        out: str | Path,
        tables: Sequence[str] | None = None,
        *,
        method: str | None = None,
        site: LearnedSite = None,
    ) -> ExportResult:
        """Write Parquet tables with a data card; see `miolo.collect.collections.export`.

        Parameters
        ----------
        out
            Folder of the tables. Those of an earlier export are replaced.
        tables
            Names of the tables; by default all for which the collection has data.
        method
            Method with which articles are extracted from the snapshots again. By default the
            results and texts are those of the run.
        site
            Learned sites, such as a `SiteFolder`, with which articles are extracted again.

        Raises
        ------
        EmptyInputError
            There is no such table, or no data for it.
        UnknownMethodError
            There is no such method, or it needs a site.
        StorageError
            The disk is full or unavailable.
        MissingDependencyError
            pyarrow is not installed.
        """
        from .export import export_collection

        return export_collection(self, Path(out), tables, method, site)

    def export_results(self, path: str | Path | None = None) -> Path:
        """Write the results as one Parquet file, by default beside ``results.jsonl``."""
        from .export import export_results

        return export_results(self, Path(path) if path else self.path / "results.parquet")


@dataclass(frozen=True)
class Status:
    """Summary of a collection."""

    states: Mapping[str, int]
    failures: Mapping[str, int]
    """Number of failed pages by name of the error, the most frequent first."""
    hosts: int
    largest_hosts: tuple[HostCount, ...]
    seconds: Mapping[str, float | None]
    """Median and ninth decile of the durations of visits, if they are recorded."""
    confidence: Confidence | None
    labels: LabelCounts | None  # None without labels
    bytes: Mapping[str, int]  # size on disk by file or folder
    is_active: bool  # whether a run is writing to the collection
    is_interrupted: bool  # whether pages are queued because the last run was stopped or killed


def status_of(collection: CollectionReader) -> Status:
    """Summary of a collection, to which a run may be writing."""
    from ..labels.store import label_counts

    is_active = is_locked(collection.path / LOCK)
    counts, hosts = collection.counts(), collection.hosts()
    is_complete = ENDED in collection.facts() and not counts.running
    if not is_active:
        # The next run visits the pages that a killed run was visiting.
        counts = replace(counts, queued=counts.queued + counts.running, running=0)
    own = {*PLACES, f"{FILE}-wal", f"{FILE}-shm"}
    states = {name: getattr(counts, name) for name in ("queued", "running", "done", "failed")}
    states["duplicate"] = counts.duplicates
    return Status(
        states,
        dict(sorted(counts.kinds.items(), key=lambda pair: (-pair[1], pair[0]))),
        len(hosts),
        tuple(hosts[:MAX_HOSTS]),
        {"half": collection.seconds(0.5), "nine_tenths": collection.seconds(0.9)},
        collection.confidence(),
        label_counts(collection.path),
        {name: _bytes(collection.path / name) for name in PLACES}
        | {
            "other": sum(_bytes(path) for path in collection.path.iterdir() if path.name not in own)
        },
        is_active,
        is_interrupted=counts.queued > 0 and not (is_active or is_complete),
    )


def _bytes(path: Path) -> int:
    """Size of a file, or of all files in a folder; the size of the state includes its log."""
    if path.is_dir() and not path.is_symlink():
        return sum(
            _size(os.path.join(at, name)) for at, _, names in os.walk(path) for name in names
        )
    logs = (f"{path}-wal", f"{path}-shm") if path.name == FILE else ()
    return sum(_size(each) for each in (path, *logs))


def _size(path: str | Path) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        # Draft files of a run may vanish at any time.
        return 0
