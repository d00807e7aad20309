"""The `gupta` method: what filters for links, forms and advertisements leave of a page.

Source: Gupta, Kaiser, Neistadt and Grimm, *DOM-based content extraction of HTML documents*
(WWW 2003), known as Crunch; see `miolo_research.gupta.link_lists` and `docs/baselines.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from miolo.extract.methods.method import Method
from miolo.extract.methods.reading import Reading, read, select
from miolo.extract.methods.selection import Reasons, Selection
from miolo.features.ad_hosts import AD_HOSTS
from miolo.features.links import link_mask
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import nearest_marked, subtree_mask, subtree_sums
from numpy.typing import NDArray

from .link_lists import (
    Containers,
    LinkRatios,
    advertisements,
    containers,
    link_ratios,
)

__all__ = ["METHOD", "GuptaOptions", "gupta"]

FIRST_PASS: dict[str, tuple[str, ...]] = {
    "scripts": ("script", "noscript"),
    "styles": ("style", "link"),
    "forms": ("form", "input", "select", "textarea", "button", "label", "fieldset"),
    "objects": ("object", "embed", "applet", "audio", "video"),
    "frames": ("iframe", "frame"),
    "images": ("img", "picture", "svg", "canvas"),
}
"""Elements that the first pass removes, by the field of `GuptaOptions` that enables it."""


@dataclass(frozen=True)
class GuptaOptions:
    """Filters and their parameters. Filters that are True remove elements from the page.

    Attributes
    ----------
    images, scripts, styles, forms, objects, frames
        First pass: elements of `FIRST_PASS` and their content.
    links
        First pass: all linked text, including links in running text.
    advertisements
        First pass: elements whose `href` or `src` is at one of `ad_hosts`.
    ad_hosts
        Hosts of advertisements, including their subdomains.
    link_lists
        Second pass: containers with more than `ratio` linked words per unlinked word.
    ratio
        Maximum ratio for `link_lists`. The paper has 0.25, for table cells; a container in the
        layout of a current page may be a whole article with its references.
    containers, inner_first
        Which elements may be link lists, and in what order they are judged; see
        `miolo_research.gupta.link_lists`.
    empty_tables
        Second pass: containers that lost text and have fewer than `substance` characters left.
    substance
        Minimum characters for `empty_tables`.
    """

    images: bool = True
    scripts: bool = True
    styles: bool = True
    forms: bool = True
    objects: bool = True
    frames: bool = False
    links: bool = False
    advertisements: bool = True
    ad_hosts: tuple[str, ...] = AD_HOSTS
    link_lists: bool = True
    ratio: float = 0.5
    containers: Containers = "layout"
    inner_first: bool = True
    empty_tables: bool = True
    substance: int = 20

    def __post_init__(self) -> None:
        if self.ratio < 0 or self.substance < 0:
            raise ValueError("ratio and substance must not be negative")

    @classmethod
    def literal(cls) -> GuptaOptions:
        """Options as published in 2003: table cells and lists, the outer ones first."""
        return cls(ratio=0.25, containers="tables", inner_first=False)


def gupta(snapshot: Snapshot, options: GuptaOptions | None = None) -> Selection:
    """Keep the texts that the filters leave.

    Parameters
    ----------
    options
        By default `GuptaOptions()`.
    """
    options = options or GuptaOptions()
    reading = read(snapshot)
    reasons = Reasons(len(snapshot), "not removed by any filter")
    removed = _first_pass(reading, options, reasons)
    is_container = containers(snapshot, options.containers)
    ratios = link_ratios(
        snapshot,
        reading.counts,
        removed,
        is_container,
        options.ratio,
        inner_first=options.inner_first,
    )
    if options.link_lists:
        removed |= _remove_link_lists(snapshot, ratios, options, reasons)
    if options.empty_tables:
        removed |= _remove_emptied(reading, removed, is_container, options, reasons)
    reasons.give(reading.counts.chars == 0, "no readable text")
    return select(reading, ~removed, np.where(removed, 0, _unlink(snapshot, ratios)), reasons)


def _first_pass(reading: Reading, options: GuptaOptions, reasons: Reasons) -> NDArray[np.bool_]:
    """Remove elements by their tags, links, and elements that lead to advertisements."""
    snapshot = reading.snapshot
    removed = np.zeros(len(snapshot), bool)
    filters = [
        (snapshot.with_tag(*tags), name)
        for name, tags in FIRST_PASS.items()
        if getattr(options, name)
    ]
    if options.links:
        filters.append((link_mask(snapshot), "links"))
    if options.advertisements:
        filters.append((advertisements(snapshot, options.ad_hosts), "advertisements"))
    for roots, name in filters:
        inside = subtree_mask(roots, snapshot.end)
        reasons.give(inside, f"removed by the filter for {name}")
        removed |= inside
    return removed


def _remove_link_lists(
    snapshot: Snapshot, ratios: LinkRatios, options: GuptaOptions, reasons: Reasons
) -> NDArray[np.bool_]:
    outer = ratios.lists & (nearest_marked(snapshot.parent, ratios.lists) < 0)
    for node in np.flatnonzero(outer).tolist():
        linked, plain = int(ratios.linked[node]), int(ratios.plain[node])
        reason = f"in a link list: {linked} linked per {plain} other words > {options.ratio:g}"
        reasons.give(slice(node, int(snapshot.end[node])), reason)
    return subtree_mask(outer, snapshot.end)


def _remove_emptied(
    reading: Reading,
    removed: NDArray[np.bool_],
    is_container: NDArray[np.bool_],
    options: GuptaOptions,
    reasons: Reasons,
) -> NDArray[np.bool_]:
    """Remove containers that lost text and have little text left."""
    snapshot = reading.snapshot
    chars = np.where(snapshot.is_text, reading.counts.chars, 0)
    left = subtree_sums(np.where(removed, 0, chars), snapshot.end)
    empty = is_container & ~removed & (left < options.substance) & (left < reading.counts.chars)
    inside = subtree_mask(empty, snapshot.end) & ~removed
    reasons.give(
        inside, f"in a container with fewer than {options.substance} characters after filtering"
    )
    return inside


def _unlink(snapshot: Snapshot, ratios: LinkRatios) -> NDArray[np.float64]:
    """Unlinked share of the words of each element; for a text node, that of its parent element."""
    words = ratios.linked + ratios.plain
    share = np.divide(ratios.plain, words, out=np.ones(len(words)), where=words > 0)
    around = nearest_marked(snapshot.parent, ~snapshot.is_text)
    return np.where(snapshot.is_text & (around >= 0), share[around], share)


METHOD = Method(
    lambda page, _, options: gupta(page, options),
    "the page without link lists, forms and advertisements",
    "research baselines",
    GuptaOptions(),
    {"literal": GuptaOptions.literal()},
)
