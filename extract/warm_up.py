"""Load and compile in advance what methods need when they are first used."""

from __future__ import annotations

import contextlib

from ..errors import MioloError
from ..renderer.page.snapshot import Snapshot
from .learn_site import learn_site
from .methods.registry import find_method
from .pipeline import extract_snapshot

_LINE = "The tide comes in twice a day, and the town has built its hours, roads and trade on it. "

SAMPLE = f"""<!doctype html><html lang=en><title>Tides</title>
<nav><a href=/a>Home</a> <a href=/b>Sport</a> <a href=/c>Weather</a></nav>
<main><h1>Tides</h1><p>By Ada Marsh, 3 May 2024</p>{4 * f"<p>{3 * _LINE}</p>"}
<h2>Mud</h2><ul><li>{_LINE}<li>{_LINE}</ul><blockquote>{_LINE}</blockquote>
<table><tr><th>Day<th>Height<tr><td>1<td>4.2 m</table></main>
<aside><h3>More</h3><ul><li><a href=/d>Dunes</a><li><a href=/e>Dykes</a></ul></aside>
<section id=comments><h3>Comments</h3><p>Well said.</p></section><footer>All rights</footer>"""
"""A small page with all kinds of content."""

SITE_PAGES = 3


_warm: set[str] = set()


def is_warm(method: str) -> bool:
    """Whether a method has been warmed up in this process."""
    return method in _warm


def warm_up(method: str) -> None:
    """Extract a sample page, once per process.

    Numba compiles the kernels of some methods when they are first used, and caches them. Compiling
    all of them takes half a minute, too long for the deadline of a page.
    """
    if is_warm(method):
        return
    page = Snapshot.from_html(SAMPLE, url="https://example.org/tides")
    # A plug-in may refuse the page for any reason, but has loaded its modules by then.
    with contextlib.suppress(MioloError):
        site = None
        if find_method(method).needs_site:
            site = learn_site(
                Snapshot.from_html(
                    SAMPLE.replace("Mud", f"Mud {n}"), url=f"https://example.org/{n}"
                )
                for n in range(SITE_PAGES)
            )
        extract_snapshot(page, method, site=site)
    _warm.add(method)
