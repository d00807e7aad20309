"""Reports in one HTML file: on a page, with the reason for each box, and on a learned site."""

from __future__ import annotations

from itertools import chain
from typing import Any

from ...extract.methods.registry import DEFAULT_METHOD
from ...extract.pipeline import extract_snapshot
from ...models.site import Site
from ...models.wrappers.patterns import SIGNS, Kind
from ...models.wrappers.wrappers import Wrapper
from ...output.extraction import Extraction
from ...renderer.network.origins import learned_name
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import tree_shape
from .inspection import inspection
from .report_parts import HERE, fill, inert_json, picture


def html_report(
    snapshot: Snapshot, extraction: Extraction | None = None, method: str = DEFAULT_METHOD
) -> str:
    """Write a report that shows what was extracted from a page, and why.

    Parameters
    ----------
    snapshot
        The page. Without a screenshot the boxes are drawn on blank paper; without geometry
        there are only the texts.
    extraction
        Extraction of this very snapshot; by default, `method` is run.

    Returns
    -------
    Self-contained HTML that needs no network, and in which no content of the page is markup.

    Raises
    ------
    UnknownMethodError
        There is no method of this name.
    ValueError
        The extraction is of another page.
    """
    if extraction is None:
        extraction = extract_snapshot(snapshot, method)
    title = snapshot.page.title or snapshot.page.url
    values = {"PICTURE": picture(snapshot), "DATA": inert_json(inspection(snapshot, extraction))}
    return fill(HERE / "report.html", title, values, "report.js")


def html_report_of_site(site: Site, title: str = "") -> str:
    """Write a report of what was learned from a site, as HTML like that of `html_report`.

    `title`: By default the name of the site, if its pages have addresses.
    """
    urls = chain(site.alone, *(wrapper.urls for wrapper in site.wrappers))
    title = title or next(filter(None, map(learned_name, urls)), "A learned site")
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
    return fill(HERE / "site.html", title, {"DATA": inert_json(data)}, "site.js")


def _wrapper(wrapper: Wrapper) -> dict[str, Any]:
    pattern, names = wrapper.pattern, {wrapper.title: "title", wrapper.body: "body"}
    _, depth = tree_shape(pattern.parent.tolist())
    kinds = map(Kind, pattern.kind.tolist())
    rows = enumerate(zip(depth, kinds, pattern.labels, strict=True))
    return {
        "template": wrapper.template,
        "labels": wrapper.labels,
        "urls": wrapper.urls,
        "places": {name: pattern.path(n) for n, name in names.items() if n is not None},
        # Level, label or sign, kind and name of each node.
        "nodes": [
            [level, SIGNS.get(kind, label), kind.name.lower(), names.get(node, "")]
            for node, (level, kind, label) in rows
        ],
    }
