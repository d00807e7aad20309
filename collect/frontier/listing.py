"""What leads on from one address: the links of its page, the feeds and sitemaps of its site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from ...errors import MioloError
from ...renderer.archives.exchange import PAGE_TYPES, Exchange
from ...renderer.options import RenderOptions
from ...renderer.renderer import Renderer
from .links import feed_links, page_links
from .robots import Robots, robots_url
from .scope import Reach, Scope
from .sitemaps import Sitemap, sitemap_entries

__all__ = ["Lead", "find_leads"]

Kind = Literal["link", "feed", "sitemap", "page"]

MAX_FILES = 100
"""Sitemaps and feeds that are read for the pages that they list."""


@dataclass(frozen=True)
class Lead:
    """An address that another leads to.

    Attributes
    ----------
    kind
        ``"link"`` of the page, ``"feed"`` or ``"sitemap"`` of its site, or ``"page"`` that one of
        these lists.
    url
        In normal form.
    date
        When a page was changed, ISO 8601, if its feed or sitemap states it.
    """

    kind: Kind
    url: str
    date: str | None = None


async def find_leads(
    renderer: Renderer,
    url: str,
    options: RenderOptions,
    *,
    reach: Reach | None = None,
    listed: bool = False,
) -> list[Lead]:
    """Find what an address leads to.

    Parameters
    ----------
    renderer, options
        Opens the page, the robots.txt, and the feeds and sitemaps.
    url
        Of a page, a feed or a sitemap; of the latter two the pages are found that they list.
    reach
        Links beyond it are left out; None for all. Listings are of the site at most.
    listed
        Whether feeds and sitemaps are read, 100 at most, for the pages that they list.

    Returns
    -------
    Each once, the links of the page first.

    Raises
    ------
    MioloError
        The address itself cannot be read. Feeds and sitemaps that cannot are passed over.
    MissingDependencyError
        ada-url or protego is not installed.
    """
    first = await renderer.fetch(url, options=options)
    scope = Scope(first.url, reach or "site")
    if _is_listing(first):
        sitemap = sitemap_entries(first.body, first.url, scope)
        leads, files = _pages(sitemap) + _sitemaps(sitemap.sitemaps), list(sitemap.sitemaps)
    else:
        snapshot = await renderer.render(url, options)
        links = [link for link in page_links(snapshot) if reach is None or scope.holds(link)]
        feeds = feed_links(snapshot)
        sitemaps = await _named_sitemaps(renderer, first.url, options)
        leads = [Lead("link", link) for link in links] + [Lead("feed", feed) for feed in feeds]
        leads, files = leads + _sitemaps(sitemaps), [*feeds, *sitemaps]
    if listed:
        leads += await _read_listings(renderer, files, scope, options)
    return list({(lead.kind, lead.url): lead for lead in leads}.values())


async def _read_listings(
    renderer: Renderer, files: list[str], scope: Scope, options: RenderOptions
) -> list[Lead]:
    """The pages that files list, and the sitemaps that these name."""
    leads: list[Lead] = []
    read: set[str] = set()
    while files and len(read) < MAX_FILES:
        file = files.pop(0)
        if file in read:
            continue
        read.add(file)
        answer = await _answer(renderer, file, options)
        if answer is not None:
            sitemap = sitemap_entries(answer.body, answer.url, scope)
            leads += _pages(sitemap) + _sitemaps(sitemap.sitemaps)
            files += sitemap.sitemaps
    return leads


async def _named_sitemaps(renderer: Renderer, url: str, options: RenderOptions) -> tuple[str, ...]:
    """The sitemaps that robots.txt names, or the one at the usual place if it is there."""
    host = "{0.scheme}://{0.netloc}".format(urlsplit(url))
    answer = await _answer(renderer, robots_url(host), options)
    sitemaps = Robots.read(answer.url, answer.status, answer.body).sitemaps if answer else ()
    usual = f"{host}/sitemap.xml"
    if sitemaps:
        return sitemaps
    answer = await _answer(renderer, usual, options)
    return (usual,) if answer is not None and _is_listing(answer) else ()


async def _answer(renderer: Renderer, url: str, options: RenderOptions) -> Exchange | None:
    """What a file of the site is, if it is there."""
    try:
        answer = await renderer.fetch(url, options=options)
    except MioloError:
        return None
    return answer if 200 <= answer.status < 300 else None


def _is_listing(answer: Exchange) -> bool:
    """Whether an answer may be a feed or a sitemap, rather than a page."""
    start = answer.body[:400].lstrip().lower()
    is_xml = start.startswith(b"<?xml") and b"<html" not in start and b"<!doctype html" not in start
    return answer.mime not in PAGE_TYPES or (is_xml and answer.mime != "text/html")


def _pages(sitemap: Sitemap) -> list[Lead]:
    return [Lead("page", url, date) for url, date in sitemap.pages]


def _sitemaps(urls: tuple[str, ...]) -> list[Lead]:
    return [Lead("sitemap", url) for url in urls]
