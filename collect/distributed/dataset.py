"""Ray Data: addresses to Parquet tables of articles, with a browser in each actor; snapshots to
sites.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError, EmptyInputError, MissingDependencyError
from ...extract.learn_site import learn_site
from ...models.site_folder import SiteFolder
from ...output.schema import result_table, table_schema
from ...renderer.network.origins import learned_name
from ...renderer.page.snapshot import Snapshot
from ..parquet import parquet
from .page_reader import PageReader, PageRecipe, archive_rows

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset

KEY_BYTES = 16  # a sorted array of 10⁸ keys takes 1.6 GB, which the actors of a machine share


class ParquetFolder:
    """A folder of Parquet files on a disk or on a file system of pyarrow (``s3://…``, ``gs://…``)."""

    def __init__(self, place: str | Path) -> None:
        from pyarrow import fs

        path = str(place)
        uri = path if "://" in path else str(Path(path).resolve())
        self._disk, self._path = fs.FileSystem.from_uri(uri)
        self._disk.create_dir(self._path, recursive=True)

    def has(self, name: str) -> bool:
        """Whether a file of this name exists."""
        (info,) = self._disk.get_file_info([f"{self._path}/{name}"])
        return info.is_file

    def write(self, name: str, schema: pa.Schema, tables: Iterable[pa.Table]) -> None:
        """Write a file atomically, a table at a time; an existing file of the name is replaced."""
        _, pq = parquet()
        # Readers of a folder ignore names that begin with an underscore. A lost actor may still be
        # running, so the draft has a unique name.
        draft = f"{self._path}/_{name}.{uuid4().hex}.part"
        with (
            self._disk.open_output_stream(draft) as stream,
            pq.ParquetWriter(stream, schema, compression="zstd") as writer,
        ):
            for table in tables:
                writer.write_table(table)
        self._disk.move(draft, f"{self._path}/{name}")

    def clear_drafts(self) -> None:
        """Delete the drafts of writers that died; no other writer may be running."""
        for info in self._entries():
            if info.base_name.startswith("_") and info.base_name.endswith(".part"):
                self._disk.delete_file(info.path)

    def columns(self, names: list[str]) -> Iterator[pa.Table]:
        """Some columns of each file, one file at a time."""
        pa, pq = parquet()
        files = [info for info in self._entries() if info.base_name.endswith(".parquet")]
        for path in sorted(info.path for info in files if not info.base_name.startswith("_")):
            try:
                with self._disk.open_input_file(path) as file:
                    yield pq.read_table(file, columns=names)
            except (pa.ArrowException, OSError) as error:
                raise ArchiveError(
                    f"{path} cannot be read ({error}): delete it to process its pages again"
                ) from error

    def _entries(self) -> Any:
        from pyarrow import fs

        return self._disk.get_file_info(fs.FileSelector(self._path))


def address_keys(addresses: Iterable[Any]) -> NDArray[np.bytes_]:
    """``S16``, shape (n,): hash of each address."""
    keys = [
        hashlib.blake2b(str(address).encode("utf-8", "replace"), digest_size=KEY_BYTES).digest()
        for address in addresses
    ]
    return np.array(keys, f"S{KEY_BYTES}")


def is_known(keys: NDArray[np.bytes_], sorted_keys: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    """bool, shape (n,): which keys occur in `sorted_keys`."""
    if not len(sorted_keys):
        return np.zeros(len(keys), bool)
    places = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return sorted_keys[places] == keys


ROWS = 256  # maximum number of rows of a table and of a Parquet row group, which is a few megabytes


class PageExtractor:
    """Turns batches of addresses into tables of rows, with one browser for all batches.

    It can be pickled before and after its first batch; a copy starts its own browser.
    """

    def __init__(self, recipe: PageRecipe | None = None) -> None:
        self._reader: PageReader | None = None
        self.recipe = recipe or PageRecipe()

    def __getstate__(self) -> dict[str, Any]:
        return {"recipe": self.recipe, "_reader": None}

    def __call__(self, batch: Mapping[str, Any] | pa.Table) -> Iterator[pa.Table]:
        """Tables of a batch's rows, with a few hundred rows each; see `schema`."""
        yield from self.tables(_column(batch, self.recipe.column))

    def tables(self, addresses: Iterable[object]) -> Iterator[pa.Table]:
        """Tables of rows for addresses, or for the pages of archives."""
        if self.recipe.archives:
            rows = archive_rows(addresses, self.recipe)
        else:
            self._reader = self._reader or PageReader(self.recipe)
            rows = self._reader.rows(addresses)
        while group := list(islice(rows, ROWS)):
            table = result_table(group)
            if self.recipe.snapshots is not None:
                table = table.append_column("snapshot", [[row["snapshot"] for row in group]])
            yield table.cast(self.schema())

    def schema(self) -> pa.Schema:
        """`miolo.output.schema.table_schema`, with a column for snapshots if they are saved."""
        import pyarrow as pa

        further = [] if self.recipe.snapshots is None else [pa.field("snapshot", pa.string())]
        return pa.schema([*table_schema(), *further])

    def close(self) -> None:
        """Close the browser; a further batch starts another."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.close()

    def __del__(self) -> None:
        # Ray releases an actor's state by deleting it. While the interpreter is finalizing, no
        # thread runs any more, and the browser ends with the process.
        if not sys.is_finalizing():
            self.close()


class PageWriter(PageExtractor):
    """Writes files named by a hash of their addresses; a repeated batch replaces its file."""

    def __init__(self, recipe: PageRecipe, out: str, done: Any) -> None:
        import ray

        super().__init__(recipe)
        self._folder = ParquetFolder(out)
        # Ray keeps one copy per machine for all its actors.
        self._done: NDArray[np.bytes_] = ray.get(done)

    def __call__(self, batch: Mapping[str, Any] | pa.Table) -> Iterator[pa.Table]:
        """Write a batch; yield tables with one row of counts each (see `Written`)."""
        values = list(dict.fromkeys(_column(batch, self.recipe.column)))
        if not self.recipe.archives:
            old = is_known(address_keys(values), self._done)
            left = [address for address, is_old in zip(values, old, strict=True) if not is_old]
            yield self._write(left, int(old.sum()))
            return
        # Archives may share page addresses, so each has a file of its own.
        for path in values:
            there = self._folder.has(_file_name([path]))
            yield self._write([] if there else [path], int(there))

    def _write(self, values: list[Any], before: int) -> pa.Table:
        import pyarrow as pa

        counts = {"pages": 0, "failed": 0, "before": before}

        def count_rows() -> Iterator[pa.Table]:
            for table in self.tables(values):
                counts["pages"] += len(table)
                counts["failed"] += len(table) - table.column("error").null_count
                yield table

        if values:
            self._folder.write(_file_name(values), self.schema(), count_rows())
        return pa.Table.from_pylist([counts])


def _file_name(values: list[Any]) -> str:
    return f"{hashlib.blake2b(address_keys(values).tobytes(), digest_size=16).hexdigest()}.parquet"


def _column(batch: Mapping[str, Any] | pa.Table, name: str) -> list[Any]:
    values = batch[name]
    return values.to_pylist() if hasattr(values, "to_pylist") else list(values)


CSV = (".csv", ".csv.gz")

# By default Ray kills the children of an actor that ends, and Playwright's driver could no longer
# remove its browser's temporary folders. If it is not killed, the driver ends together with its
# browser as soon as its pipe closes, however the actor died.
GENTLE = {"RAY_kill_child_processes_on_worker_exit": "0"}


@dataclass(frozen=True)
class Written:
    """Counts of a run: rows written, those of them that have an error in place of an article, and
    pages or archives that were skipped because they were already done.
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

    `source` is a dataset with a column of addresses, the path of Parquet or CSV files with such a
    column, or the addresses. Each of the `actors` has a browser, and Ray reserves `cpus` for it. If
    they reserve all CPUs, none is left for reading the addresses from a file. The pages of a
    `batch` are processed again if its actor is lost.
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

    For the parameters see `extract_dataset`. Duplicate addresses in a list are processed once; the
    addresses of a dataset are assumed to be distinct. `out` is a folder, as a path that all
    machines share or a URI such as ``s3://bucket/articles``. A damaged Parquet file in it is an
    `ArchiveError`.
    """
    ray_data()
    import ray

    recipe = recipe or PageRecipe()
    folder = ParquetFolder(out)
    folder.clear_drafts()
    tables = folder.columns(["requested_url"])
    keys = [address_keys(table.column(0).to_pylist()) for table in tables]
    done = np.sort(np.concatenate([address_keys([]), *keys]))
    arguments = {"recipe": recipe, "out": str(out), "done": ray.put(done)}
    batches = _map(source, recipe, PageWriter, arguments, (actors, cpus, batch))
    totals = {"pages": 0, "failed": 0, "before": 0}
    for row in batches.iter_rows():
        totals = {name: count + row[name] for name, count in totals.items()}
    return Written(**totals)


def ray_data() -> Any:
    """The module `ray.data`."""
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


def learn_sites(
    dataset: Dataset,
    folder: str | Path,
    *,
    column: str = "snapshot",
    url: str = "url",
    max_pages: int = 200,
) -> Dataset:
    """Learn every site of a dataset of saved snapshots.

    Rows of the dataset have the address of a page in the column `url`, and in `column` its
    snapshot, either as the path of a file that all machines share or as the file's bytes. The bytes
    of all snapshots of a site must fit into a worker's memory; the number of paths is unlimited. At
    most `max_pages` are learned for each site: the first in order of address. A ``<site>.json`` for
    each is written in `folder`, on a disk that all machines share; it can be passed to
    `PageRecipe.sites` afterwards.

    Returned is a lazily computed row for each site: ``site``, number of ``pages`` learned, number
    of ``damaged`` snapshots skipped, number of ``wrappers``, and ``error``, null on success.
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
    sites = [learned_name(address or "") for address in addresses.to_pylist()]
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

    def snapshots(column: pa.ChunkedArray) -> Iterator[Snapshot]:
        for value in column:
            try:
                yield _load(value.as_py())
            except (ArchiveError, OSError):
                row["damaged"] += 1

    try:
        # The order of the pages must not depend on the speed of the machines.
        ordered = group.sort_by("url")
        site = learn_site(snapshots(ordered.column("snapshot")), max_pages=max_pages)
        if not len(site.level):
            raise EmptyInputError(f"no readable snapshot of {name}")
        site.save(SiteFolder(folder).file(name))
        row |= {"pages": len(site.level), "wrappers": len(site.wrappers)}
    except Exception as error:
        # A failure is isolated to its site, whose row has the error.
        row["error"] = f"{type(error).__name__}: {error}"
    types = [pa.string(), pa.int64(), pa.int64(), pa.int64(), pa.string()]
    return pa.Table.from_pylist([row], pa.schema(list(zip(row, types, strict=True))))


def _load(value: str | bytes) -> Snapshot:
    if isinstance(value, str):
        return Snapshot.load(value)
    with tempfile.NamedTemporaryFile(suffix=".miolo") as file:
        file.write(value)
        file.flush()
        return Snapshot.load(file.name)
