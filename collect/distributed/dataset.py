"""Ray Data: addresses in, rows of articles out, a warm browser to each actor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import MissingDependencyError
from .extractor import PageExtractor, PageWriter
from .parquet import ParquetFolder, address_keys
from .recipe import PageRecipe

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["Written", "extract_dataset", "extract_to_parquet"]

CSV = (".csv", ".csv.gz")

# When Ray ends an actor it kills the actor's children: Playwright's driver could not take its
# browser's temporary folders away any more. Left alone it ends, and all with it, as soon as
# its pipe closes, however the actor died.
GENTLE = {"RAY_kill_child_processes_on_worker_exit": "0"}


@dataclass(frozen=True)
class Written:
    """What a run has added.

    Attributes
    ----------
    pages
        Rows written, failures among them.
    failed
        Of these, pages that have an error in place of an article.
    before
        Pages, or archives, that were there already and were left out.
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
    """Rows of articles as a dataset of Ray, computed as they are taken from it.

    Parameters
    ----------
    source
        A dataset with a column of addresses; the path of Parquet or CSV files with one; or
        the addresses.
    recipe
        What is done with each address.
    actors
        Workers, each with a browser.
    cpus
        That Ray reserves for each of them. Where they take all there are, none is left
        for reading a file's addresses.
    batch
        Pages that are lost, and done again, when an actor is.

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
    """Rows of articles as Parquet files, one for each batch. Run again, it goes on.

    A file appears whole and is named for its addresses, so that a batch done again takes the
    place of what the lost actor wrote. Pages that the folder has, failed ones included, are
    left out. Archives have a file each.

    Parameters
    ----------
    source, recipe, actors, cpus, batch
        As for `extract_dataset`. One address is done once in a list; a dataset is taken to
        name each once.
    out
        Folder, as a path that all machines have or a URI such as ``s3://bucket/articles``.

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
        raise MissingDependencyError("many machines need Ray: pip install 'miolo[ray]'") from None
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
    # Ray's own defaults replace a lost actor and give its batches to another, without end.
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
