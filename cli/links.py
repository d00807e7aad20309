"""`miolo links`: what a page leads to."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from ..renderer.options import RenderOptions
from .choice_options import argument, choice, option
from .console import print_note, print_rows
from .page_sources import lazy_renderer, named_options, typed_address, typed_source
from .shared_options import TEXT_FORMAT, with_page_options

if TYPE_CHECKING:
    from ..collect.frontier.scope import Reach


def _page_source(text: str) -> str:
    source = typed_source(text)
    with suppress(OSError, ValueError):  # not a valid name, for example too long
        if Path(source).is_file():
            return source
    return typed_address(text)


@with_page_options
def links(
    options: RenderOptions,
    url: str = argument(
        ..., "SOURCE", "URL or file of a page, feed or sitemap.", callback=_page_source
    ),
    reach: str = choice(
        "any", ("any", "site", "host", "path"), "List only links to the same site, host or path."
    ),
    listed: bool = option(False, "Read feeds and sitemaps and list their pages.", "--listed"),
    form: str = TEXT_FORMAT,
) -> None:
    """List the links, feeds and sitemaps of a page, or the pages that these list."""
    from ..collect.frontier.listing import Lead, find_leads

    within = None if reach == "any" else cast("Reach", reach)

    async def find() -> list[Lead]:
        async with lazy_renderer(options) as renderer:
            own = await named_options(renderer, url, options)
            is_address = url.lower().startswith(("http://", "https://"))
            source = url if is_address else Path(url)
            return await find_leads(renderer, source, own, reach=within, listed=listed)

    leads = asyncio.run(find())
    if not leads:
        limit = " within its reach (--reach)" if within else ""
        print_note(f"{url} has no links{limit}")
    for lead in leads:
        if form == "json":
            typer.echo(json.dumps(asdict(lead), ensure_ascii=False))
        else:
            print_rows("\t".join(filter(None, (lead.kind, lead.url, lead.date))))
