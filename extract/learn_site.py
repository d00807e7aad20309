"""`learn_site`: learn what the pages of one site have in common."""

from __future__ import annotations

from collections.abc import Iterable

from ..features.outline import outline
from ..features.page_tree import Labels, PageTree, page_tree
from ..models.article.model import Reader
from ..models.site import RECENT, Site
from ..models.site_parts import SitePart
from ..models.templates.sitelevel import SiteLevel
from ..models.wrappers.wrappers import WrapperOptions, learn_wrappers
from ..names import check_type
from ..renderer.page.snapshot import Snapshot
from .methods.registry import grouped_methods


def learn_site(
    snapshots: Iterable[Snapshot],
    options: WrapperOptions | None = None,
    *,
    parts: Iterable[str] | None = None,
    model: Reader | None = None,
    max_pages: int | None = 200,
) -> Site:
    """Learn what the pages of one site have in common.

    Parameters
    ----------
    snapshots
        Pages of one site. They are iterated over once.
    options
        How wrappers are learned.
    parts
        Names of the parts to learn; by default those of all methods.
    model
        A custom model for the parts that use one.
    max_pages
        Maximum number of distinct pages to learn from; None for all. The default of 200 is that of
        the template report.

    Raises
    ------
    ValueError
        No method has a part of this name, or `parts` is a single string.
    """
    options, level = options or WrapperOptions(), SiteLevel()
    new_parts = _new_parts(parts, model)
    pages: dict[Labels, list[PageTree]] = {labels: [] for labels in options.labels}
    outlines, urls = [], []
    for snapshot in snapshots:
        if max_pages is not None and len(urls) >= max_pages:
            break
        check_type("a page", snapshot, Snapshot)
        if level.add(snapshot):
            for part in new_parts.values():
                part.add(snapshot)
            for labels, trees in pages.items():
                trees.append(page_tree(snapshot, labels))
            outlines.append(outline(snapshot))
            urls.append(snapshot.page.url)
    learning = learn_wrappers(pages, outlines, urls, options)
    alone = tuple(urls[place] for place in learning.alone)
    return Site(level, new_parts, learning.wrappers, options, alone, learning.accepted[-RECENT:])


def _new_parts(names: Iterable[str] | None, model: Reader | None) -> dict[str, SitePart]:
    """Empty parts with these names."""
    factories = {
        name: new
        for methods in grouped_methods().values()
        for method in methods.values()
        for name, new in method.site_parts.items()
    }
    if isinstance(names, str):
        raise ValueError(f"parts must be a list, such as ({names!r},)")
    part_names = factories if names is None else list(names)
    unknown = sorted(set(part_names) - set(factories))
    if unknown:
        raise ValueError(
            f"a site has no part {', '.join(unknown)}; the parts are {', '.join(factories)}"
        )
    return {name: factories[name](model) for name in part_names}
