"""Ray Data: addresses to rows of articles, with a browser in each actor; snapshots to sites."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError, EmptyInputError, MissingDependencyError
from ...extract.learn_site import learn_site
from ...models.site_folder import SiteFolder
from ...renderer.network.origins import site_of
from ...renderer.page.snapshot import Snapshot
from .extractor import PageExtractor, PageWriter
from .parquet_folder import ParquetFolder, address_keys
from .recipe import PageRecipe

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset

__all__ = ["Written", "extract_dataset", "extract_to_parquet", "learn_site_group", "learn_sites"]

CSV = (".csv", ".csv.gz")

# By default Ray kills the children of an actor that ends, and Playwright's driver could no longer
# remove its browser's temporary folders. If it is not killed, the driver ends together with its
# browser as soon as its pipe closes, however the actor died.
GENTLE = {"RAY_kill_child_processes_on_worker_exit": "0"}


@dataclass(frozen=True)
class Written:
    """Counts of the pages that a run has written.

    Attributes
    ----------
    pages
        Number of rows written, including failed pages.
    failed
        Number of these rows that have an error in place of an article.
    before
        Number of pages, or archives, that were skipped because they were already done.
    """

    pages: int
    failed: int
    before: int


def extract_dataset(
    source: Dataset | str | Path | Iterable[str],
    recipe: PageRecipe | None = None,
    *,
    actors: int = 2,
    cpus: float = 1.0,
    batch: int = 32,
) -> Dataset:
    """Rows of articles as a lazily computed Ray dataset.

    Parameters
    ----------
    source
        A dataset with a column of addresses; the path of Parquet or CSV files with such a column;
        or the addresses.
    recipe
        How each address is processed.
    actors
        Number of actors, each with a browser.
    cpus
        Number of CPUs that Ray reserves for each actor. If the actors reserve all CPUs, none is
        left for reading the addresses from a file.
    batch
        Number of pages per batch. The pages of a batch are processed again if its actor is lost.

    Raises
    ------
    MissingDependencyError
        Ray or pyarrow is not installed.
    """
    recipe = recipe or PageRecipe()
    return _map(source, recipe, PageExtractor, {"recipe": recipe}, (actors, cpus, batch))


def extract_to_parquet(
    source: Dataset | str | Path | Iterable[str],
    out: str | Path,
    recipe: PageRecipe | None = None,
    *,
    actors: int = 2,
    cpus: float = 1.0,
    batch: int = 256,
) -> Written:
    """Write rows of articles as Parquet files, one per batch; an interrupted run can be resumed.

    Files are written atomically and named by a hash of their addresses, so a repeated batch
    replaces what a lost actor wrote. Pages that are already in the folder are skipped, including
    failed ones. Each archive has a file of its own.

    Parameters
    ----------
    source, recipe, actors, cpus, batch
        See `extract_dataset`. Duplicate addresses in a list are processed once; the addresses of a
        dataset are assumed to be distinct.
    out
        Folder, as a path that all machines share or a URI such as ``s3://bucket/articles``.

    Raises
    ------
    ArchiveError
        A Parquet file of the folder is damaged.
    MissingDependencyError
        Ray or pyarrow is not installed.
    """
    ray_data()
    recipe = recipe or PageRecipe()
    folder = ParquetFolder(out)
    folder.clear_drafts()
    tables = folder.columns(["requested_url"])
    keys = [address_keys(table.column(0).to_pylist()) for table in tables]
    done = np.sort(np.concatenate([address_keys([]), *keys]))
    arguments = {"recipe": recipe, "out": str(out), "done": _share(done)}
    batches = _map(source, recipe, PageWriter, arguments, (actors, cpus, batch))
    totals = {"pages": 0, "failed": 0, "before": 0}
    for row in batches.iter_rows():
        totals = {name: count + row[name] for name, count in totals.items()}
    return Written(**totals)


def ray_data() -> Any:
    """The module `ray.data`.

    Raises
    ------
    MissingDependencyError
        Ray is not installed.
    """
    try:
        import ray.data
    except ImportError:
        raise MissingDependencyError.of_extra("distributed extraction", "ray") from None
    return ray.data


def _map(
    source: Any,
    recipe: PageRecipe,
    worker: type[PageExtractor],
    arguments: dict[str, Any],
    size: tuple[int, float, int],
) -> Dataset:
    data = ray_data()
    actors, cpus, batch = size
    # By default Ray replaces lost actors and retries their batches without limit.
    return _dataset(source, recipe.column, batch).map_batches(
        worker,
        fn_constructor_kwargs=arguments,
        batch_size=batch,
        batch_format="pyarrow",
        compute=data.ActorPoolStrategy(size=actors),
        num_cpus=cpus,
        runtime_env={"env_vars": GENTLE},
    )


def _dataset(source: Any, column: str, batch: int) -> Dataset:
    data = ray_data()
    if isinstance(source, data.Dataset):
        return source
    if isinstance(source, str | Path):
        read = data.read_csv if str(source).lower().endswith(CSV) else data.read_parquet
        return read(str(source)).select_columns([column])
    items = [{column: address} for address in dict.fromkeys(source)]
    return data.from_items(items, override_num_blocks=max(1, -(-len(items) // batch)))


def _share(array: NDArray[np.bytes_]) -> Any:
    import ray

    return ray.put(array)


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
        site.save(SiteFolder(folder).file(name))
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
