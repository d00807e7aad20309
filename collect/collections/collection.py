"""`Collection`: a folder of pages, read and exported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .reader import CollectionReader

if TYPE_CHECKING:
    from .export import Exported

__all__ = ["Collection"]


class Collection(CollectionReader):
    """What `miolo batch` or `miolo crawl` has written, or a plain folder of snapshots.

    Nothing of it is changed, and nothing is kept open between calls: a run may be writing
    meanwhile, and a copy may lie on a disk that cannot be written. (Where it can, SQLite may
    leave its empty log beside the state.)

    Parameters
    ----------
    path
        The folder. Without a state every file ``*.miolo`` in it, at any depth, is a page that
        is done.
    log
        Called with a sentence for each damaged or missing snapshot and each damaged row, which
        is then passed over. Without it they are errors.

    Raises
    ------
    EmptyInputError
        There is no such folder.
    ArchiveError
        Its state is damaged or of another version.

    Examples
    --------
    >>> def titles(path):
    ...     for page, snapshot in Collection(path, tell=print).snapshots():
    ...         print(page.id, page.url, snapshot.page.title)
    """

    def export(
        self,
        out: str | Path,
        tables: Sequence[str] | None = None,
        *,
        method: str | None = None,
    ) -> Exported:
        """Write tables as Parquet with a data card; see `miolo.collect.collections.export`."""
        from .export import export_collection

        return export_collection(self, Path(out), tables, method)

    def export_results(self, path: str | Path | None = None) -> Path:
        """Write the results as one Parquet file, by default beside ``results.jsonl``."""
        from .export import export_results

        return export_results(self, Path(path) if path else self.path / "results.parquet")
