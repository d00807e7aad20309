"""`learn_sites`: learn each site of a dataset of snapshots with a group-by."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import ArchiveError, EmptyInputError
from ...extract.learn_site import learn_site
from ...renderer.network.origins import site_of
from ...renderer.page.snapshot import Snapshot
from .recipe import site_file

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset

__all__ = ["learn_site_group", "learn_sites"]


def learn_sites(
    dataset: Dataset,
    folder: str | Path,
    *,
    column: str = "snapshot",
    url: str = "url",
    max_pages: int = 200,
) -> Dataset:
    """Learn every site of a dataset of saved snapshots.

    Parameters
    ----------
    dataset
        Rows with the address of a page and its snapshot, either as the path of a file that all
        machines share or as the file's bytes. The bytes of all snapshots of a site must fit into a
        worker's memory; the number of paths is unlimited.
    folder
        Folder in which ``<site>.json`` is written, on a disk that all machines share; it can be
        passed to `PageRecipe.sites` afterwards.
    column, url
        Names of the columns with the snapshot and the address.
    max_pages
        Maximum number of pages learned for each site: the first in order of address.

    Returns
    -------
    A lazily computed row for each site: ``site``, number of ``pages`` learned, number of
    ``damaged`` snapshots skipped, number of ``wrappers``, and ``error``, null on success.
    """
    target = Path(folder).resolve()
    target.mkdir(parents=True, exist_ok=True)

    def with_site(batch: pa.Table) -> pa.Table:
        return _keep_pages_of_sites(batch, url, column)

    def learn_group(group: pa.Table) -> pa.Table:
        return learn_site_group(group, target, max_pages)

    sites = dataset.map_batches(with_site, batch_format="pyarrow").groupby("site")
    return sites.map_groups(learn_group, batch_format="pyarrow")


def _keep_pages_of_sites(batch: pa.Table, url: str, column: str) -> pa.Table:
    """The pages of a batch that have a snapshot and a site."""
    import pyarrow as pa

    addresses, snapshots = batch.column(url), batch.column(column)
    sites = [site_of(address or "") for address in addresses.to_pylist()]
    kept = [
        site is not None and snapshot.is_valid
        for site, snapshot in zip(sites, snapshots, strict=True)
    ]
    columns = {"site": pa.array(sites, pa.string()), "url": addresses, "snapshot": snapshots}
    return pa.table(columns).filter(pa.array(kept, pa.bool_()))


def learn_site_group(group: pa.Table, folder: Path, max_pages: int) -> pa.Table:
    """Learn the site of a group of rows, save it, and return a table with one row of counts."""
    import pyarrow as pa

    name = group.column("site")[0].as_py()
    row: dict[str, Any] = {"site": name, "pages": 0, "damaged": 0, "wrappers": 0, "error": None}

    def count_damaged() -> None:
        row["damaged"] += 1

    try:
        # The order of the pages must not depend on the speed of the machines.
        ordered = group.sort_by("url")
        site = learn_site(
            _snapshots(ordered.column("snapshot"), count_damaged), max_pages=max_pages
        )
        if not len(site.level):
            raise EmptyInputError(f"no readable snapshot of {name}")
        site.save(site_file(folder, name))
        row |= {"pages": len(site.level), "wrappers": len(site.wrappers)}
    except Exception as error:
        # A failure is isolated to its site, whose row has the error.
        row["error"] = f"{type(error).__name__}: {error}"
    types = [pa.string(), pa.int64(), pa.int64(), pa.int64(), pa.string()]
    return pa.Table.from_pylist([row], pa.schema(list(zip(row, types, strict=True))))


def _snapshots(column: pa.ChunkedArray, damaged: Callable[[], None]) -> Iterator[Snapshot]:
    for value in column:
        try:
            yield _load(value.as_py())
        except (ArchiveError, OSError):
            damaged()


def _load(value: str | bytes) -> Snapshot:
    if isinstance(value, str):
        return Snapshot.load(value)
    with tempfile.NamedTemporaryFile(suffix=".miolo") as file:
        file.write(value)
        file.flush()
        return Snapshot.load(file.name)
