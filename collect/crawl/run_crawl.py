"""`run_crawl`: discover and process the pages of one site from a start address.

A crawl visits pages breadth first, in the order of discovery, but pages whose addresses do not look
like those of articles only after articles that are a few links further. `spread` orders the
thousands of pages that sitemaps and feeds list so that any prefix is a representative sample.

A crawl uses the queue of the batch, because a page's row, its state and its links then belong to
one transaction. Scrapy's and Crawlee's persistent queues have none: with Miolo's renderer in their
handlers and two kills in sixty pages, Scrapy lost one row and wrote another twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from math import inf
from pathlib import Path
from urllib.parse import urlsplit

from ... import errors
from ...features.page_address import ADDRESS_FEATURES, address_features
from ...models.site_folder import SiteFolder
from ...renderer.network.written_addresses import whole_address
from ...renderer.options import OnGrant, ignore_grant, resolve_policy, restrict_policy
from ...renderer.renderer import Renderer
from ..batch.batch_options import BatchOptions
from ..batch.files import ARCHIVE, RESULTS
from ..batch.job_store import ENDED, JobStore
from ..batch.jobs import Address, Counts, Job, server_of
from ..batch.run_batch import check_egress, check_method, check_same_options
from ..batch.runner import Frontier, OnProgress, Runner, batch_pool
from ..batch.visits import Answer, Setup
from ..frontier.normal_urls import normal_url
from ..frontier.scope import Reach, Scope, may_be_page
from ..frontier.sitemaps import MAX_ENTRIES, read_listings
from ..frontier.traps import Traps, shape_of
from .learning import SITES, Learning, OnLearned
from .update import UpdateCounts, requeue_changed

# Names of the facts of a crawl: its start, the start after redirects, the day used to detect traps,
# its listings, and with which limit they were read, with the number of pages beyond it.
START, HOME, DAY = "start", "home", "day"
LISTINGS, LISTED = "listings", "listed"

MAX_LINKS = 2_000  # maximum number of new addresses that are queued from one page

MAX_LISTED = 2_000
"""Maximum number of pages that are taken from listings, unless a crawl requests more pages."""

QUEUE_SHARE, MIN_QUEUE = 20, 1_000
"""Maximum number of addresses per page of a crawl; the total limit is at least the second value."""

OTHER_DELAY, LIST_DELAY = 2, 3
"""Number of links by which other pages than articles, and lists, count as deeper. Since it is
limited, an endless chain of pages that look like articles delays the others, but not for ever."""

MAX_FILES = 20  # maximum number of files read; a crawl does not need them all


async def run_crawl(
    folder: Path,
    url: str,
    options: BatchOptions,
    *,
    pages: int = 200,
    reach: Reach = "site",
    listings: bool = True,
    retry_failed: bool = False,
    update: bool = False,
    on_progress: OnProgress = lambda progress: None,
    on_update: Callable[[UpdateCounts], None] = lambda updated: None,
    on_grant: OnGrant = ignore_grant,
    on_learned: OnLearned = lambda note: None,
) -> Counts:
    """Visit a site's pages; an interrupted crawl can be resumed.

    `url` is the start address: a page, or a feed or sitemap, whose pages are visited. `reach`
    states which addresses belong to the crawl; see `Scope`. With `listings`, pages are also taken
    from sitemaps and feeds. With ``EgressPolicy("named")`` pages of private hosts may reach private
    addresses if the host of the start address is private; then `on_grant` is called. For further
    parameters and errors see `queue_list` and `run_queue`; a folder with a crawl from another
    address is a `SettingsError`, and an address at which no crawl can begin a `NavigationError`.

    At most `pages` distinct pages are visited; the same call with a greater number continues the
    crawl. A crawl that already has more pages keeps this number, so that an update can visit them,
    and those that were gone and have come back. At most 20 times as many addresses are queued (but
    at least 1,000): at most 2,000 from one page, in document order, and at most 2,000, or `pages`
    if that is more, from sitemaps and feeds. `Counts.dropped` is the number of addresses beyond
    that.

    With `update`, done pages are requested again, and visited if they have changed; see
    `requeue_changed`. Sitemaps and feeds are read again, and `on_update` is called with the counts.
    `on_learned` is called whenever the site has been learned, with ``BatchOptions(learn=True)``.
    """
    check_method(options)
    start = normal_url(whole_address(url))
    if start is None:
        raise errors.NavigationError(
            f"a crawl cannot start at {url!r}: not a valid web address", url=url
        )
    render = options.render
    if options.replay is None:
        render = await resolve_policy(render, start, switches=options.switches, on_grant=on_grant)
    if render.headers and render.headers_for is None:
        render = replace(render, headers_for=start)
    options = replace(options, render=restrict_policy(render))
    check_egress(options)
    if options.learn and options.extract:
        learned = replace(options.extract, site=SiteFolder(folder / SITES))
        options = replace(options, extract=learned)
    with closing(JobStore(folder, (RESULTS, ARCHIVE))) as job_store:
        check_same_options(job_store, options)
        _begin(job_store, start)
        if retry_failed:
            job_store.retry_failed()
        if update:
            on_update(await _update(job_store, options))
        # All pages that an update has queued again must be visited: those that were gone have no
        # row.
        pages = max(pages, job_store.count_visited())
        async with batch_pool(Setup(folder, options, links=True)) as pool:
            runner = Runner(job_store, pool, options, max_pages=pages, on_progress=on_progress)
            learning = Learning(job_store, runner, folder, on_learned) if options.learn else None
            runner.frontier = Crawl(job_store, runner, reach, pages, learning, listings=listings)
            return await runner.run()


def _begin(job_store: JobStore, start: str) -> None:
    earlier = job_store.fact(START)
    if earlier is None:
        job_store.note(START, start)
        job_store.note(DAY, datetime.now(UTC).date().isoformat())
        job_store.add([Address(start)])
        job_store.commit()
    elif earlier != start:
        raise errors.SettingsError(f"the folder holds the crawl of {earlier}; use another folder")
    elif job_store.fact(HOME) is None:
        # The start failed: without a second visit, the crawl could never begin.
        job_store.retry_failed()


async def _update(job_store: JobStore, options: BatchOptions) -> UpdateCounts:
    """Queue changed pages again."""
    job_store.forget(ENDED)
    job_store.forget(LISTED)
    plain = Renderer(options.render, switches=options.switches)
    try:
        return await requeue_changed(
            job_store, plain, options.render, options.politeness, robots=options.robots
        )
    finally:
        await plain.close()


class Crawl(Frontier):
    """Frontier of a crawl; its whole state can be restored from the job store."""

    def __init__(
        self,
        job_store: JobStore,
        runner: Runner,
        reach: Reach,
        pages: int,
        learning: Learning | None = None,
        *,
        listings: bool,
    ) -> None:
        self._learning = learning
        self._job_store = job_store
        self._runner = runner
        self._reach: Reach = reach
        self._listings = listings
        self._traps = Traps(date.fromisoformat(job_store.fact(DAY) or "1970-01-01"))
        self._max_listed = max(MAX_LISTED, pages)
        self._max_known, self._known = max(QUEUE_SHARE * pages, MIN_QUEUE), 0
        for address in job_store.addresses():
            self._traps.note(address.url)
            self._known += 1
        home = job_store.fact(HOME)
        self._scope = Scope(home, reach) if home else None
        if home and listings and self._listed()[0] < self._max_listed:
            self._read_listings(Scope(home, reach))

    def refusal(self, job: Job, answer: Answer) -> errors.RenderError | None:
        """Error of a page that is outside the crawl, or that is another page of the collection."""
        url = normal_url(answer.url)
        if url is not None and url != job.url:
            leads = f"the address leads to {url}, which is"
            if self._scope is not None and not self._scope.holds(url):
                return errors.NavigationError(f"{leads} outside the crawl", url=job.url)
            if self._job_store.same_page(job, url):
                return errors.DuplicatePageError(f"{leads} already in the collection", url=job.url)
        reason = self._job_store.same_content(job, answer.content) if answer.content else None
        return None if reason is None else errors.DuplicatePageError(reason, url=job.url)

    def further(self, job: Job, answer: Answer) -> Iterable[Address]:
        """New addresses of the site that the page links to, without traps."""
        scope = self._scope or self._set_home(job, answer)
        return self._addresses(answer.links, scope, job.depth + 1, MAX_LINKS, job.id)

    def note_done(self, job: Job, answer: Answer) -> None:
        """Learn from a page that is done."""
        if self._learning is not None:
            self._learning.note_done(job, answer)

    def note_failure(self, job: Job, error: errors.MioloError) -> None:
        """Begin with the pages that the start lists if it is a feed or a sitemap."""
        if self._scope is None and isinstance(error, errors.NotHTMLError) and error.lists_pages:
            self._job_store.note(HOME, job.url)
            self._job_store.note(LISTINGS, json.dumps([job.url]))
            self._scope = Scope(job.url, self._reach)
            self._read_listings(self._scope)

    async def _queue_listed(self, files: Iterable[str], scope: Scope) -> None:
        """Queue listed pages, at the depth of the first page's links, and count those left out."""
        listings = await read_listings(self._fetch, files, scope, MAX_FILES)
        entries = [entry for listing in listings for entry in listing.pages]
        urls = spread(entries, self._max_listed)
        dropped = len({url for url, _ in entries}) - len(urls)
        self._job_store.note_dropped(dropped - self._listed()[1])
        self._job_store.note(LISTED, json.dumps([self._max_listed, dropped]))
        self._runner.add(self._addresses(urls, scope, 1))

    async def _fetch(self, url: str) -> tuple[str, bytes] | None:
        response = await self._runner.fetch(url)
        return (response.url, response.body) if 200 <= response.status < 300 else None

    def _listed(self) -> tuple[int, int]:
        """Limit with which the listings were read, and number of pages beyond it; 0 if unread."""
        limit, dropped = json.loads(self._job_store.fact(LISTED) or "[0, 0]")
        return limit, dropped

    def _addresses(
        self,
        urls: Iterable[str],
        scope: Scope,
        depth: int,
        max_new: float = inf,
        linked_from: int | None = None,
    ) -> list[Address]:
        """New addresses among `urls`, up to the limits; those beyond the limits are counted."""
        room = max(min(self._max_known - self._known, max_new), 0)
        new: list[Address] = []
        dropped = 0
        for url in urls:
            if not (scope.holds(url) and may_be_page(url)) or self._job_store.has_url(url):
                continue
            if len(new) == room:
                dropped += 1
            elif self._traps.admits(url) is None:
                rank = depth + delay_of(url)
                new.append(Address(url, depth, len(new), linked_from, rank))
        self._known += len(new)
        if dropped:
            self._job_store.note_dropped(dropped)
        return new

    def _set_home(self, job: Job, answer: Answer) -> Scope:
        """Define the site by its first page, after redirects."""
        home = normal_url(answer.url) or job.url
        self._job_store.note(HOME, home)
        self._scope = Scope(home, self._reach)
        host = server_of(home)
        sitemaps = self._runner.sitemaps_of(host) or (f"{host}/sitemap.xml",)
        # Feeds come first, because they list new pages.
        self._job_store.note(LISTINGS, json.dumps([*answer.feeds, *sitemaps]))
        if self._listings:
            self._read_listings(self._scope)
        return self._scope

    def _read_listings(self, scope: Scope) -> None:
        files = json.loads(self._job_store.fact(LISTINGS) or "[]")
        self._runner.start(self._queue_listed(files, scope))


def spread(entries: Iterable[tuple[str, str | None]], max_entries: int) -> tuple[str, ...]:
    """Order listed pages so that any prefix is a representative sample of the site.

    Entries are addresses in normal form with the time of the last change in ISO 8601, or None. If
    an address occurs more than once, the first entry is used, so entries of feeds come first. At
    most `max_entries` distinct addresses are chosen from the `MAX_ENTRIES` latest entries, or from
    this number of entries if it is greater.
    """
    changed: dict[str, str] = {}
    for url, when in entries:
        changed.setdefault(url, when or "")
    folders: dict[tuple[int, str], list[str]] = {}
    latest = sorted(changed, key=changed.__getitem__, reverse=True)
    for url in latest[: max(MAX_ENTRIES, max_entries)]:
        folder = shape_of(url).alike.partition("?")[0].rstrip("/").rpartition("/")[0]
        folders.setdefault((delay_of(url), folder), []).append(url)
    ranked = [
        (delay, turn, folder, url)
        for (delay, folder), urls in folders.items()
        for turn, url in enumerate(urls)
    ]
    ranked.sort(key=lambda entry: entry[:3])
    return tuple(url for *_, url in ranked[:max_entries])


def delay_of(url: str) -> int:
    """Number of links by which a page counts as deeper if its address is not that of an article.

    The address of an article contains a date, a long number or a name of several words. That of a
    list names a list, a page of one or a day of a calendar, or is the front page.

    >>> delay_of("https://example.org/town/the-storm-that-came-twice")
    0
    >>> delay_of("https://example.org/about"), delay_of("https://example.org/tag/storms")
    (2, 3)
    """
    address = urlsplit(url)
    below = f"{address.scheme}://{address.netloc}{address.path.rstrip('/')}/0"
    features, folders = (
        dict(zip(ADDRESS_FEATURES, address_features(each).tolist(), strict=True))
        for each in (url, below)
    )
    is_list = features["address home"] or folders["address list word"]
    if is_list or shape_of(url).kind in ("calendar", "paging"):
        return LIST_DELAY
    is_named = features["address article word"] and features["address depth"] > 1
    has_date = features["address dated"] or features["address long_number"]
    is_article = has_date or is_named or features["address hyphens"] >= 3
    return 0 if is_article else OTHER_DELAY
