"""From an address to its row, in a worker process."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from ...errors import BrowserNotFoundError, MissingDependencyError, StorageError
from ...extract.job import Artefact, PageJob, refuse_unusable
from ...extract.job_run import extract_page
from ...models.site_folder import SiteFolder
from ...output.page_result import PageResult
from ...workers.child import exit_without_memory
from ..batch.files import new_file_of
from ..page_worker import JobContext
from .page_reader import Address, PageRecipe, Row, further_columns

# Faults of the machine: every further page would fail with them, too, and count as done.
FATAL = (BrowserNotFoundError, MissingDependencyError, StorageError)

SNAPSHOT, ROW = "snapshot", "row"  # names of artefacts


async def address_row(recipe: PageRecipe, address: Address, context: JobContext) -> Row:
    """The row of an address; what every page needs and the machine lacks is raised."""
    artefacts = [Artefact(ROW, lambda result: result.to_dict(blocks=False))]
    if recipe.snapshots is not None:
        artefacts.insert(0, Artefact(SNAPSHOT, partial(_save, recipe.snapshots), of_failures=True))
    extract = recipe.extract
    if recipe.sites is not None:
        extract = replace(extract, site=SiteFolder(recipe.sites))
    job = PageJob(
        address.url,
        context.renderer.options,
        extract,
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
