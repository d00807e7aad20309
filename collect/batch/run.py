"""`run_batch`: a list of pages, processed into a folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

from ...errors import BadLineError, EmptyInputError, UnknownMethodError
from ...extract.methods.registry import find_method, resolve_alias
from ...models.article.roles import DEFAULT_PRESET, Preset, role_set
from ...renderer.network.user_proxy import check_proxy
from ...renderer.page_policy import restrict_policy
from .files import ARCHIVE, RESULTS
from .job_store import JobStore
from .messages import Setup
from .options import BatchOptions
from .pages import Address, BadLine, Counts
from .pool import Pool
from .runner import OnProgress, Runner, now

__all__ = ["run_batch"]


async def run_batch(
    folder: Path,
    urls: Iterable[str | BadLine],
    options: BatchOptions,
    *,
    retry_failed: bool = False,
    on_progress: OnProgress = lambda progress: None,
) -> Counts:
    """Render and extract many pages, into a folder that can be carried on with.

    The folder is the state: the same call goes on where the last one ended, however that was.
    A page that is in it already is not visited again.

    Parameters
    ----------
    folder
        Of the collection; see `docs/collections.md`.
    urls
        Addresses, HTML files and saved snapshots; each is visited once. Lines of a list that
        cannot be read fail by `BadLineError`.
    options
        How. What leads to a private address is refused unless `options.render.egress` allows
        private ones always.
    retry_failed
        Visit again what has failed for good, too.
    on_progress
        Called as the work goes on.

    Returns
    -------
    Pages of the whole collection by state.

    Raises
    ------
    UnknownMethodError
        There is no such method, or it needs a site.
    CollectionLockedError, ArchiveError
        Another run is writing to the folder, or its state is damaged.
    StorageError
        The disk is full. Nothing that was done is lost.
    BrowserNotFoundError
        There is no Chromium.
    EgressRefusedError
        A proxy is given, and not allowed by name.
    EmptyInputError
        There is nothing to visit, and never was.
    """
    options = checked_method(options)
    options = replace(options, render=restrict_policy(options.render))
    check_egress(options)
    job_store = JobStore(folder, (RESULTS, ARCHIVE))
    try:
        keep_to(job_store, options)
        job_store.add(_addresses(job_store, urls))
        if retry_failed:
            job_store.retry_failed()
        job_store.commit()
        if not job_store.counts().total:
            raise EmptyInputError("there is no page to visit")
        if not job_store.waiting():
            return job_store.counts()
        async with Pool(Setup(folder, options)) as pool:
            return await Runner(job_store, pool, options, on_progress=on_progress).run()
    finally:
        job_store.close()


def _addresses(job_store: JobStore, urls: Iterable[str | BadLine]) -> Iterator[Address]:
    """What can be visited; the rest is noted as failed."""
    for url in urls:
        if isinstance(url, BadLine):
            job_store.add_failed(url.place, BadLineError(url.reason))
        else:
            yield Address(url)


def check_egress(options: BatchOptions) -> None:
    """Refuse a proxy beside which no page's egress could be checked, before the first page."""
    if options.replay is None:
        check_proxy(options.render.proxy, options.render.egress)


def checked_method(options: BatchOptions) -> BatchOptions:
    """The options with a method of this version.

    Raises
    ------
    UnknownMethodError
        There is no such method, or it needs a site.
    """
    name = options.method
    if name is None:
        return options
    if find_method(name).needs_site:
        raise UnknownMethodError(
            f"{name} learns from a site; a batch needs a method for single pages"
        )
    method, preset = resolve_alias(name, options.preset)
    return replace(options, method=method, preset=cast(Preset, preset))


def keep_to(job_store: JobStore, options: BatchOptions) -> None:
    """Refuse to go on otherwise than a collection was begun: its rows would not be alike."""
    # Headers, cookies and proxies are secrets: equal hashes show that they are the same.
    chosen = repr((options.method, options.kept, options.render))
    text = role_set(options.preset, options.include, options.exclude)
    chosen += repr(sorted(text)) if text != role_set(DEFAULT_PRESET) else ""
    digest = hashlib.sha256(chosen.encode("utf-8", "surrogatepass")).hexdigest()
    begun = job_store.fact("options")
    if begun is None:
        job_store.note("options", digest)
        job_store.note("about", json.dumps(_about(options)))
        job_store.note("begun", now())
    elif begun != digest:
        raise UnknownMethodError(
            "the folder was begun with another method, choice of roles, way of rendering or choice "
            "of what is kept; give the same, or another folder. It was begun with "
            f"{job_store.fact('about')}"
        )


def _about(options: BatchOptions) -> dict[str, Any]:
    """What anybody may know of how a collection was made."""
    render = options.render
    return {
        "method": options.method,
        "preset": options.preset,
        "include": options.include,
        "exclude": options.exclude,
        "browser": render.browser,
        "viewport": render.viewport,
        "javascript": render.javascript,
        "locale": render.locale,
        "timezone": render.timezone,
        "wait": render.wait,
        "scroll": render.scroll,
        "seconds": render.limits.seconds,
        "kept": [name for name, kept in asdict(options.kept).items() if kept],
    }
