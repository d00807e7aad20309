"""From a visit to its answer: the job of a page, its row of the results, its files.

Loaded by a worker's thread while its browser starts: methods and models take most of a second.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace

from ...errors import BrowserRequiredError
from ...extract.job import Artefact, PageJob, refuse_blocked
from ...extract.job_run import extract_page
from ...extract.plain import is_trusted
from ...extract.scoring import shingle_score
from ...extract.sources import parse_source
from ...output.extraction import Extraction
from ...output.page_result import PageResult
from ...renderer.archives.har import write_har
from ...renderer.archives.warc import warc_records
from ...renderer.container import whole_file
from ...renderer.renderer import Renderer
from ...renderer.snapshot import Snapshot
from ..frontier.links import feed_links, page_links
from .files import new_file_of
from .messages import Answer, Setup, Visit
from .planner import VisitMode

__all__ = ["visit_page"]

# Minimum shingle F1 of two equal articles: without geometry they may differ by a block.
ALIKE = 0.9


async def visit_page(
    setup: Setup,
    visit: Visit,
    renderer: Renderer,
    executor: Executor,
    release: Callable[[], None],
) -> Answer:
    """Visit a page.

    Parameters
    ----------
    renderer, executor
        The browser of the worker, and its thread that reads pages.
    release
        Called when the page no longer occupies a place of the browser.
    """
    job = _job(setup, visit)
    if visit.mode is VisitMode.SERVED:
        # If the page needs a browser after all, more pages are open than may be, up to the backlog.
        release()
        return _answer(visit, await extract_page(job, renderer, executor=executor))
    result = await extract_page(job, renderer, executor=executor, on_rendered=release)
    answer = _answer(visit, result)
    if visit.mode is not VisitMode.COMPARED or result.extraction is None:
        return answer
    comparison = replace(
        job,
        render=replace(job.render, browser="never"),
        check=_require_trusted,
        artefacts=(_likeness(result.extraction),),
    )
    other = await extract_page(comparison, renderer, executor=executor)
    return replace(answer, alike=other.artefacts.get("likeness", 0.0) >= ALIKE)


def _answer(visit: Visit, result: PageResult) -> Answer:
    return Answer(visit.id, error=result.error, url=result.url or "", **result.artefacts)


def _job(setup: Setup, visit: Visit) -> PageJob:
    options = setup.options
    browser = options.render.browser if visit.mode is VisitMode.SERVED else "always"
    return PageJob(
        parse_source(visit.url),
        replace(options.render, browser=browser, screenshot=options.kept.screenshots),
        (options.method,) if options.method else (),
        preset=options.preset,
        include=options.include,
        exclude=options.exclude,
        check=refuse_blocked,
        record=options.kept.archive or options.kept.har,
        artefacts=tuple(_artefacts(setup, visit)),
        deadline=options.render.limits.seconds,
        requested_url=visit.url,
    )


def _require_trusted(extraction: Extraction) -> None:
    if not is_trusted(extraction):
        raise BrowserRequiredError("the article needs a browser", url=extraction.url)


def _likeness(rendered_extraction: Extraction) -> Artefact:
    """How similar the article without a browser is to the rendered one, in [0, 1]."""

    def likeness(result: PageResult) -> float:
        other = result.extraction
        return 0.0 if other is None else shingle_score(rendered_extraction.text, other.text).f1

    return Artefact("likeness", likeness)


def _artefacts(setup: Setup, visit: Visit) -> list[Artefact]:
    """The fields of the answer; a page's files are on the disk before its line is made."""
    artefacts = [Artefact("row", lambda result: _row(setup, visit, result))]
    if setup.options.kept.archive or setup.options.kept.har:
        records = Artefact("records", lambda result: _record(setup, visit, result), True)
        artefacts.append(records)
    if setup.links:
        respect_rules = setup.options.robots
        artefacts.append(
            Artefact(
                "links",
                lambda result: page_links(_page(result), respect_nofollow=respect_rules),
            )
        )
        artefacts.append(Artefact("feeds", lambda result: feed_links(_page(result))))
    return artefacts


def _row(setup: Setup, visit: Visit, result: PageResult) -> bytes:
    """The line of the results, once the page's files are written."""
    kept, page = setup.options.kept, _page(result)
    if kept.screenshots and page.screenshot:
        path = new_file_of(setup.folder, "screenshots", visit.url, ".png")
        with whole_file(path) as file:
            file.write(page.screenshot)
    if kept.snapshots:
        path = new_file_of(setup.folder, "snapshots", visit.url, ".miolo")
        replace(page, screenshot=None).save(path)
    row = {"id": visit.id, **result.to_dict(blocks=False)}
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


def _record(setup: Setup, visit: Visit, result: PageResult) -> bytes:
    """Records for the archive; the page's own file is on the disk afterwards."""
    if not result.exchanges:
        return b""
    if setup.options.kept.har:
        path = new_file_of(setup.folder, "har", visit.url, ".har")
        write_har(path, list(result.exchanges))
    return warc_records(list(result.exchanges)) if setup.options.kept.archive else b""


def _page(result: PageResult) -> Snapshot:
    assert result.snapshot is not None
    return result.snapshot
