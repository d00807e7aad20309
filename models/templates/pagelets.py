"""Pagelets: regions of a page, and those of them that other pages of the site have too.

Source: Bar-Yossef and Rajagopalan, *Template detection via data mining and its
applications*, WWW 2002: page partitioning, shingles, and the local and the global template
detection. Two pagelets are the same where they share a shingle; what "share" requires is
decided in `PageletOptions`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.block_sets import owned_blocks
from ...features.links import absolute_url, intra_site_mask, link_mask
from ...features.readable import readable_texts
from ...features.words import words
from ...renderer.snapshot import Snapshot
from ...renderer.tree import subtree_sums
from ..page_names import address_name, page_names
from .shingles import band_hashes, keep_smallest, sketches

__all__ = ["PageletLabels", "PageletOptions", "PageletPages", "pagelet_roots"]


# Links of a page that are kept, at most; the smallest hashes, which is a sample.
MAX_LINKS = 400


@dataclass(frozen=True)
class PageletOptions:
    """What pagelets are, and when two are the same.

    Attributes
    ----------
    min_links
        K = 3 of the source: a node with a child of so many links is not a pagelet.
    width
        Words in a run.
    hashes, rows
        The min-hashes of a pagelet, and how many of them have to be equal at once: bands of
        `rows`; each band is a shingle. The source compares one shingle; see
        `miolo.models.templates.shingles.band_hashes` for what this finds.
    """

    min_links: int = 3
    width: int = 4
    hashes: int = 8
    rows: int = 4


@dataclass(frozen=True, eq=False)
class PageletLabels:
    """The p pagelets of a page and which other pages have them.

    Attributes
    ----------
    roots
        int32, shape (p,): their nodes, in document order.
    of
        int32, shape (n,): the pagelet that each node is in, -1 for none.
    compared
        bool, shape (p,): whether there are words to compare.
    pages
        int32, shape (p,): other pages of the site with a pagelet that shares a shingle.
    linked
        int32, shape (p,): those of them that link to this page or that it links to.
    """

    roots: NDArray[np.int32]
    of: NDArray[np.int32]
    compared: NDArray[np.bool_]
    pages: NDArray[np.int32]
    linked: NDArray[np.int32]


@dataclass(frozen=True)
class _Page:
    """A learned page: its names, its address, and the targets of its links."""

    names: frozenset[int]
    address: int | None
    links: frozenset[int]


class PageletPages:
    """The shingles of the pagelets of a site's pages, and how the pages link to each other.

    Parameters
    ----------
    options
        What pagelets are.
    max_shingles
        Distinct shingles kept, at most: a sample by hash, so that it is the same in any
        order of pages.
    """

    # `holders` maps a shingle to the pages that hold it: bit i of the number is page i.

    def __init__(
        self, options: PageletOptions | None = None, *, max_shingles: int = 150_000
    ) -> None:
        self.options = options or PageletOptions()
        self.max_shingles = max_shingles
        self.pages: list[_Page] = []
        self.holders: dict[int, int] = {}

    def __len__(self) -> int:
        """Pages learned from."""
        return len(self.pages)

    def __repr__(self) -> str:
        return f"<PageletPages of {len(self)} pages, {len(self.holders)} shingles>"

    def add(self, snapshot: Snapshot) -> None:
        """Learn from one more page."""
        _, _, shingles = self._shingles(snapshot)
        bit = 1 << len(self.pages)
        for shingle in np.unique(shingles).tolist():
            self.holders[shingle] = self.holders.get(shingle, 0) | bit
        keep_smallest(self.holders, self.max_shingles, int)
        self.pages.append(_page(snapshot))

    def judge(self, snapshot: Snapshot) -> PageletLabels:
        """Find the pagelets of a page, learned or not, on the other pages of the site."""
        roots, compared, shingles = self._shingles(snapshot)
        others, neighbours = self._other_pages(_page(snapshot))
        holders = [0] * len(roots)
        rows = zip(np.flatnonzero(compared).tolist(), shingles.tolist(), strict=True)
        for place, shared in rows:
            for shingle in shared:
                holders[place] |= self.holders.get(shingle, 0)
        return PageletLabels(
            roots,
            owned_blocks(snapshot, roots).of,
            compared,
            np.array([(pages & others).bit_count() for pages in holders], np.int32),
            # The graph is that of the pages of one shingle: this page's component of it has
            # more than one page exactly where a neighbour holds the shingle too.
            np.array([(pages & neighbours).bit_count() for pages in holders], np.int32),
        )

    def to_json(self) -> dict[str, Any]:
        """What was learned, as JSON values: hashes are hexadecimal."""
        order = sorted(range(len(self)), key=lambda place: sorted(self.pages[place].names))
        by_pages: dict[str, list[str]] = {}
        # Few sets of pages hold the same shingles, and most shingles are on one page.
        renumbering = {held: _renumber(held, order) for held in set(self.holders.values())}
        for shingle, held in sorted(self.holders.items()):
            by_pages.setdefault(f"{renumbering[held]:x}", []).append(f"{shingle:016x}")
        return {
            "options": asdict(self.options),
            "most_shingles": self.max_shingles,
            "pages": [_describe(self.pages[place]) for place in order],
            "shingles_by_pages": dict(sorted(by_pages.items())),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> PageletPages:
        """Read the output of `to_json`.

        Raises
        ------
        ValueError, KeyError, TypeError, AttributeError
            It is something else.
        """
        options = PageletOptions(**data["options"])
        site = cls(options, max_shingles=int(data["most_shingles"]))
        for page in data["pages"]:
            address = None if page["address"] is None else int(page["address"], 16)
            names, links = (frozenset(int(h, 16) for h in page[k]) for k in ("names", "links"))
            site.pages.append(_Page(names, address, links))
        for pages, shingles in data["shingles_by_pages"].items():
            if not 0 < int(pages, 16) < 1 << len(site):
                raise ValueError("a shingle on pages that there are not")
            site.holders |= dict.fromkeys((int(each, 16) for each in shingles), int(pages, 16))
        return site

    def _other_pages(self, own: _Page) -> tuple[int, int]:
        """Pages other than this one, and its neighbours among them, as bits."""
        others = neighbours = 0
        for place, page in enumerate(self.pages):
            if page.names & own.names:
                continue
            others |= 1 << place
            if page.address in own.links or own.address in page.links:
                neighbours |= 1 << place
        return others, neighbours

    def _shingles(
        self, snapshot: Snapshot
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.uint64]]:
        """Pagelets, which of them have words, and for each of these its shingles."""
        roots = pagelet_roots(snapshot, self.options.min_links)
        texts = _texts(snapshot, roots)
        compared = np.array([bool(each) for each in texts], bool)
        each = [text for text in texts if text]
        sketched = sketches(each, self.options.width, self.options.hashes)
        return roots, compared, band_hashes(sketched, self.options.rows)


def pagelet_roots(snapshot: Snapshot, min_links: int = 3) -> NDArray[np.int32]:
    """Nodes that are pagelets, in document order; int32, shape (p,).

    The source's queue starts with the root, replaces a node with a child of `min_links`
    links by its children, and calls any other a pagelet. A child of so many links has an
    ancestor of as many on every level, so the nodes replaced are the parents of nodes of so
    many links, and the pagelets are the other children of these, or the root.
    """
    links = subtree_sums(link_mask(snapshot), snapshot.end)
    replaced = np.zeros(len(snapshot) + 1, bool)
    replaced[snapshot.parent[links >= min_links]] = True
    replaced[-1] = True  # what the parent of the root stands for
    return np.flatnonzero(~replaced[:-1] & replaced[snapshot.parent]).astype(np.int32)


def _texts(snapshot: Snapshot, roots: NDArray[np.int32]) -> list[list[str]]:
    """Readable words of each pagelet, case folded."""
    parts: list[list[str]] = [[] for _ in roots]
    texts = np.flatnonzero(readable_texts(snapshot))
    places = np.searchsorted(roots, texts, side="right") - 1
    for node, place in zip(texts.tolist(), places.tolist(), strict=True):
        # A text beside pagelets is one itself, so the last root before it is its own.
        parts[place] += words(snapshot.text[node].casefold())
    return parts


def _page(snapshot: Snapshot) -> _Page:
    leads: set[int] = set()
    inside = intra_site_mask(snapshot)
    for node, reference in snapshot.attributes.with_attribute("href"):
        url = absolute_url(snapshot, node, reference) if inside[node] else None
        address = None if url is None else address_name(url)
        if address is not None:
            leads.add(address)
    links = frozenset(sorted(leads)[:MAX_LINKS])
    return _Page(page_names(snapshot), address_name(snapshot.page.url), links)


def _describe(page: _Page) -> dict[str, Any]:
    return {
        "names": [f"{name:016x}" for name in sorted(page.names)],
        "address": None if page.address is None else f"{page.address:016x}",
        "links": [f"{link:016x}" for link in sorted(page.links)],
    }


def _renumber(pages: int, order: list[int]) -> int:
    """Bits of pages, for pages in another order."""
    return sum(1 << place for place, page in enumerate(order) if pages >> page & 1)
