"""Rendering of the pages of an evaluation; only missing snapshots are rendered."""

from __future__ import annotations

import asyncio
import functools
import http.server
import os
import threading
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from ..collect.batch.files import screenshot_of, with_screenshot
from ..errors import MioloError
from ..renderer.network.policy import EgressPolicy
from ..renderer.options import Limits, RenderOptions
from ..renderer.page.snapshot import NOWHERE, Snapshot
from ..renderer.renderer import Renderer
from .case import Case, Page
from .site_sets import post_url

CONCURRENT = 2

PAGE_OPTIONS = RenderOptions(javascript=False, wait="dom")
"""Single pages lack their scripts and style sheets, so they are rendered without JavaScript."""

SITE_OPTIONS = RenderOptions()

Drawn = TypeVar("Drawn")
Take = Callable[[Case, Snapshot | MioloError], None]


def chosen_options(
    default: RenderOptions, scripts: bool | None, seconds: float
) -> tuple[RenderOptions, str]:
    """Render options, and a suffix for the snapshots' folders if they differ from the default."""
    options = replace(default, limits=Limits(seconds=seconds))
    if scripts is None or scripts == default.javascript:
        return options, ""
    plain = SITE_OPTIONS if scripts else PAGE_OPTIONS
    options = replace(options, javascript=scripts, wait=plain.wait)
    return options, "-scripts" if scripts else "-no-scripts"


async def render_missing(
    cases: Sequence[Case],
    options: RenderOptions,
    *,
    log: Callable[[str], None],
    advance: Callable[[], None] = lambda: None,
) -> None:
    """Render and save every page that has no snapshot; log those that cannot be rendered."""

    def take(case: Case, outcome: Snapshot | MioloError) -> None:
        if isinstance(outcome, MioloError):
            log(f"{case.set}/{case.id}: {outcome}")
        else:
            case.saved.parent.mkdir(parents=True, exist_ok=True)
            outcome.save(case.saved)
        advance()

    missing = [case for case in cases if not case.saved.exists()]
    if missing:
        await render_each(missing, options, take)


async def draw_cases(
    cases: Sequence[Case],
    options: RenderOptions,
    draw: Callable[[Case, Snapshot], Drawn | None],
    advance: Callable[[], None] = lambda: None,
) -> dict[Case, Drawn | None]:
    """Draw a picture of each page.

    Snapshots from collections are drawn on the screenshots kept beside them. The other saved
    snapshots have no screenshots, so their pages are rendered again. The picture of a page that
    cannot be loaded or rendered is None.
    """
    pictures: dict[Case, Drawn | None] = {}

    def take(case: Case, outcome: Snapshot | MioloError) -> None:
        pictures[case] = None if isinstance(outcome, MioloError) else draw(case, outcome)
        advance()

    rendered = [case for case in cases if case.collection is None]
    for case in cases:
        if case.collection is not None:
            try:
                shot = screenshot_of(case.collection, case.url)
                take(case, with_screenshot(Page(case).snapshot(), shot))
            except MioloError as error:
                take(case, error)
    if rendered:
        await render_each(rendered, replace(options, screenshot=True, hide_overlays=True), take)
    return pictures


async def render_each(cases: Sequence[Case], options: RenderOptions, take: Take) -> None:
    """Render pages, and pass each with its snapshot or error; sites are served on loopback."""
    gate = asyncio.Semaphore(CONCURRENT)
    by_site = sorted(cases, key=lambda case: str(case.site or ""))
    async with Renderer(options, switches=OFFLINE) as renderer:

        async def one(case: Case, origin: str) -> None:
            async with gate:
                try:
                    outcome: Snapshot | MioloError = await render_case(renderer, case, origin)
                except MioloError as error:
                    outcome = error
                take(case, outcome)

        for folder, posts in groupby(by_site, key=lambda case: case.site):
            with serve_folder(folder) if folder else nullcontext("") as origin:
                await asyncio.gather(*(one(case, origin) for case in posts))


async def render_case(renderer: Renderer, case: Case, origin: str = "") -> Snapshot:
    """Render a page from its HTML file, or a post from the server of its site."""
    if case.site is not None:
        # The site's server has a private address; its pages may reach only this server.
        egress = EgressPolicy("never", allowed=(urllib.parse.urlsplit(origin).netloc,))
        options = replace(renderer.options, egress=egress)
        return await renderer.render(post_url(origin, case.path), options)
    return await renderer.render_html(case.source.read_bytes(), url=case.url or NOWHERE)


# Serving a folder of saved pages on loopback.

OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",)
"""Switches for a browser that reaches only loopback, because saved sites refer to the open web."""


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def translate_path(self, path: str) -> str:
        # A question mark in a file name is encoded as %3F and does not begin a query.
        plain = urllib.parse.unquote(path.partition("?")[0].partition("#")[0])
        parts = [part for part in plain.split("/") if part not in ("", ".", "..")]
        return str(Path(self.directory).joinpath(*parts)) + ("/" if plain.endswith("/") else "")

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        # Saved pages have names such as `spip.php?article1.html` and declare their encoding
        # themselves; other text files are served as UTF-8.
        kind = super().guess_type(path)
        return (
            f"{kind}; charset=utf-8" if kind.startswith("text/") and kind != "text/html" else kind
        )

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # browsers close connections that they no longer need


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """Serve a folder from the root of its own server; yields the origin."""
    with _Server(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
