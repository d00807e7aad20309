"""Detects by conditional requests which pages of a collection have changed since their visit."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace
from time import time

from ...errors import MioloError, NavigationError
from ...renderer.network.answer import retry_after_seconds
from ...renderer.network.exchange import Exchange
from ...renderer.options import RenderOptions
from ...renderer.renderer import Renderer
from ..batch.hosts import LONGEST_DELAY, Politeness
from ..batch.job_store import JobStore, UpdatablePage
from ..batch.jobs import server_of
from ..batch.retries import BUSY, robots_wait, verdict
from ..batch.validators import GONE, GONE_STATUSES, Validators, response_validators
from ..frontier.normal_urls import normal_url
from ..frontier.robots import Robots, robots_url

logger = logging.getLogger(__name__)

UNCHANGED = 304


@dataclass
class UpdateCounts:
    """Pages that were requested again, that are visited again, and that could not be checked."""

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

    A new row supersedes the old one. A duplicate is queued again if it has changed, unless it still
    redirects to an address of the collection, and if the page that was kept instead has changed or
    is gone. It then counts like a page that was never visited.

    A page is unchanged if the server says so (ETag, Last-Modified), or if the text of its HTML is
    the same as at the last request. Requests to a host that is too busy are repeated as visits are
    (see `verdict`). If it stays busy, its remaining pages are left to a later update.

    Results are committed regularly, and the pages that were not requested for the longest time come
    first, so that the next update continues where one was interrupted.
    """
    work = _Update(job_store, renderer, options, robots)
    by_host: dict[str, list[UpdatablePage]] = {}
    for page in job_store.updatable_pages():
        by_host.setdefault(server_of(page.url), []).append(page)
    by_host.pop("", None)
    await asyncio.gather(
        *(work.check_host(host, pages, politeness.delay) for host, pages in by_host.items())
    )
    job_store.commit()
    return work.updated


@dataclass(frozen=True)
class _Update:
    _job_store: JobStore
    _renderer: Renderer
    _options: RenderOptions
    _obeys: bool
    updated: UpdateCounts = field(default_factory=UpdateCounts)

    async def check_host(self, host: str, pages: list[UpdatablePage], delay: float) -> None:
        """Request the pages of a host, one after the other, unless the host stays too busy."""
        robots = await self._robots(host) if self._obeys else None
        if robots is not None and robots.crawl_delay:
            delay = max(delay, min(robots.crawl_delay, LONGEST_DELAY))
        allowed = [page for page in pages if robots is None or robots.allows(page.url)]
        self.updated.failed += len(pages) - len(allowed)
        for checked, page in enumerate(allowed):
            if checked:
                await asyncio.sleep(delay)
            status = await self._check(page, delay)
            self._job_store.note_check(page.id, time())
            self._job_store.commit_if_due()
            if status in BUSY:
                self.updated.failed += len(allowed) - checked - 1
                return

    async def _robots(self, host: str) -> Robots:
        """The rules of a host, requested as often as in a first crawl."""
        url = robots_url(host)
        tries = 0
        while True:
            tries += 1
            try:
                answer = await self._renderer.fetch(url, options=self._options)
                robots = Robots.read(answer.url, answer.status, answer.body)
            except MioloError:
                robots = Robots.read(url, None)
            wait = robots_wait(robots, tries)
            if wait is None:
                return robots
            await asyncio.sleep(wait)

    async def _check(self, page: UpdatablePage, delay: float) -> int:
        """Request a page; returns the status of the response, 0 if there is none."""
        self.updated.checked += 1
        try:
            answer = await self._ask(page, delay)
        except MioloError:
            self.updated.failed += 1
            return 0
        target = normal_url(answer.url) or page.url
        leads_away = target != page.url and self._job_store.has_url(target)
        if page.is_duplicate and (leads_away or answer.status in GONE_STATUSES):
            return answer.status
        if answer.status in GONE_STATUSES:
            self._compare(page, target, GONE)
        elif 200 <= answer.status < 300:
            limits = self._options.limits
            current = await asyncio.to_thread(response_validators, page.url, answer, limits)
            self._compare(page, target, current)
        elif answer.status != UNCHANGED:
            self.updated.failed += 1
        return answer.status

    async def _ask(self, page: UpdatablePage, delay: float) -> Exchange:
        """The response to the request for a page, repeated while the host is too busy."""
        url = page.url
        known = page.validators or GONE
        conditions = {"If-None-Match": known.etag, "If-Modified-Since": known.modified}
        conditions = {name: value for name, value in conditions.items() if value}
        own = self._options.for_page(url)
        options = replace(own, headers={**own.headers, **conditions}, headers_for=url)
        seconds, max_bytes = options.limits.seconds, options.limits.response_bytes
        tries = 0
        while True:
            tries += 1
            response = await self._renderer.fetch(
                url, seconds=seconds, max_bytes=max_bytes, options=options
            )
            wait = _wait(response, tries)
            if wait is None:
                return response
            logger.info("%s: HTTP status %d, waiting for %.0f s", url, response.status, wait)
            # The run may be interrupted during a long wait.
            self._job_store.commit()
            await asyncio.sleep(max(wait, delay))

    def _compare(self, page: UpdatablePage, target: str, current: Validators) -> None:
        """Store the validators of a page, and queue it again if its digest has changed."""
        store = self._job_store
        store.note_validators(page.id, current)
        if page.validators is not None and page.validators.digest == current.digest:
            return
        if page.is_duplicate:
            self.updated.changed += store.requeue_duplicate(page.id)
        else:
            store.requeue_done(page.id)
            self.updated.changed += 1 + store.requeue_duplicates_of(page.url, target)


def _wait(response: Exchange, tries: int) -> float | None:
    """Seconds until a request to a busy host is repeated; None if it is not repeated."""
    if response.status not in BUSY:
        return None
    retry_after = retry_after_seconds(dict(response.headers), time())
    return verdict(NavigationError("", status=response.status, retry_after=retry_after), tries).wait
