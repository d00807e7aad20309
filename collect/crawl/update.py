"""Detects by conditional requests which pages of a collection have changed since their visit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import format_datetime
from hashlib import sha256

from ...errors import MioloError
from ...renderer.archives.exchange import Exchange
from ...renderer.options import RenderOptions
from ...renderer.renderer import Renderer
from ...renderer.served import served_page
from ..batch.hosts import LONGEST_DELAY, Politeness
from ..batch.job_store import JobStore
from ..batch.pages import host_of
from ..batch.retries import BUSY
from ..batch.validators import Validators
from ..frontier.robots import Robots, robots_url

__all__ = ["UpdateCounts", "requeue_changed"]

UNCHANGED = 304

# Statuses of a page that no longer exists; its visit records the failure. Any other error may be
# transient and leaves the page unchanged.
GONE = frozenset((404, 410))


@dataclass
class UpdateCounts:
    """Counts of pages that were requested again.

    Attributes
    ----------
    checked
        Number of pages that were requested.
    changed
        Number of pages that are visited again.
    failed
        Number of pages that are left unchanged because their request failed or returned another
        status, or because their host was too busy for further requests.
    """

    checked: int = 0
    changed: int = 0
    failed: int = 0


async def requeue_changed(
    job_store: JobStore,
    renderer: Renderer,
    options: RenderOptions,
    politeness: Politeness,
    *,
    robots: bool,
) -> UpdateCounts:
    """Queue changed pages again; their old results are marked as superseded.

    A page is unchanged if the server says so (ETag, Last-Modified), or if the text of its HTML is
    the same as at the last request. At the first update of a page only the server can decide,
    given the time at which the crawl began. Results are committed regularly, so that an interrupted
    update keeps them.

    Parameters
    ----------
    job_store
        State of the collection.
    renderer, options
        Renderer that makes the requests, without a browser, and its options.
    politeness
        Limits on the requests to each host.
    robots
        Whether robots.txt is obeyed.
    """
    work = _Update(job_store, renderer, options, robots)
    by_host: dict[str, list[tuple[int, str]]] = {}
    for number, url in job_store.done_pages():
        by_host.setdefault(host_of(url), []).append((number, url))
    by_host.pop("", None)
    await asyncio.gather(
        *(work.check_host(host, pages, politeness.delay) for host, pages in by_host.items())
    )
    job_store.commit()
    return work.updated


class _Update:
    def __init__(
        self, job_store: JobStore, renderer: Renderer, options: RenderOptions, robots: bool
    ) -> None:
        self._job_store = job_store
        self._renderer = renderer
        self._options = options
        self._obeys = robots
        self._begun = _http_date(job_store.fact("begun"))
        self._places = job_store.row_places()
        self.updated = UpdateCounts()

    async def check_host(self, host: str, pages: list[tuple[int, str]], delay: float) -> None:
        """Request the pages of a host, one after the other, until the host is too busy."""
        robots = await self._robots(host) if self._obeys else None
        if robots is not None and robots.crawl_delay:
            delay = max(delay, min(robots.crawl_delay, LONGEST_DELAY))
        allowed = [page for page in pages if robots is None or robots.allows(page[1])]
        for checked, (number, url) in enumerate(allowed):
            if checked:
                await asyncio.sleep(delay)
            if await self._check(number, url) in BUSY:
                self.updated.failed += len(allowed) - checked - 1
                return

    async def _robots(self, host: str) -> Robots:
        url = robots_url(host)
        try:
            answer = await self._renderer.fetch(url, options=self._options)
        except MioloError:
            return Robots.read(url, None)
        return Robots.read(answer.url, answer.status, answer.body)

    async def _check(self, number: int, url: str) -> int:
        """Request a page; returns the status of the response, 0 if there is none."""
        validators = self._job_store.validators(number)
        self.updated.checked += 1
        try:
            answer = await self._ask(url, validators)
        except MioloError:
            self.updated.failed += 1
            return 0
        if answer.status in GONE:
            self._note_change(number)
        elif 200 <= answer.status < 300:
            digest = await asyncio.to_thread(_digest, url, answer)
            etag, modified = answer.header("etag"), answer.header("last-modified")
            self._job_store.note_validators(number, Validators(etag, modified, digest))
            if validators is None or validators.digest != digest:
                self._note_change(number)
        elif answer.status != UNCHANGED:
            self.updated.failed += 1
        self._job_store.commit_if_due()
        return answer.status

    async def _ask(self, url: str, validators: Validators | None) -> Exchange:
        conditions = dict(_conditions(validators, self._begun))
        own = self._options.for_page(url)
        options = replace(own, headers={**own.headers, **conditions}, headers_for=url)
        limits = options.limits
        return await self._renderer.fetch(
            url, seconds=limits.seconds, max_bytes=limits.response_bytes, options=options
        )

    def _note_change(self, number: int) -> None:
        self._job_store.requeue_done(number, self._places.get(number))
        self.updated.changed += 1


def _conditions(validators: Validators | None, begun: str) -> Iterator[tuple[str, str]]:
    if validators is None:
        if begun:
            yield "If-Modified-Since", begun
        return
    if validators.etag:
        yield "If-None-Match", validators.etag
    if validators.modified:
        yield "If-Modified-Since", validators.modified


def _digest(url: str, answer: Exchange) -> str:
    """Hash of the text of a page as served, or of its bytes if it cannot be read as a page."""
    try:
        return served_page(url, answer).page.content_hash
    except MioloError:
        return sha256(answer.body).hexdigest()


def _http_date(time: str | None) -> str:
    return format_datetime(datetime.fromisoformat(time), usegmt=True) if time else ""
