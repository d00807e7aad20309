"""Addresses found from one address: links of the page, and feeds and sitemaps of the site."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from ...errors import MioloError
from ...renderer.network.exchange import PAGE_TYPES, Exchange
from ...renderer.network.source_kinds import LISTINGS, not_a_page, source_kind
from ...renderer.options import RenderOptions
from ...renderer.page.snapshot import Snapshot
from ...renderer.renderer import Renderer
from .page_links import feed_links, page_links
from .robots import Robots, robots_url
from .scope import Reach, Scope
from .sitemaps import (
    Sitemap,
    is_listing_file,
    listing_of_file,
    read_listings,
    sitemap_entries,
)

Kind = Literal["link", "feed", "sitemap", "page"]

MAX_FILES = 100  # maximum number of sitemaps and feeds that are read for the pages that they list


@dataclass(frozen=True)
class Lead:
    """An address found from another one, such as a link of the page or a feed of its site."""

    kind: Kind  # a ``"page"`` is listed by a feed or sitemap
    url: str  # in normal form
    date: str | None = None  # of a page's last change, ISO 8601, if that is stated


async def find_leads(
    renderer: Renderer,
    source: str | Path,
    options: RenderOptions,
    *,
    reach: Reach | None = None,
    listed: bool = False,
) -> list[Lead]:
    """Find the distinct addresses that an address or a file leads to, links of the page first.

    From a feed or sitemap, these are the pages that it lists, which are always limited to the site
    unless it is a file.

    Links outside `reach` are left out; None keeps all links. With `listed`, feeds and sitemaps of
    an address, at most 100, are read for the pages that they list. A source that cannot be read
    raises its error; unreadable feeds and sitemaps are skipped.
    """
    if isinstance(source, Path):
        if is_listing_file(source):
            return _leads_of(listing_of_file(source))
        return _leads_in(await renderer.render_file(source, options), reach)
    first = await renderer.fetch(source, options=options)
    if _is_listing(first):
        sitemap = sitemap_entries(first.body, first.url, Scope(first.url, reach or "site"))
        leads, files = _leads_of(sitemap), list(sitemap.sitemaps)
        kind = source_kind(first.body)
        if not leads and kind is not None and kind not in LISTINGS:
            raise not_a_page(source, kind)
    else:
        leads = _leads_in(await renderer.render(source, options), reach, first.url)
        sitemaps = await _named_sitemaps(renderer, first.url, options)
        leads += [Lead("sitemap", url) for url in sitemaps]
        files = [lead.url for lead in leads if lead.kind != "link"]
    if listed:
        scope = Scope(first.url, reach or "site")

        async def fetch(url: str) -> tuple[str, bytes] | None:
            answer = await _answer(renderer, url, options)
            return answer and (answer.url, answer.body)

        for listing in await read_listings(fetch, files, scope, MAX_FILES):
            leads += _leads_of(listing)
    return list({(lead.kind, lead.url): lead for lead in leads}.values())


def _leads_in(snapshot: Snapshot, reach: Reach | None, url: str | None = None) -> list[Lead]:
    """The links and feeds of a page at an address, by default its own."""
    scope = Scope(url or snapshot.page.url, reach)
    links = [Lead("link", link) for link in page_links(snapshot) if scope.holds(link)]
    return links + [Lead("feed", feed) for feed in feed_links(snapshot)]


def _leads_of(sitemap: Sitemap) -> list[Lead]:
    """The pages and further sitemaps that a sitemap or feed lists."""
    pages = [Lead("page", url, date) for url, date in sitemap.pages]
    return pages + [Lead("sitemap", url) for url in sitemap.sitemaps]


async def _named_sitemaps(renderer: Renderer, url: str, options: RenderOptions) -> tuple[str, ...]:
    """The sitemaps that robots.txt names, or else the one at the default location if it exists."""
    host = "{0.scheme}://{0.netloc}".format(urlsplit(url))
    answer = await _answer(renderer, robots_url(host), options)
    sitemaps = Robots.read(answer.url, answer.status, answer.body).sitemaps if answer else ()
    usual = f"{host}/sitemap.xml"
    if sitemaps:
        return sitemaps
    answer = await _answer(renderer, usual, options)
    return (usual,) if answer is not None and _is_listing(answer) else ()


async def _answer(renderer: Renderer, url: str, options: RenderOptions) -> Exchange | None:
    """The response to a request for a file; None if the request fails."""
    try:
        answer = await renderer.fetch(url, options=options)
    except MioloError:
        return None
    return answer if 200 <= answer.status < 300 else None


def _is_listing(answer: Exchange) -> bool:
    """Whether a response may be a feed or a sitemap rather than a page."""
    start = answer.body[:400].lstrip().lower()
    is_xml = start.startswith(b"<?xml") and b"<html" not in start and b"<!doctype html" not in start
    return answer.mime not in PAGE_TYPES or (is_xml and answer.mime != "text/html")
