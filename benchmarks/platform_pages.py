"""Styled pages of many platforms: their snapshots, and their truth by selectors.

`platforms.json` of the shared data describes each site by CSS selectors. They are matched with the
tree of a snapshot, rendered or read as HTML, so that every text node of a page has a truth. The
pages are unpacked and rendered with all their resources the first time, each site on a loopback
server of its own.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import miolo
import numpy as np
from corpus import unpack
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]
from lxml.cssselect import CSSSelector
from miolo.evaluate.case import Case
from miolo.evaluate.rendering import SITE_OPTIONS, render_missing
from miolo.features.article.features import block_features
from miolo.features.blocks import NO_TEXT, TextBlocks, article_blocks, block_owners
from miolo.features.page_kind import page_kind_features
from miolo.models.article.roles import LETTERS
from miolo.models.article.samples import UNKNOWN, LabelledPage, align_roles
from miolo.renderer.page.tree import nearest_marked, subtree_mask, subtree_sums
from numpy.typing import NDArray

__all__ = [
    "NodeTruth",
    "PlatformPage",
    "label_platforms",
    "node_truth",
    "platform_pages",
    "render_pages",
]

OPTIONS = replace(SITE_OPTIONS, browser="always")

MARK = re.compile(rb'\sdata-truth="[^"]*"')
"""Attributes that mark posts which no selector matches. No reader may see them."""

MARKED = ".marked"
"""Suffix of the copy of a page with its marks."""


@dataclass(frozen=True)
class PlatformPage:
    """A page of a site.

    Attributes
    ----------
    case
        Its files; the case's group is the source of the site, which is held out together, and its
        text is empty.
    family, site
        Names of the family and of the site.
    facts
        Entry of the site in `platforms.json`.
    number
        Number of the page in its site.
    """

    case: Case
    family: str
    site: str
    facts: dict[str, Any]
    number: int

    @property
    def marked(self) -> bytes:
        """The HTML as served, with the marks of its truth."""
        marked = self.case.source.with_name(self.case.source.name + MARKED)
        return (marked if marked.exists() else self.case.source).read_bytes()

    def rendered(self) -> miolo.Snapshot:
        """The saved snapshot, at the address from which the page would come on the web."""
        return _with_address(miolo.Snapshot.load(self.case.saved), self.case.url)

    def served(self) -> miolo.Snapshot:
        """The page as HTML that no browser has laid out."""
        return miolo.Snapshot.from_html(self.case.source.read_bytes(), url=self.case.url)

    def truth(self, rendered: miolo.Snapshot | None = None) -> str:
        """The page's own text, as the selectors choose it on the page as served.

        With the rendered page, its text as rendered, unless the selectors do not match it.
        """
        text = _own_text(miolo.Snapshot.from_html(self.marked, url=self.case.url), self.facts)
        if rendered is None:
            return text
        shown = _own_text(rendered, self.facts)
        return shown if len(shown.split()) >= MIN_FOUND * len(text.split()) else text


def _own_text(snapshot: miolo.Snapshot, facts: dict[str, Any]) -> str:
    own = node_truth(snapshot, facts).own
    nodes = np.flatnonzero(own & snapshot.is_text & ~snapshot.in_tag(*NO_TEXT))
    owner, lines = block_owners(snapshot), []
    for _, run in groupby(nodes.tolist(), key=lambda node: int(owner[node])):
        lines.append("".join(snapshot.text[node] for node in run))
    return "\n".join(lines)


def platform_pages(data: Path, cache: Path, snapshots: Path | None = None) -> list[PlatformPage]:
    """All pages; their archives are unpacked the first time.

    Parameters
    ----------
    data
        The shared data.
    cache
        Folder to unpack to.
    snapshots
        Folder of the snapshots, which may not exist yet; by default one in `cache`.
    """
    home = cache / "platforms"
    for archive in sorted((data / "platforms").glob("*.tar.xz")):
        unpack(archive, home)
    snapshots = snapshots or cache / "platforms-snapshots"
    table = json.loads((data / "platforms.json").read_text("utf-8"))
    return [
        _page(home / name, name, facts, number, path, snapshots)
        for name, facts in sorted(table.items())
        for number, path in enumerate(facts["pages"])
    ]


def _page(
    folder: Path, name: str, facts: dict[str, Any], number: int, path: str, snapshots: Path
) -> PlatformPage:
    source = folder / path
    _separate_marks(source)
    family, _, site = name.partition("/")
    case = Case(
        id=f"{site}-{number:03}",
        set=f"platforms-{family}",
        group=f"platforms/{facts['source']}",
        url=f"https://{site}.example/{path}",
        text="",
        source=source,
        saved=snapshots / name / f"{number:03}.miolo",
        kind=facts["kind"],
        site=folder,
        path=path,
    )
    return PlatformPage(case, family, site, facts, number)


def _separate_marks(source: Path) -> None:
    """Remove the marks from a page that has any, after copying it."""
    marked = source.with_name(source.name + MARKED)
    markup = source.read_bytes()
    if MARK.search(markup) and not marked.exists():
        marked.write_bytes(markup)
        source.write_bytes(MARK.sub(b"", markup))


def render_pages(pages: Sequence[PlatformPage], log: Callable[[str], None]) -> None:
    """Render the pages that have no snapshot."""
    asyncio.run(render_missing([page.case for page in pages], OPTIONS, log=log))


# The truth of a page, by the selectors of its site.

APART = ("title", "byline", "date", "kicker", "comments", "related", "author_bio", "caption")
"""Parts that the truth leaves out, inside the body too."""

LETTER_OF = dict(zip("title kicker standfirst byline date".split(), "TKSYD", strict=True)) | {
    "notes": "N", "caption": "C", "comments": "M", "author_bio": "A", "related": "O",
}  # fmt: skip

ELEMENTS = (
    (("h1", "h2", "h3", "h4", "h5", "h6"), "H"), (("li", "dt", "dd"), "L"), (("pre",), "G"),
    (("blockquote",), "Q"), (("figcaption", "caption"), "C"),
)  # fmt: skip
"""Letter of the role of a text inside the body by the innermost of these elements."""

BOILERPLATE, PARAGRAPH, CELL = LETTERS.index("."), LETTERS.index("B"), LETTERS.index("X")

THREADS = ("forum", "mail", "issue", "qa")

WITH_ROLES = (*THREADS, "article", "documentation", "wiki", "paper", "recipe")
"""Kinds whose pages teach roles. Of the others, only the page's own content is known."""

MIN_CELLS = 4
"""Minimum number of cells of a data table, which contains no other table."""


@dataclass(frozen=True, eq=False)
class NodeTruth:
    """Truth of the n nodes of a snapshot.

    Attributes
    ----------
    own
        bool, shape (n,): nodes of the page's own content.
    roles
        int8, shape (n,): code of the role of each node, for a page that is an article.
    """

    own: NDArray[np.bool_]
    roles: NDArray[np.int8]


def node_truth(snapshot: miolo.Snapshot, facts: dict[str, Any]) -> NodeTruth:
    """Truth of a snapshot of one of a site's pages."""
    select = _Selection(snapshot)
    dropped = select.below(select.all(facts.get("drop")))
    own = _own_content(select, facts, dropped)
    roles = np.where(own, _roles_by_element(snapshot), BOILERPLATE).astype(np.int8)
    parts = {LETTER_OF[name]: facts.get(name) for name in LETTER_OF}
    within = ~dropped
    if posts := facts.get("posts"):
        parts |= {"Y": posts.get("author"), "D": posts.get("date"), "M": None}
        within = ~own
    for letter, selector in parts.items():
        roles[select.below(select.all([selector])) & within] = LETTERS.index(letter)
    return NodeTruth(own, roles)


def _own_content(
    select: _Selection, facts: dict[str, Any], dropped: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    for name, left_out in (("posts", False), ("items", True)):
        if parts := facts.get(name):
            each = select.below(select.all([parts["each"]]))
            text = select.below(select.all([parts["text"]])) if parts.get("text") else each
            own = each & text & ~select.below(select.all(parts.get("drop")))
            own &= ~dropped if left_out else True
            if own.any() or name == "posts":
                return own
    apart = select.below(select.all([facts.get(name) for name in APART]))
    return select.below(select.all([facts.get("body")])) & ~apart & ~dropped


def _roles_by_element(snapshot: miolo.Snapshot) -> NDArray[np.int8]:
    """int8, shape (n,): the role that the innermost meaningful element around each node gives."""
    nodes, n = np.arange(len(snapshot)), len(snapshot)
    of = np.full(n, -1, np.int8)
    for tags, letter in ELEMENTS:
        of[snapshot.with_tag(*tags)] = LETTERS.index(letter)
    of[snapshot.with_tag("td", "th") & _in_data_table(snapshot)] = CELL
    around = nearest_marked(snapshot.parent, of >= 0)
    nearest = np.where(of >= 0, nodes, around)
    return np.where(nearest >= 0, of[nearest], PARAGRAPH).astype(np.int8)


def _in_data_table(snapshot: miolo.Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes in a table of several cells that contains no other table."""
    table, end = snapshot.with_tag("table"), snapshot.end
    cells = subtree_sums(snapshot.with_tag("td", "th"), end)
    return subtree_mask(table & (subtree_sums(table, end) == 1) & (cells >= MIN_CELLS), end)


class _Selection:
    """CSS selection of the nodes of a snapshot, on a tree of its elements."""

    def __init__(self, snapshot: miolo.Snapshot) -> None:
        self._end = snapshot.end
        elements: list[Any] = [None] * len(snapshot)
        self._node: dict[Any, int] = {}
        for node in np.flatnonzero(~snapshot.is_text).tolist():
            tag = _name(snapshot.tags[snapshot.tag[node]]) or "unknown"
            attributes = {
                name: VALUE.sub("", value)
                for name, value in snapshot.attributes.of(node).items()
                if _name(name)
            }
            parent = snapshot.parent[node]
            element = (
                etree.SubElement(elements[parent], tag, attributes)
                if parent >= 0
                else etree.Element(tag, attributes)
            )
            elements[node], self._node[element] = element, node
        self._root = elements[0]

    def all(self, selectors: Iterable[str | None] | None) -> NDArray[np.bool_]:
        """bool, shape (n,): elements that one of the selectors matches."""
        mask = np.zeros(len(self._end), bool)
        for selector in filter(None, selectors or ()):
            found = CSSSelector(selector, translator="html")(self._root)
            mask[[self._node[element] for element in found]] = True
        return mask

    def below(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool, shape (n,): the nodes and all their descendants."""
        return subtree_mask(mask, self._end)


VALUE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""


def _name(name: str) -> str:
    """The name, or nothing if XML does not allow it."""
    return name if re.fullmatch(r"[A-Za-z_][\w.-]*", name, re.ASCII) else ""


# Labels to train on.


def label_platforms(
    pages: Sequence[PlatformPage], log: Callable[[str], None]
) -> list[LabelledPage]:
    """Labels of the pages, each as rendered and as served."""
    labelled: list[LabelledPage] = []
    for page in pages:
        served = miolo.Snapshot.from_html(page.marked, url=page.case.url)
        truth = node_truth(served, page.facts)
        as_served = _label(page, page.served(), truth, "served")
        labelled.append(as_served)
        try:
            labelled.append(_label_rendered(page, as_served, served))
        except (miolo.MioloError, OSError) as error:
            log(f"{page.case.set}/{page.case.id} is only read as served: {error}")
    return [page for page in labelled if page.text.any()]


def _label_rendered(
    page: PlatformPage, as_served: LabelledPage, served: miolo.Snapshot
) -> LabelledPage:
    """Labels of the rendered page by selectors, or by the served page if they do not match."""
    snapshot = page.rendered()
    labelled = _label(page, snapshot, node_truth(snapshot, page.facts), "rendered")
    own_words = [float(each.features.words[each.text].sum()) for each in (as_served, labelled)]
    if own_words[1] >= MIN_FOUND * own_words[0]:
        return labelled
    texts, of_page = article_blocks(served).texts, article_blocks(snapshot).texts
    letters = [LETTERS[BOILERPLATE], LETTERS[PARAGRAPH]]
    own = align_roles(
        of_page, [(letters[int(k)], t) for t, k in zip(texts, as_served.text, strict=True)]
    )
    known = zip(as_served.roles.tolist(), texts, strict=True)
    roles = align_roles(of_page, [(LETTERS[max(role, 0)], text) for role, text in known])
    roles = roles if as_served.has_roles else np.full_like(roles, UNKNOWN)
    return replace(labelled, text=own == PARAGRAPH, own=own == PARAGRAPH, roles=roles)


MIN_FOUND = 0.6
"""Share of the served page's own words that the selectors must find in the rendered one."""


def _with_address(snapshot: miolo.Snapshot, url: str) -> miolo.Snapshot:
    """The snapshot as if the page came from the web, and not from a port of this machine."""
    origin, public = (urlsplit(address).netloc for address in (snapshot.page.url, url))
    moved = [
        replace(frame, url=frame.url.replace(origin, public, 1),
                base_url=frame.base_url.replace(origin, public, 1))
        for frame in snapshot.frames
    ]  # fmt: skip
    page = replace(snapshot.page, url=url, requested_url=url)
    return replace(snapshot, page=page, frames=tuple(moved))


def _label(
    page: PlatformPage, snapshot: miolo.Snapshot, truth: NodeTruth, variant: str
) -> LabelledPage:
    blocks = article_blocks(snapshot)
    roles, own = block_truth(blocks, truth)
    if page.facts["kind"] not in WITH_ROLES:
        roles = np.full_like(roles, UNKNOWN)
    case = page.case
    return LabelledPage(
        set=case.set,
        id=f"{case.id}-{variant}",
        group=case.group,
        kind=case.kind,
        features=block_features(blocks),
        roles=roles,
        text=own,
        explained=1.0,
        kind_features=page_kind_features(snapshot),
        own=own,
    )


def block_truth(blocks: TextBlocks, truth: NodeTruth) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Role of each block, and whether it is the page's own: what most of its characters are."""
    if not len(blocks):
        return np.zeros(0, np.int8), np.zeros(0, bool)
    nodes, starts = blocks.nodes, blocks.starts[:-1]
    chars = blocks.chars[nodes]
    by_role = (truth.roles[nodes, None] == np.arange(len(LETTERS))) * chars[:, None]
    roles = np.add.reduceat(by_role, starts).argmax(axis=1).astype(np.int8)
    own = 2 * np.add.reduceat(chars * truth.own[nodes], starts) >= np.add.reduceat(chars, starts)
    return roles, own
