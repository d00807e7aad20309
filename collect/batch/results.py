"""From a visit to its answer: the job of a page, its result row and its files.

A worker imports this module in a thread while its browser starts, because importing methods and
models takes most of a second.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from hashlib import sha256

from ...extract.job import Artefact, PageJob, refuse_unusable
from ...extract.job_run import extract_page
from ...extract.plain import MAX_CHANGE, MIN_LIKENESS, change_probability, is_trusted, likeness
from ...extract.sources import parse_source
from ...output.extraction import Extraction
from ...output.page_result import PageResult
from ...renderer.archives.har import write_har
from ...renderer.archives.warc import warc_records
from ...renderer.page.container import whole_file
from ...renderer.page.snapshot import Snapshot
from ...renderer.renderer import Renderer
from ..frontier.normal_urls import normal_url
from ..frontier.page_links import feed_links, page_links
from .files import new_file_of
from .planner import VisitMode
from .validators import Validators, visit_validators
from .visit_messages import Answer, Setup, Visit

__all__ = ["visit_page"]


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
        The worker's browser, and its thread that reads pages.
    release
        Called when the page no longer occupies a slot of the browser.
    """
    job = _job(setup, visit)
    if visit.mode is VisitMode.SERVED and visit.memory.is_served:
        # If the page needs a browser after all, the limit of open pages is exceeded, by at most
        # the backlog.
        release()
        result = await extract_page(job, renderer, executor=executor)
    else:
        result = await extract_page(job, renderer, executor=executor, on_rendered=release)
    return Answer(visit.id, error=result.error, url=result.url or "", **result.artefacts)


class _Comparison:
    """Comparison of a page's article without a browser with that of the rendered page.

    Attributes
    ----------
    served
        The page as read without a browser; None if it was not or could not be.
    """

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
    comparison = _Comparison(visit) if browser == "auto" else None
    return PageJob(
        parse_source(visit.url),
        replace(options.render, browser=browser, screenshot=options.kept.screenshots),
        options.extract or (),
        check=partial(refuse_unusable, min_confidence=options.min_confidence),
        trust=comparison.trusts if comparison else is_trusted,
        record=options.kept.archive or options.kept.har,
        artefacts=tuple(_artefacts(setup, visit, comparison)),
        deadline=options.render.limits.seconds,
        requested_url=visit.url,
    )


def _artefacts(setup: Setup, visit: Visit, comparison: _Comparison | None) -> list[Artefact]:
    """The fields of the answer; a page's files are on the disk before its row is made."""
    artefacts = [
        Artefact("row", lambda result: _row(setup, visit, result)),
        Artefact("confidence", _confidence),
    ]
    if comparison:
        artefacts.append(Artefact("alike", comparison.alike))
    elif setup.options.render.browser == "never":
        artefacts.append(Artefact("incomplete", _is_incomplete))
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
        artefacts.append(
            Artefact("validators", lambda result: _validators(setup, comparison, result))
        )
        artefacts.append(Artefact("content", _content))
    return artefacts


def _row(setup: Setup, visit: Visit, result: PageResult) -> bytes:
    """Write the page's files, then return its line of the results."""
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


def _confidence(result: PageResult) -> float | None:
    return None if result.extraction is None else result.extraction.confidence


def _record(setup: Setup, visit: Visit, result: PageResult) -> bytes:
    """Records for the archive; the page's HAR file is written to the disk if it is kept."""
    if not result.exchanges:
        return b""
    if setup.options.kept.har:
        path = new_file_of(setup.folder, "har", visit.url, ".har")
        write_har(path, list(result.exchanges))
    return warc_records(list(result.exchanges)) if setup.options.kept.archive else b""


def _is_incomplete(result: PageResult) -> bool:
    """Whether a browser would most likely change the article of a page read without one."""
    page, extraction = _page(result), result.extraction
    if extraction is None or page.page.has_geometry:
        return False
    # `is_trusted` is stricter: a browser is also worth its time if it only may change the article.
    return change_probability(page, extraction) > 0.5


def _validators(setup: Setup, comparison: _Comparison | None, result: PageResult) -> Validators:
    # The text of a rendered page is unknown, but that of its plain response is known.
    served = comparison.served if comparison else None
    page = _page(result) if served is None else served
    return visit_validators(page, result.exchanges, setup.options.render.limits)


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
