"""From a visit to its answer; a worker imports this module in a thread while its browser starts."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import partial
from hashlib import sha256
from time import monotonic

from ...errors import ElementNotFoundError, MioloError, PageNotAcceptedError
from ...extract.job import Artefact, PageJob, refuse_unusable
from ...extract.job_run import extract_page
from ...extract.learn_site import learn_site
from ...extract.plain import MAX_CHANGE, MIN_LIKENESS, change_probability, is_trusted, likeness
from ...extract.sources import parse_source
from ...models.site_folder import SiteFolder
from ...output.extraction import Extraction
from ...output.page_result import PageResult
from ...renderer.archives.open_archive import save_archive
from ...renderer.archives.warc import warc_records
from ...renderer.network.exchange import Exchange
from ...renderer.page.container import whole_file
from ...renderer.page.snapshot import Snapshot
from ...workers.child import exit_without_memory
from ..frontier.normal_urls import normal_url
from ..frontier.page_links import feed_links, page_links
from ..page_worker import JobContext
from .batch_options import Kept
from .files import file_of, new_file_of
from .planner import VisitMode
from .validators import visit_validators
from .visits import Answer, Fetch, FetchResult, Learn, Setup, Visit, Visits

FETCH_SECONDS = 20.0
FETCH_BYTES = 60 << 20

# Time after which a worker begins no further page of several, so that the deadline of each holds.
GROUP_SECONDS = 5.0

# Errors of pages of which a crawl still follows the links: a front page, say, has no such element.
WITHOUT_TEXT = ElementNotFoundError, PageNotAcceptedError

ANSWER, RECORDS = "answer", "records"  # names of artefacts


async def answer_run(
    setup: Setup, job: Visits | Fetch | Learn, context: JobContext
) -> tuple[Answer, ...] | FetchResult | float:
    """Answer visits, of which those without an answer were not begun, or a fetch, or learn a
    site.
    """
    if isinstance(job, Visits):
        started, answers = monotonic(), []
        for visit in job.visits:
            answers.append(await visit_page(setup, visit, context))
            if monotonic() - started > GROUP_SECONDS:
                break
        return tuple(answers)
    if isinstance(job, Learn):
        context.release()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(context.executor, _learn, job)
    exchanges: list[Exchange] | None = [] if setup.options.kept.archive else None
    try:
        exchange = await context.renderer.fetch(
            job.url, seconds=FETCH_SECONDS, max_bytes=FETCH_BYTES, into=exchanges
        )
        records = warc_records(exchanges) if exchanges else b""
    except MioloError as error:
        return FetchResult(job.url, cause=getattr(error, "cause", None) or type(error).__name__)
    return FetchResult(exchange.url, exchange.status, exchange.body, records)


async def visit_page(setup: Setup, visit: Visit, context: JobContext) -> Answer:
    """Visit a page."""
    started = monotonic()
    if visit.mode is VisitMode.SERVED and visit.memory.is_served:
        # If the page needs a browser after all, the limit of open pages is exceeded, by at most
        # the backlog.
        context.release()
    result = await extract_page(
        _job(setup, visit),
        context.renderer,
        executor=context.executor,
        on_rendered=context.release,
    )
    exit_without_memory(result.error)
    return replace(
        result.artefacts.get(ANSWER, Answer()),
        error=result.error,
        url=result.url or "",
        records=result.artefacts.get(RECORDS, b""),
        seconds=round(monotonic() - started, 3),
    )


def _learn(learn: Learn) -> float:
    """Learn a site; the share of its pages that a pattern accepted when they were first seen."""
    site = learn_site(Snapshot.load(file) for file in learn.files if file.is_file())
    site.save(learn.file)
    return site.accepted_share or 0.0


class _Comparison:
    """Comparison of a page's article, read without a browser (`served`), with the rendered one."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._plain: Extraction | None = None
        self.served: Snapshot | None = None

    def trusts(self, snapshot: Snapshot, extraction: Extraction) -> bool:
        """Whether a page need not be rendered, given the comparisons on its host."""
        self._plain, self.served = extraction, snapshot
        if self._visit.mode is VisitMode.COMPARED:
            return False
        probability = change_probability(snapshot, extraction)
        return self._visit.memory.update(probability) <= MAX_CHANGE

    def alike(self, result: PageResult) -> bool | None:
        """Whether both articles are alike; None if the page was not rendered."""
        rendered, plain = result.extraction, self._plain
        if rendered is None or rendered is plain:
            return None
        # If the plain request got no response, the page needs a browser.
        return plain is not None and likeness(rendered.text, plain.text) >= MIN_LIKENESS


def _job(setup: Setup, visit: Visit) -> PageJob:
    options = setup.options
    browser = "always" if visit.mode is VisitMode.RENDERED else options.render.browser
    is_saved = visit.mode is VisitMode.SAVED
    comparison = _Comparison(visit) if browser == "auto" and not is_saved else None
    saved = file_of(setup.folder, "snapshots", visit.url, ".miolo")
    return PageJob(
        saved if is_saved else parse_source(visit.url),
        replace(options.render, browser=browser, screenshot=options.kept.screenshots),
        options.extract or (),
        check=partial(refuse_unusable, min_confidence=options.min_confidence),
        trust=comparison.trusts if comparison else is_trusted,
        record=options.kept.archive or options.kept.har,
        artefacts=(
            Artefact(ANSWER, partial(_answer, setup, visit, comparison), of_failures=setup.links),
            Artefact(RECORDS, partial(_record, setup, visit), of_failures=True),
        ),
        deadline=options.render.limits.seconds,
        requested_url=visit.url,
    )


def _answer(
    setup: Setup, visit: Visit, comparison: _Comparison | None, result: PageResult
) -> Answer:
    """The answer for a page that was read; its files are on the disk before its row is made.

    That for a page whose text is not found by the method or the selectors has only its links.
    """
    if result.error is not None and result.extraction is None:
        is_page = isinstance(result.error, WITHOUT_TEXT) and result.snapshot is not None
        return _with_links(Answer(), setup, _page(result)) if is_page else Answer()
    answer = Answer(
        row=_row(setup, visit, result),
        confidence=None if result.extraction is None else result.extraction.confidence,
        alike=comparison.alike(result) if comparison else None,
        incomplete=setup.options.render.browser == "never" and _is_incomplete(result),
        matches=_matches(setup, result),
    )
    if not setup.links:
        return answer
    page = _page(result)
    # The text of a rendered page is unknown, but that of its plain response is known.
    served = comparison.served if comparison else None
    return replace(
        _with_links(answer, setup, page),
        validators=visit_validators(
            page if served is None else served, result.exchanges, setup.options.render.limits
        ),
        content=_content(result),
    )


def _with_links(answer: Answer, setup: Setup, page: Snapshot) -> Answer:
    links = page_links(page, respect_nofollow=setup.options.robots)
    return replace(answer, links=links, feeds=feed_links(page))


def _matches(setup: Setup, result: PageResult) -> bool | None:
    extract = setup.options.extract
    if not setup.options.learn or extract is None or not isinstance(extract.site, SiteFolder):
        return None
    site = extract.site(_page(result))
    return None if site is None else site.match(_page(result)) is not None


def _row(setup: Setup, visit: Visit, result: PageResult) -> bytes:
    """Write the page's files, then return its line of the results."""
    kept, page = setup.options.kept, _page(result)
    if visit.mode is VisitMode.SAVED:
        kept = Kept()
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
    """Records for the archive; the page's HAR file is written to the disk if it is kept."""
    if not result.exchanges:
        return b""
    if setup.options.kept.har:
        path = new_file_of(setup.folder, "har", visit.url, ".har")
        save_archive(path, list(result.exchanges))
    return warc_records(list(result.exchanges)) if setup.options.kept.archive else b""


def _is_incomplete(result: PageResult) -> bool:
    """Whether a browser would most likely change the article of a page read without one."""
    page, extraction = _page(result), result.extraction
    if extraction is None or page.page.has_geometry:
        return False
    # `is_trusted` is stricter: a browser is also worth its time if it only may change the article.
    return change_probability(page, extraction) > 0.5


def _content(result: PageResult) -> str:
    """Hash of the page's canonical address, or its own, and its text; empty without a text.

    Many sites declare wrong canonical addresses, such as that of the home page for every page, or
    that of the first page of an article for all of its pages. The text tells these apart.
    """
    extraction = result.extraction
    if extraction is None or not extraction.text:
        return ""
    own = _page(result).page.url
    address = normal_url(extraction.canonical_url or own) or own
    text = f"{address}\0{extraction.text}"
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _page(result: PageResult) -> Snapshot:
    assert result.snapshot is not None
    return result.snapshot
