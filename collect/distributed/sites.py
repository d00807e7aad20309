"""Learning sites as a group-by: each site of a table of snapshots becomes a file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import ArchiveError, EmptyInputError
from ...extract.learn_site import learn_site
from ...features.links import site_of
from ...renderer.snapshot import Snapshot
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
        Rows with the address of a page and its snapshot: the path of a file that all
        machines have, or the file's bytes. All bytes of a site must fit into a worker's
        memory; of paths any number does.
    folder
        Where ``<site>.json`` is written, on a disk that all machines have; what
        `PageRecipe.sites` is given afterwards.
    column, url
        Where the snapshot and the address are.
    max_pages
        Pages learned from, at most, for each site: the first by their addresses.

    Returns
    -------
    A row for each site, computed as they are taken: ``site``, ``pages`` learned from,
    ``damaged`` snapshots passed over, ``wrappers``, and ``error``, null where all went well.
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
    """Learn the site of a group of rows, save it, and return a row of counts."""
    import pyarrow as pa

    name = group.column("site")[0].as_py()
    row: dict[str, Any] = {"site": name, "pages": 0, "damaged": 0, "wrappers": 0, "error": None}

    def count_damaged() -> None:
        row["damaged"] += 1

    try:
        # Which page comes first must not depend on the machines' speed.
        ordered = group.sort_by("url")
        site = learn_site(
            _snapshots(ordered.column("snapshot"), count_damaged), max_pages=max_pages
        )
        if not len(site.level):
            raise EmptyInputError(f"no snapshot of {name} can be read")
        site.save(site_file(folder, name))
        row |= {"pages": len(site.level), "wrappers": len(site.wrappers)}
    except Exception as error:
        # One site's failure is a row, like a page's.
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
