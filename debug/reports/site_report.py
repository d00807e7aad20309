"""A report on a learned site in one HTML file: its templates and their patterns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...models.site import Site
from ...models.wrappers.patterns import SIGNS, Kind, Pattern
from ...models.wrappers.wrappers import Wrapper
from ...renderer.page.tree import tree_shape
from .report_parts import fill, inert_json

__all__ = ["html_report_of_site"]

TEMPLATE = Path(__file__).with_name("site.html")


def html_report_of_site(site: Site, title: str = "A learned site") -> str:
    """Write a report of what was learned from a site.

    Parameters
    ----------
    site
        The site.
    title
        Title of the report.

    Returns
    -------
    Self-contained HTML that needs no network, and in which no content of the site's pages is
    markup.
    """
    data = {
        "title": title,
        "pages": len(site.level),
        "contents": len(site.level.pages),
        "template": sum(count >= site.level.min_pages for count in site.level.pages.values()),
        "accepted": site.accepted_share,
        "recent": len(site.recent),
        "alone": site.alone,
        "wrappers": [_wrapper(wrapper) for wrapper in site.wrappers],
    }
    return fill(TEMPLATE, title, {"DATA": inert_json(data)})


def _wrapper(wrapper: Wrapper) -> dict[str, Any]:
    return {
        "template": wrapper.template + 1,
        "labels": wrapper.labels,
        "urls": wrapper.urls,
        "places": {
            name: wrapper.pattern.path(place)
            for name, place in (("title", wrapper.title), ("body", wrapper.body))
            if place is not None
        },
        "nodes": _nodes(wrapper.pattern, {wrapper.title: "title", wrapper.body: "body"}),
    }


def _nodes(pattern: Pattern, names: dict[int | None, str]) -> list[list[Any]]:
    """Level, label or sign, kind and name of each node."""
    _, depth = tree_shape(pattern.parent.tolist())
    kinds = map(Kind, pattern.kind.tolist())
    return [
        [level, SIGNS.get(kind, label), kind.name.lower(), names.get(node, "")]
        for node, (level, kind, label) in enumerate(zip(depth, kinds, pattern.labels, strict=True))
    ]
