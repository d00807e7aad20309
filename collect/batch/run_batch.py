"""Process a list of pages into a collection: `queue_list`, then `run_queue`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ... import errors
from ...extract.methods.registry import find_method
from ...extract.options import ExtractOptions
from ...models.site_folder import SiteFolder
from ...renderer.network.policy import EgressPolicy, check_proxy
from ...renderer.network.written_addresses import whole_source
from ...renderer.options import Limits, restrict_policy
from ...untrusted_json import parse_json
from ..frontier.normal_urls import without_tracking
from .batch_options import BatchOptions
from .files import ARCHIVE, RESULTS
from .job_store import JobStore
from .jobs import Address, BadLine, Counts, server_of
from .runner import OnProgress, Runner, batch_pool, now
from .visits import Setup


def queue_list(
    folder: Path,
    urls: Iterable[str | BadLine],
    options: BatchOptions,
    *,
    retry_failed: bool = False,
) -> None:
    """Add the pages of a list to a folder, all or none; `docs/collections.md` describes the folder.

    A page that is already in the folder is not visited again. `urls` are addresses, with or without
    their scheme, HTML and MHTML files, archives of one page, and saved snapshots; each is visited
    once, without the tracking parameters of its address unless it comes from an archive. Lines of a
    list that cannot be read fail with `BadLineError`. Pages of earlier lists stay in the folder.
    With `retry_failed`, pages that failed permanently are visited again, too.

    Raises
    ------
    UnknownMethodError
        There is no such method, it needs a site, or the collection was begun with other options.
    CollectionLockedError, ArchiveError
        Another run is writing to the folder, or its state is damaged.
    StorageError
        The disk is full.
    EgressRefusedError, EmptyInputError
        A proxy is given but not allowed by name, or there are no pages.
    """
    options, lines = _check_options(options), iter(urls)
    first = list(islice(lines, 1))  # what is no list is refused before there is a folder
    with closing(JobStore(folder, (RESULTS, ARCHIVE))) as job_store:
        check_same_options(job_store, options)
        job_store.forget_bad_lines()
        # An archive has a page under the address that was requested.
        pages = _addresses(job_store, chain(first, lines), shorten=options.replay is None)
        job_store.add(pages)
        if retry_failed:
            job_store.retry_failed()
        job_store.commit()
        if not job_store.counts().total:
            raise errors.EmptyInputError("there are no pages to visit")


async def run_queue(
    folder: Path,
    options: BatchOptions,
    *,
    on_progress: OnProgress = lambda progress: None,
) -> Counts:
    """Render and extract the queued pages of a folder; return its number of pages in each state.

    The folder holds the whole state: the same call resumes where the last one ended, even if that
    one was killed. Private addresses are refused unless `options.render.egress` always allows them.
    The errors are those of `queue_list`, and a `BrowserNotFoundError` if there is no Chromium; a
    `StorageError` loses no finished page.
    """
    options = _check_options(options)
    with closing(JobStore(folder, (RESULTS, ARCHIVE))) as job_store:
        if not job_store.waiting():
            return job_store.counts()
        async with batch_pool(Setup(folder, options)) as pool:
            return await Runner(job_store, pool, options, on_progress=on_progress).run()


def _check_options(options: BatchOptions) -> BatchOptions:
    """The options with an egress policy for pages of a list."""
    check_method(options)
    options = replace(options, render=restrict_policy(options.render))
    check_egress(options)
    return options


def _addresses(
    job_store: JobStore, urls: Iterable[str | BadLine], *, shorten: bool
) -> Iterator[Address]:
    """The addresses that can be visited; bad lines are recorded as failed."""
    for url in urls:
        if isinstance(url, BadLine):
            job_store.add_failed(url.place, errors.BadLineError(f"{url.place}: {url.reason}"))
        else:
            source = whole_source(url)
            yield Address(without_tracking(source) if shorten and server_of(source) else source)


def check_egress(options: BatchOptions) -> None:
    """Refuse, before the first page, a proxy through which no page's egress could be checked."""
    if options.replay is None:
        check_proxy(options.render.proxy, options.render.egress)


def check_method(options: BatchOptions) -> None:
    """Refuse a method that a batch cannot run, and damaged sites, before the first page."""
    extract = options.extract
    if extract and isinstance(extract.site, SiteFolder):
        extract.site.check()
    if extract and extract.site is None and find_method(extract.method).needs_site:
        raise errors.UnknownMethodError(
            f"{extract.method} needs learned sites: give the folder in which `miolo learn` has "
            "written them",
            lacks="sites",
        )


def check_same_options(job_store: JobStore, options: BatchOptions) -> None:
    """Refuse options that differ from those of the first run: rows would be inconsistent."""
    # Only a hash of the options is stored, because headers, cookies and proxies are secrets.
    # Pages that the egress policy refused, or that took too long, can be retried with another.
    limits = replace(options.render.limits, seconds=Limits().seconds)
    render = replace(options.render, egress=EgressPolicy(), limits=limits)
    extract = options.extract
    read = extract and (extract.method, sorted(extract.roles))
    shown = render.device, render.block, render.within, render.without
    chosen = repr((read, _sites(extract, learn=options.learn), options.kept, render, shown))
    digest = hashlib.sha256(chosen.encode("utf-8", "surrogatepass")).hexdigest()
    begun = job_store.fact("options")
    if begun is None:
        job_store.note("options", digest)
        job_store.note("about", json.dumps(_about(options)))
        job_store.note("begun", now())
    elif begun != digest:
        raise errors.UnknownMethodError(
            f"the collection was begun with other options ({_differences(job_store, options)}); "
            "use the same options or another folder"
        )
    retry_refused(job_store, options)


def retry_refused(job_store: JobStore, options: BatchOptions) -> None:
    """Queue the pages that an option refused if it has changed since the last run."""
    egress = options.render.egress
    refusing = {
        errors.EgressRefusedError: (egress.private, sorted(egress.allowed)),
        errors.RobotsDisallowedError: options.robots,
        errors.LowConfidenceError: options.min_confidence,
    }
    for error, value in refusing.items():
        kind, now_given = error.__name__, json.dumps(value)
        before = job_store.fact(f"option of {kind}")
        if before is not None and before != now_given:
            job_store.retry_failed(kind)
        job_store.note(f"option of {kind}", now_given)


def _differences(job_store: JobStore, options: BatchOptions) -> str:
    """The options that differ from those of the first run, with the values of both."""
    try:
        begun = dict(parse_json((job_store.fact("about") or "{}").encode()))
    except (TypeError, ValueError):  # another program has changed it
        begun = {}
    chosen = json.loads(json.dumps(_about(options)))
    different = [
        f"{name}: {json.dumps(begun[name])}, now {json.dumps(value)}"
        for name, value in chosen.items()
        if name != "seconds" and name in begun and begun[name] != value
    ]
    return "; ".join(different) or "options of rendering whose values are not stored"


def _sites(extract: ExtractOptions | None, *, learn: bool) -> str | None:
    """What is known of the learned sites of a run; None if there are none."""
    if learn:
        return "learned by the crawl"
    site = extract and extract.site
    if isinstance(site, SiteFolder):
        return str(site.path.resolve())
    return None if site is None else "one site"


def _about(options: BatchOptions) -> dict[str, Any]:
    """The options of a collection that are not secret."""
    render, extract = options.render, options.extract
    return {
        "method": extract and extract.method,
        "preset": extract and extract.preset,
        "include": extract and extract.include,
        "exclude": extract and extract.exclude,
        "sites": _sites(extract, learn=options.learn),
        "within": render.within,
        "without": render.without,
        "browser": render.browser,
        "viewport": render.viewport,
        "device": render.device,
        "javascript": render.javascript,
        "locale": render.locale,
        "timezone": render.timezone,
        "block": [str(entry) for entry in render.block or ()],
        "wait": render.wait,
        "scroll": render.scroll,
        "seconds": render.limits.seconds,
        "kept": [name for name, kept in asdict(options.kept).items() if kept],
    }
