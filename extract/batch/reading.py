"""A rendered page to its line of the results and its files.

Loaded by a worker's thread while its browser starts: methods and models take most of a second.
"""

from __future__ import annotations

import json
from dataclasses import replace

from ...errors import StorageError
from ...renderer.snapshot import Snapshot
from ..article import extract_snapshot
from ..crawl.links import feed_links, page_links
from ..rows import written_row
from .files import file_of, write_whole
from .messages import Answer, Setup, Visit

__all__ = ["read_page"]


def read_page(setup: Setup, visit: Visit, page: Snapshot) -> Answer:
    """What a page comes to; its files are on the disk afterwards.

    Raises
    ------
    StorageError
        They cannot be written.
    """
    method, robots = setup.options.method, setup.options.robots
    row = {"requested_url": visit.url, "url": page.page.url}
    if method:
        row = written_row(visit.url, extract_snapshot(page, method))
    try:
        _keep(setup, visit, page)
    except OSError as error:
        raise StorageError(f"files cannot be written: {error}") from error
    line = json.dumps({"id": visit.id, **row}, ensure_ascii=False)
    found = Answer(visit.id, line.encode("utf-8", "replace") + b"\n", url=page.page.url)
    if not setup.links:
        return found
    return replace(found, links=page_links(page, heed_nofollow=robots), feeds=feed_links(page))


def _keep(setup: Setup, visit: Visit, page: Snapshot) -> None:
    kept = setup.options.kept
    if kept.screenshots and page.screenshot:
        write_whole(file_of(setup.folder, "screenshots", visit.url, ".png"), page.screenshot)
    if kept.snapshots:
        path = file_of(setup.folder, "snapshots", visit.url, ".miolo")
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(page, screenshot=None).save(path)
