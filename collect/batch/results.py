"""A page to its line of the results and its files.

Loaded by a worker's thread while its browser starts: methods and models take most of a second.
"""

from __future__ import annotations

import json
from dataclasses import replace

from ...errors import RenderError, StorageError
from ...extract.output.extraction import Extraction
from ...extract.output.rows import check_not_blocked, result_row
from ...extract.pipeline import extract_snapshot
from ...extract.scoring import shingle_score
from ...renderer.archives.exchange import Exchange
from ...renderer.http.served import served_page
from ...renderer.snapshot import PageWarning, Snapshot
from ..frontier.links import feed_links, page_links
from .adaptive import Way
from .files import file_of, write_whole
from .messages import Answer, Setup, Visit

__all__ = ["read_page", "read_served"]

AS_SERVED = PageWarning(
    "as-served", "read without a browser, as its host's other pages gave the same"
)

# Shingle F1 of two readings of one article: without geometry a block more or less is taken.
ALIKE = 0.9


def read_page(setup: Setup, visit: Visit, page: Snapshot, served: Exchange | None = None) -> Answer:
    """What a rendered page comes to; its files are on the disk afterwards.

    Parameters
    ----------
    served
        Of a page that is compared, what its address answered with.

    Raises
    ------
    StorageError
        They cannot be written.
    PageBlockedError
        The page shows something else in place of what its address is for.
    """
    if not setup.options.method:
        return _kept(setup, visit, page, {"requested_url": visit.url, "url": page.page.url})
    extraction = _extraction(setup, page)
    check_not_blocked(extraction)
    found = _kept(setup, visit, page, result_row(visit.url, extraction))
    if visit.way is not Way.COMPARED:
        return found
    return replace(found, alike=served is not None and _alike(setup, extraction, visit, served))


def read_served(setup: Setup, visit: Visit, served: Exchange) -> Answer | None:
    """What a page comes to as served; None where that is no article, so that a browser is needed.

    Raises
    ------
    NavigationError, NotHTMLError
        As for a page that is rendered.
    StorageError
        Its files cannot be written.
    """
    page = served_page(visit.url, served)
    if page is None or not setup.options.method:
        return None
    page = page.with_warnings(AS_SERVED)
    extraction = _extraction(setup, page)
    if not _holds_article(extraction):
        return None
    return _kept(setup, visit, page, result_row(visit.url, extraction))


def _extraction(setup: Setup, page: Snapshot) -> Extraction:
    options = setup.options
    assert options.method
    return extract_snapshot(
        page,
        options.method,
        preset=options.preset,
        include=options.include,
        exclude=options.exclude,
    )


def _alike(setup: Setup, rendered: Extraction, visit: Visit, served: Exchange) -> bool:
    """Whether a page came to the same article with a browser and without."""
    try:
        page = served_page(visit.url, served)
    except RenderError:
        return False
    if page is None:
        return False
    other = _extraction(setup, page)
    return _holds_article(other) and shingle_score(rendered.text, other.text).f1 >= ALIKE


def _holds_article(served: Extraction) -> bool:
    """Whether an article was found in a page as served: where none was, it may be yet to come."""
    codes = {warning.code for warning in served.warnings}
    return bool(served.text) and not codes & {"not-an-article", "blocked"}


def _kept(setup: Setup, visit: Visit, page: Snapshot, row: dict) -> Answer:
    try:
        _keep(setup, visit, page)
    except OSError as error:
        raise StorageError(f"files cannot be written: {error}") from error
    line = json.dumps({"id": visit.id, **row}, ensure_ascii=False)
    found = Answer(visit.id, line.encode("utf-8", "replace") + b"\n", url=page.page.url)
    if not setup.links:
        return found
    links = page_links(page, heed_nofollow=setup.options.robots)
    return replace(found, links=links, feeds=feed_links(page))


def _keep(setup: Setup, visit: Visit, page: Snapshot) -> None:
    kept = setup.options.kept
    if kept.screenshots and page.screenshot:
        write_whole(file_of(setup.folder, "screenshots", visit.url, ".png"), page.screenshot)
    if kept.snapshots:
        path = file_of(setup.folder, "snapshots", visit.url, ".miolo")
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(page, screenshot=None).save(path)
