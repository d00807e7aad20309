"""SiteLevel: content that repeats across the pages of a site is its template.

Source: the template-detection report, "Algoritmo SiteLevel", after Chakrabarti, Kumar and
Punera, *Page-level template detection via isotonic smoothing*, WWW 2007. For what they leave
open, see `docs/template.md`.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.hashes import HASHINGS, Hashing, has_content, subtree_hashes
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import levels, subtree_sums
from ..page_names import address_name

UInt64Array = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class SiteLabels:
    """Verdicts of a site on the nodes of one page."""

    template: NDArray[np.bool_]
    """bool, shape (n,): whether the node is template."""
    repeated: NDArray[np.bool_]
    """bool, shape (n,): whether the node's own content is on enough pages. The other nodes of
    `template` qualify by the share of their markup that template covers."""
    pages: NDArray[np.int32]
    """int32, shape (n,): number of pages of the site with the same content; 0 if the node has no
    content to compare."""
    covered: NDArray[np.float32]
    """float32, shape (n,), in [0, 1]: share of the subtree's markup in template nodes."""


class SiteLevel:
    """Counts the pages that have each distinct content of a site.

    Parameters
    ----------
    share
        Content on at least this share of the pages is template, but only if it is on two or
        more, so that no page is evidence for itself. The report's p = 10 %.
    cover
        A node with at least this share of its markup in template is template; 85 % in the
        report.
    hashing
        What makes two nodes equal; see `miolo.features.hashes.subtree_hashes`.

    Notes
    -----
    A page can be added at any time without reading the others again. A page that is added again,
    under the same or another URL, is ignored.
    """

    # `size` is the number of pages; `pages` maps the hash of a content to the number of pages
    # that have it; `names` contains hashes of pages and of their URLs.

    def __init__(
        self, share: float = 0.10, cover: float = 0.85, hashing: Hashing = "structure"
    ) -> None:
        if not (0 <= share <= 1 and 0 <= cover <= 1):
            raise ValueError("share and cover must be between 0 and 1")
        if hashing not in HASHINGS:
            raise ValueError(f"hashing must be one of {', '.join(HASHINGS)}, not {hashing!r}")
        self.share, self.cover = share, cover
        self.hashing: Hashing = hashing
        self.size = 0
        self.pages: Counter[int] = Counter()
        self.names: set[int] = set()

    def __len__(self) -> int:
        """Number of pages learned from."""
        return self.size

    def __repr__(self) -> str:
        return f"<SiteLevel of {len(self)} pages, {len(self.pages)} contents>"

    def add(self, snapshot: Snapshot) -> bool:
        """Learn from one more page; False if the page is already known."""
        hashes = self._hashes(snapshot)
        address = address_name(snapshot.page.url)
        names = {int(hashes[0])} if address is None else {int(hashes[0]), address}
        if names & self.names:
            return False
        self.names |= names
        self.size += 1
        self.pages.update(np.unique(hashes[hashes > 0]).tolist())
        return True

    def label(self, snapshot: Snapshot) -> SiteLabels:
        """Label the nodes of a page, whether it was learned from or not."""
        hashes = self._hashes(snapshot).tolist()
        pages = np.array([self.pages[h] if h else 0 for h in hashes], np.int32)
        repeated = pages >= self.min_pages
        template, covered = _cover(snapshot, repeated, self.cover)
        return SiteLabels(template, repeated, pages, covered)

    @property
    def min_pages(self) -> int:
        """Minimum number of pages with a content for it to be template."""
        # Rounded first, or 10 % of 30 pages would be four.
        return max(2, math.ceil(round(self.share * len(self), 9)))

    def to_json(self) -> dict[str, Any]:
        """What was learned, as JSON values; hashes are sixteen hexadecimal digits."""
        by_pages: dict[int, list[str]] = {}
        for content, pages in sorted(self.pages.items()):
            by_pages.setdefault(pages, []).append(f"{content:016x}")
        return {
            "share": self.share,
            "cover": self.cover,
            "hashing": self.hashing,
            "size": self.size,
            "known": [f"{name:016x}" for name in sorted(self.names)],
            "contents_by_pages": {str(pages): by_pages[pages] for pages in sorted(by_pages)},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SiteLevel:
        """Read the output of `to_json`."""
        site = cls(float(data["share"]), float(data["cover"]), data["hashing"])
        site.size = int(data["size"])
        if not 0 <= site.size <= sys.maxsize:
            raise ValueError("the number of pages is out of range")
        site.names = {_hash_of(name) for name in data["known"]}
        for pages, contents in data["contents_by_pages"].items():
            if not 1 <= int(pages) <= site.size:
                raise ValueError("content occurs on more pages than the site has")
            site.pages.update(dict.fromkeys(map(_hash_of, contents), int(pages)))
        return site

    def _hashes(self, snapshot: Snapshot) -> UInt64Array:
        """Hashes of the nodes; 0 for nodes without content to compare."""
        hashes = subtree_hashes(snapshot, self.hashing)
        return np.where(has_content(snapshot), hashes, np.uint64(0))


def _hash_of(digits: str) -> int:
    number = int(digits, 16)
    if not 0 <= number < 1 << 64:
        raise ValueError("a hash must be an unsigned 64-bit integer")
    return number


def _cover(
    snapshot: Snapshot, repeated: NDArray[np.bool_], cover: float
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Mark nodes with enough of their markup in marked nodes, from the leaves up."""
    markup = subtree_sums(snapshot.html_chars, snapshot.end)
    covered = np.zeros(len(snapshot), np.int64)
    template = repeated.copy()
    for level in levels(snapshot.depth):
        template[level] |= (covered[level] >= cover * markup[level]) & (covered[level] > 0)
        marked = level[template[level]]
        covered[marked] = markup[marked]
        below = level[snapshot.parent[level] >= 0]
        np.add.at(covered, snapshot.parent[below], covered[below])
    return template, (covered / np.maximum(markup, 1)).astype(np.float32)
