"""A visit to its answer: the job of a page, its line of the results, its files.

Loaded by a worker's thread while its browser starts: methods and models take most of a second.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from time import monotonic

from ...errors import BrowserRequiredError, RenderError
from ...extract.job import Artefact, PageJob, refuse_blocked
from ...extract.job_run import extract_page
from ...extract.output.extraction import Extraction
from ...extract.output.page_result import PageResult
from ...extract.scoring import shingle_score
from ...extract.sources import parse_source
from ...renderer.archives.exchange import Exchange
from ...renderer.archives.har import write_har
from ...renderer.archives.warc import warc_records
from ...renderer.container import whole_file
from ...renderer.renderer import Renderer
from ...renderer.snapshot import Snapshot
from ..frontier.links import feed_links, page_links
from .adaptive import VisitMode
from .files import new_file_of
from .messages import Answer, Setup, Visit

__all__ = ["visit_page"]

logger = logging.getLogger(__name__)

# Shingle F1 of two readings of one article: without geometry a block more or less is taken.
ALIKE = 0.9

# Of a page's time, what its server may take for the page alone.
SERVED_SHARE = 0.3


async def visit_page(
    setup: Setup,
    visit: Visit,
    renderer: Renderer,
    executor: Executor,
    release: Callable[[], None],
) -> Answer:
    """Do what a visit asks for.

    Parameters
    ----------
    renderer, executor
        The worker's browser, and its thread that reads pages.
    release
        Called when the page takes no place of the browser's any more.
    """
    started = monotonic()
    job = _job(setup, visit)
    served = None if visit.way is VisitMode.RENDERED else await _serve(setup, visit, renderer)
    if served is not None and visit.way is VisitMode.SERVED:
        # If it takes a browser after all, more are open than may be, up to the backlog.
        release()
        result = await extract_page(_served_job(job, served), renderer, executor=executor)
        if not isinstance(result.error, BrowserRequiredError):
            return _answer(visit, result)
        job = replace(job, deadline=max(_seconds(setup) - (monotonic() - started), 0.1))
    result = await extract_page(job, renderer, executor=executor, on_rendered=release)
    answer = _answer(visit, result)
    if visit.way is not VisitMode.COMPARED or result.extraction is None:
        return answer
    if served is None:
        return replace(answer, alike=False)
    comparison = replace(_served_job(job, served), artefacts=(_likeness(result.extraction),))
    other = await extract_page(comparison, renderer, executor=executor)
    return replace(answer, alike=other.artefacts.get("likeness", 0.0) >= ALIKE)


def _answer(visit: Visit, result: PageResult) -> Answer:
    return Answer(visit.id, error=result.error, url=result.url or "", **result.artefacts)


def _job(setup: Setup, visit: Visit) -> PageJob:
    options = setup.options
    return PageJob(
        parse_source(visit.url),
        replace(options.render, screenshot=options.kept.screenshots),
        (options.method,) if options.method else (),
        preset=options.preset,
        include=options.include,
        exclude=options.exclude,
        check=refuse_blocked,
        record=options.kept.archive or options.kept.har,
        artefacts=tuple(_artefacts(setup, visit)),
        deadline=_seconds(setup),
        requested_url=visit.url,
    )


def _served_job(job: PageJob, served: Exchange) -> PageJob:
    return replace(job, source=served, check=_require_article, record=False)


def _seconds(setup: Setup) -> float:
    return setup.options.render.limits.seconds


async def _serve(setup: Setup, visit: Visit, renderer: Renderer) -> Exchange | None:
    """What the address answers with; None where that is for a browser to find out."""
    limits = setup.options.render.limits
    try:
        return await renderer.fetch(
            visit.url, seconds=SERVED_SHARE * limits.seconds, max_bytes=limits.response_bytes
        )
    except Exception as error:
        if not isinstance(error, RenderError):
            logger.warning("%s could not be fetched", visit.url, exc_info=error)
        return None


def _require_article(extraction: Extraction) -> None:
    """Refuse a page as served without an article: where none is, it may be yet to come."""
    codes = {warning.code for warning in extraction.warnings}
    if not extraction.text or codes & {"not-an-article", "blocked"}:
        raise BrowserRequiredError("as served it is no article", url=extraction.url)


def _likeness(rendered: Extraction) -> Artefact:
    """How much a page as served says what it said when it was rendered, in [0, 1]."""

    def likeness(result: PageResult) -> float:
        other = result.extraction
        return 0.0 if other is None else shingle_score(rendered.text, other.text).f1

    return Artefact("likeness", likeness)


def _artefacts(setup: Setup, visit: Visit) -> list[Artefact]:
    """The fields of the answer; a page's files are on the disk before its line is made."""
    found = [Artefact("row", lambda result: _row(setup, visit, result))]
    if setup.options.kept.archive or setup.options.kept.har:
        records = Artefact("records", lambda result: _record(setup, visit, result), True)
        found.append(records)
    if setup.links:
        heed = setup.options.robots
        found.append(
            Artefact("links", lambda result: page_links(_page(result), heed_nofollow=heed))
        )
        found.append(Artefact("feeds", lambda result: feed_links(_page(result))))
    return found


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
