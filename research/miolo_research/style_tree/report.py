"""A report on the style tree of a site in one HTML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from miolo.debug.pictures.picture_registry import Picture
from miolo.debug.reports.report_parts import fill, inert_json
from miolo.extract.methods.method import Learned
from miolo.features.words import collapse
from miolo.models.site import Site
from miolo.renderer.page.snapshot import Snapshot

from .importance import Importance, StylePages
from .tree import StyleTree, page_styles

__all__ = ["PICTURE", "StyleTreeOptions", "html_report_of_style_tree"]

TEMPLATE = Path(__file__).with_name("style_tree.html")

# Bounds that a browser lays out easily and that a reader can read.
MAX_ROWS, MAX_LEVELS, MAX_TEXT = 4000, 60, 90

Row = list[Any]


@dataclass(frozen=True)
class StyleTreeOptions:
    """Parameters of the picture.

    Attributes
    ----------
    threshold
        A node is noise if its importance and that of all nodes below it are less than this.
    """

    threshold: float = 0.3


def html_report_of_style_tree(
    pages: StylePages,
    snapshot: Snapshot | None = None,
    title: str = "A site style tree",
    threshold: float = 0.3,
) -> str:
    """Write a report of the style tree of a site.

    Styles that occur on a single page are counted but not shown. At most 4,000 nodes on 60 levels
    are shown.

    Parameters
    ----------
    pages
        The learned styles of the site's pages.
    snapshot
        A page of the site, whose texts are shown beside its nodes.
    threshold
        A node is noise if its importance and that of all nodes below it is less than this.

    Returns
    -------
    Self-contained HTML that needs no network, and in which no content of the site's pages is
    markup.
    """
    tree, importance = pages.merge()
    texts = {} if snapshot is None else _texts(pages, tree, snapshot)
    data = {
        "title": title,
        "pages": len(pages),
        "nodes": len(tree),
        "threshold": threshold,
        "of": None if snapshot is None else snapshot.page.url,
        "rows": _rows(tree, importance, texts),
    }
    return fill(TEMPLATE, title, {"DATA": inert_json(data)})


def _texts(pages: StylePages, tree: StyleTree, snapshot: Snapshot) -> dict[int, str]:
    """Own text of each element node of a page."""
    page = page_styles(snapshot, pages.labels, pages.max_nodes)
    texts: dict[int, str] = {}
    for node, element in zip(page.nodes.tolist(), tree.place(page).tolist(), strict=True):
        text = collapse(snapshot.text[node])
        if element >= 0 and text:
            texts[element] = text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
    return texts


def _rows(tree: StyleTree, importance: Importance, texts: dict[int, str]) -> list[Row]:
    """Nodes in document order: level, name, pages, importance, the highest below, text.

    The importance of a style is None.
    """
    styles: list[list[int]] = [[] for _ in range(len(tree))]
    for style, owner in enumerate(tree.owner.tolist()):
        styles[owner].append(style)
    rows: list[Row] = []
    # Element nodes are represented by their number, style nodes by -1 minus their number.
    stack = [(0, 0)]
    while stack and len(rows) < MAX_ROWS:
        level, node = stack.pop()
        if level > MAX_LEVELS:
            continue
        if node < 0:
            rows.append(_style(tree, level, -1 - node))
            below = _children(tree, -1 - node)
            stack += [(level + 1, child) for child in reversed(below)]
            continue
        shown, alone = _show(tree, styles[node])
        rows.append(_element(tree, importance, texts, level, node, len(styles[node]), alone))
        if len(shown) == 1:
            stack += [(level + 1, child) for child in reversed(_children(tree, shown[0]))]
        else:
            stack += [(level + 1, -1 - style) for style in reversed(shown)]
    return rows


def _show(tree: StyleTree, styles: list[int]) -> tuple[list[int], int]:
    """Styles of several pages, the most common first, and the number of those of one page."""
    several = [style for style in styles if tree.style_pages[style] > 1]
    return sorted(several, key=lambda style: -int(tree.style_pages[style])), len(styles) - len(
        several
    )


def _children(tree: StyleTree, style: int) -> range:
    first = int(tree.first[style])
    return range(first, first + int(tree.count[style]))


def _style(tree: StyleTree, level: int, style: int) -> Row:
    count = int(tree.count[style])
    name = f"style with {count} {'child' if count == 1 else 'children'}"
    return [level, name, int(tree.style_pages[style]), None, None, ""]


def _element(
    tree: StyleTree,
    importance: Importance,
    texts: dict[int, str],
    level: int,
    node: int,
    styles: int,
    alone: int,
) -> Row:
    text = texts.get(node, "")
    if alone and styles > 1:
        text = f"{styles} styles, {alone} on a single page each"
    return [
        level,
        tree.labels[node],
        int(tree.pages[node]),
        round(float(importance.composite[node]), 3),
        round(float(importance.highest[node]), 3),
        text,
    ]


def _draw(site: Site, options: StyleTreeOptions) -> str:
    pages = Learned(site).part("style-tree", StylePages)
    return html_report_of_style_tree(pages, threshold=options.threshold)


PICTURE = Picture(
    _draw,
    "the style tree of a learned site, as HTML",
    "site",
    ".html",
    StyleTreeOptions(),
)
