"""Worker process of a reader: reads addresses with one browser.

It exits when its standard input is closed, and closes its browser.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import BrowserNotFoundError, MissingDependencyError, StorageError
from ...extract.job import Artefact, PageJob, refuse_unusable
from ...extract.job_run import extract_page
from ...models.site_folder import SiteFolder
from ...output.page_result import PageResult
from ...renderer.options import restrict_policy
from ...renderer.renderer import Renderer
from ...workers.child import Send, exit_without_memory, run_worker
from ..batch.files import new_file_of
from ..worker_browser import answer_messages, started_browser
from .recipe import Address, AddressRow, PageRecipe, Setup, further_columns

__all__ = ["main"]

READING = "miolo.extract.warm_up"

# Faults of the machine: every further page would fail with them, too, and count as done.
FATAL = (BrowserNotFoundError, MissingDependencyError, StorageError)


class Worker:
    """Reads addresses."""

    def __init__(self, recipe: PageRecipe, renderer: Renderer, reading: Executor) -> None:
        self._recipe = recipe
        self._renderer = renderer
        self._reading = reading

    async def answer(self, address: Address) -> AddressRow:
        """The row of an address."""
        job = self._job(address.url)
        result = await extract_page(job, self._renderer, executor=self._reading)
        exit_without_memory(result.error)
        if isinstance(result.error, FATAL):
            return AddressRow(address.id, fault=result.error)
        row = result.artefacts["row"] if result.error is None else result.to_dict(blocks=False)
        row |= further_columns(self._recipe, result.artefacts.get("snapshot"))
        return AddressRow(address.id, row)

    def _job(self, url: str) -> PageJob:
        recipe = self._recipe
        artefacts = [Artefact("row", lambda result: result.to_dict(blocks=False))]
        if recipe.snapshots is not None:
            artefacts.insert(0, Artefact("snapshot", self._save, of_failures=True))
        extract = recipe.extract
        if recipe.sites is not None:
            extract = replace(extract, site=SiteFolder(recipe.sites))
        return PageJob(
            url,
            self._renderer.options,
            extract,
            check=refuse_unusable,
            artefacts=tuple(artefacts),
            deadline=recipe.render.limits.seconds,
        )

    def _save(self, result: PageResult) -> Path | None:
        assert self._recipe.snapshots is not None
        if result.snapshot is None:
            return None
        path = new_file_of(self._recipe.snapshots, "snapshots", result.requested_url, ".miolo")
        result.snapshot.save(path)
        return path


async def work(setup: Setup, inbox: AsyncIterator[Any], send: Send) -> None:
    """Answer messages until there are no more."""
    recipe = setup.recipe
    options, seconds = restrict_policy(recipe.render), recipe.render.limits.seconds
    browser = started_browser(READING, options, recipe.switches, setup.archive)
    async with browser as (renderer, reading):
        worker = Worker(recipe, renderer, reading)
        await answer_messages(worker.answer, reading, seconds, inbox, send)


def main(_: Sequence[str] = ()) -> None:
    """Run as ``python -m miolo.collect.distributed.reader_worker``."""
    run_worker(work)


if __name__ == "__main__":
    main()
