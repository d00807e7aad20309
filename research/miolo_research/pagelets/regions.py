"""Pagelets: regions of a page, and which of them also occur on other pages of the site.

Source: Bar-Yossef and Rajagopalan, *Template detection via data mining and its
applications*, WWW 2002: page partitioning, shingles, and the local and the global template
detection. Two pagelets are the same if they share a shingle, as defined by `PageletOptions`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from miolo.features.block_sets import owned_blocks
from miolo.features.links import absolute_url, intra_site_mask, link_mask
from miolo.features.readable import readable_texts
from miolo.features.words import words
from miolo.models.page_names import address_name, page_names
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import subtree_sums
from numpy.typing import NDArray

from ..shingles import band_hashes, keep_smallest, sketches

__all__ = ["PageletLabels", "PageletOptions", "PageletPages", "pagelet_roots"]


# Maximum number of links kept of a page: those with the smallest hashes, as a sample.
MAX_LINKS = 400

MAX_HASHES = 64


@dataclass(frozen=True)
class PageletOptions:
    """What pagelets are, and when two of them are the same.

    Attributes
    ----------
    min_links
        K = 3 of the source: a node that has a child with this many links is not a pagelet.
    width
        Number of words in a run.
    hashes, rows
        Number of min-hashes of a pagelet, and how many of them must be equal at once. They form
        bands of `rows`, and each band is a shingle. The source compares one shingle; see
        `miolo_research.shingles.band_hashes` for the probability of a match.
    """

    min_links: int = 3
    width: int = 4
    hashes: int = 8
    rows: int = 4

    def __post_init__(self) -> None:
        if not 1 <= self.rows <= self.hashes <= MAX_HASHES or min(self.min_links, self.width) < 1:
            raise ValueError(f"options must be at least 1, with rows <= hashes <= {MAX_HASHES}")


@dataclass(frozen=True, eq=False)
class PageletLabels:
    """The p pagelets of a page and the number of other pages that have them.

    Attributes
    ----------
    roots
        int32, shape (p,): root nodes of the pagelets, in document order.
    of
        int32, shape (n,): the pagelet that each node belongs to, -1 for none.
    compared
        bool, shape (p,): whether a pagelet has words to compare.
    pages
        int32, shape (p,): number of other pages of the site with a pagelet that shares a shingle.
    linked
        int32, shape (p,): number of those pages that link to this page or that it links to.
    """

    roots: NDArray[np.int32]
    of: NDArray[np.int32]
    compared: NDArray[np.bool_]
    pages: NDArray[np.int32]
    linked: NDArray[np.int32]


@dataclass(frozen=True)
class _Page:
    """A page learned from: its names, its URL, and the targets of its links, all as hashes."""

    names: frozenset[int]
    address: int | None
    links: frozenset[int]


class PageletPages:
    """The shingles of the pagelets of a site's pages, and the links between these pages.

    Parameters
    ----------
    options
        What pagelets are.
    max_shingles
        Maximum number of distinct shingles kept. They are a sample by hash, which does not
        depend on the order of pages.
    """

    # `holders` maps a shingle to the pages that contain it, as a bit set: bit i is page i.

    def __init__(
        self, options: PageletOptions | None = None, *, max_shingles: int = 150_000
    ) -> None:
        self.options = options or PageletOptions()
        self.max_shingles = max_shingles
        self.pages: list[_Page] = []
        self.holders: dict[int, int] = {}

    def __len__(self) -> int:
        """Number of pages learned from."""
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
        """Look up the pagelets of a page, learned from or not, on the site's other pages."""
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
            # The source takes components of the link graph of the pages that share a shingle.
            # This page's component has other pages if and only if a neighbour has the shingle.
            np.array([(pages & neighbours).bit_count() for pages in holders], np.int32),
        )

    def to_json(self) -> dict[str, Any]:
        """What was learned, as JSON values; hashes are hexadecimal."""
        order = sorted(range(len(self)), key=lambda place: sorted(self.pages[place].names))
        by_pages: dict[str, list[str]] = {}
        # There are few distinct sets of pages, since most shingles are on one page.
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
            The data are not the output of `to_json`.
        """
        options = PageletOptions(**{name: int(n) for name, n in data["options"].items()})
        site = cls(options, max_shingles=int(data["most_shingles"]))
        for page in data["pages"]:
            address = None if page["address"] is None else int(page["address"], 16)
            names, links = (frozenset(int(h, 16) for h in page[k]) for k in ("names", "links"))
            site.pages.append(_Page(names, address, links))
        for pages, shingles in data["shingles_by_pages"].items():
            if not 0 < int(pages, 16) < 1 << len(site):
                raise ValueError("a shingle refers to a page that does not exist")
            site.holders |= dict.fromkeys((int(each, 16) for each in shingles), int(pages, 16))
        return site

    def _other_pages(self, own: _Page) -> tuple[int, int]:
        """Bit sets of the pages other than this one, and of its link neighbours among them."""
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
        """Pagelets, which of them have words, and the shingles of each of those."""
        roots = pagelet_roots(snapshot, self.options.min_links)
        texts = _texts(snapshot, roots)
        compared = np.array([bool(each) for each in texts], bool)
        each = [text for text in texts if text]
        sketched = sketches(each, self.options.width, self.options.hashes)
        return roots, compared, band_hashes(sketched, self.options.rows)


def pagelet_roots(snapshot: Snapshot, min_links: int = 3) -> NDArray[np.int32]:
    """Nodes that are pagelets, in document order; int32, shape (p,).

    The source's queue starts with the root, replaces each node that has a child with at least
    `min_links` links by its children, and calls every other node a pagelet. All ancestors of
    such a child have as many links. The replaced nodes are therefore the parents of nodes with
    that many links, and the pagelets are the other children of replaced nodes, or the root.
    """
    links = subtree_sums(link_mask(snapshot), snapshot.end)
    replaced = np.zeros(len(snapshot) + 1, bool)
    replaced[snapshot.parent[links >= min_links]] = True
    replaced[-1] = True  # index -1 is the parent of the root
    return np.flatnonzero(~replaced[:-1] & replaced[snapshot.parent]).astype(np.int32)


def _texts(snapshot: Snapshot, roots: NDArray[np.int32]) -> list[list[str]]:
    """Readable words of each pagelet, case-folded."""
    parts: list[list[str]] = [[] for _ in roots]
    texts = np.flatnonzero(readable_texts(snapshot))
    places = np.searchsorted(roots, texts, side="right") - 1
    for node, place in zip(texts.tolist(), places.tolist(), strict=True):
        # Every text is in a pagelet or is one, so the last root at or before it is its own.
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
    """Bit set of pages, renumbered for another order of the pages."""
    return sum(1 << place for place, page in enumerate(order) if pages >> page & 1)
