"""From an address to its row, in a worker process."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

from ...errors import BrowserNotFoundError, MissingDependencyError, StorageError
from ...extract.job import Artefact, PageJob, refuse_unusable
from ...extract.job_run import extract_page
from ...models.site import Site
from ...output.page_result import PageResult
from ...renderer.network.origins import site_of
from ...workers.child import exit_without_memory
from ..batch.files import new_file_of
from ..page_worker import JobContext
from .recipe import Address, PageRecipe, Row, further_columns, site_file

__all__ = ["address_row"]

# Faults of the machine: every further page would fail with them, too, and count as done.
FATAL = (BrowserNotFoundError, MissingDependencyError, StorageError)

# Maximum number of learned sites kept in memory; addresses are usually grouped by site.
SITES = 64

# Names of artefacts.
SNAPSHOT, ROW = "snapshot", "row"


async def address_row(recipe: PageRecipe, address: Address, context: JobContext) -> Row:
    """The row of an address.

    Raises
    ------
    BrowserNotFoundError, MissingDependencyError, StorageError
        The machine lacks something that every page needs.
    """
    artefacts = [Artefact(ROW, lambda result: result.to_dict(blocks=False))]
    if recipe.snapshots is not None:
        artefacts.insert(0, Artefact(SNAPSHOT, partial(_save, recipe.snapshots), of_failures=True))
    job = PageJob(
        address.url,
        context.renderer.options,
        replace(recipe.extract, site=lambda page: _site(recipe.sites, site_of(page.page.url))),
        check=refuse_unusable,
        artefacts=tuple(artefacts),
        deadline=recipe.render.limits.seconds,
    )
    result = await extract_page(job, context.renderer, executor=context.executor)
    exit_without_memory(result.error)
    if isinstance(result.error, FATAL):
        raise result.error
    row = result.artefacts[ROW] if result.error is None else result.to_dict(blocks=False)
    return row | further_columns(recipe, result.artefacts.get(SNAPSHOT))


def _save(folder: Path, result: PageResult) -> Path | None:
    if result.snapshot is None:
        return None
    path = new_file_of(folder, "snapshots", result.requested_url, ".miolo")
    result.snapshot.save(path)
    return path


@lru_cache(SITES)
def _site(folder: Path | None, name: str | None) -> Site | None:
    """The learned site of a name, if there is one in the folder."""
    if name is None or folder is None:
        return None
    path = site_file(folder, name)
    return Site.load(path) if path.is_file() else None
