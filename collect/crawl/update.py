"""Detects by conditional requests which pages of a collection have changed since their visit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...errors import MioloError
from ...renderer.archives.exchange import Exchange
from ...renderer.options import RenderOptions
from ...renderer.renderer import Renderer
from ..batch.hosts import LONGEST_DELAY, Politeness
from ..batch.job_store import JobStore
from ..batch.pages import host_of
from ..batch.retries import BUSY
from ..batch.validators import GONE, GONE_STATUSES, Validators, response_validators
from ..frontier.robots import Robots, robots_url

__all__ = ["UpdateCounts", "requeue_changed"]

UNCHANGED = 304

# Statuses of a page that no longer exists; its visit records the failure. Any other error may be
# transient and leaves the page unchanged.


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
        status, because their host was too busy for further requests, or because its robots.txt
        disallows them or cannot be read.
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
    """Queue pages again that have changed, are gone or are back.

    A new row supersedes the old one.

    A page is unchanged if the server says so (ETag, Last-Modified), or if the text of its HTML is
    the same as at the last request. Results are committed regularly, so that an interrupted update
    keeps them.

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
    for number, url in job_store.updatable_pages():
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
        self._places = job_store.row_places()
        self.updated = UpdateCounts()

    async def check_host(self, host: str, pages: list[tuple[int, str]], delay: float) -> None:
        """Request the pages of a host, one after the other, until the host is too busy."""
        robots = await self._robots(host) if self._obeys else None
        if robots is not None and robots.crawl_delay:
            delay = max(delay, min(robots.crawl_delay, LONGEST_DELAY))
        allowed = [page for page in pages if robots is None or robots.allows(page[1])]
        self.updated.failed += len(pages) - len(allowed)
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
        if answer.status in GONE_STATUSES:
            self._compare(number, validators, GONE)
        elif 200 <= answer.status < 300:
            limits = self._options.limits
            current = await asyncio.to_thread(response_validators, url, answer, limits)
            self._compare(number, validators, current)
        elif answer.status != UNCHANGED:
            self.updated.failed += 1
        self._job_store.commit_if_due()
        return answer.status

    async def _ask(self, url: str, validators: Validators | None) -> Exchange:
        conditions = dict(_conditions(validators)) if validators else {}
        own = self._options.for_page(url)
        options = replace(own, headers={**own.headers, **conditions}, headers_for=url)
        limits = options.limits
        return await self._renderer.fetch(
            url, seconds=limits.seconds, max_bytes=limits.response_bytes, options=options
        )

    def _compare(self, number: int, before: Validators | None, current: Validators) -> None:
        """Store the validators of a page, and queue it again if its digest has changed."""
        self._job_store.note_validators(number, current)
        if before is None or before.digest != current.digest:
            self._job_store.requeue_done(number, self._places.get(number))
            self.updated.changed += 1


def _conditions(validators: Validators) -> Iterator[tuple[str, str]]:
    if validators.etag:
        yield "If-None-Match", validators.etag
    if validators.modified:
        yield "If-Modified-Since", validators.modified
