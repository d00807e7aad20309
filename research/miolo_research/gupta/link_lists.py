"""Link lists and advertisements: what the filters of Crunch remove from a page.

Source: Gupta, Kaiser, Neistadt and Grimm, *DOM-based content extraction of HTML documents*
(WWW 2003), the link list remover, the advertisement remover and the remover of empty tables;
reviewed in the X-CEX thesis, section 3.2.2. Details that are not printed there are from memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

import numpy as np
from miolo.features.ad_hosts import AD_HOSTS, is_listed
from miolo.features.blocks import displayed_inline
from miolo.features.counts import TextCounts
from miolo.features.links import absolute_url
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import levels, subtree_sums
from numpy.typing import NDArray

__all__ = [
    "Containers",
    "LinkRatios",
    "advertisements",
    "containers",
    "link_ratios",
]

Containers = Literal["layout", "tables"]
IntArray = NDArray[np.int64]

# Running text is judged together with its surroundings. Otherwise, lists inside an article and
# paragraphs that link to their sources would be removed.
PHRASES = frozenset(
    "p h1 h2 h3 h4 h5 h6 li dt dd pre blockquote figcaption caption tr tbody thead tfoot".split()
)


def containers(snapshot: Snapshot, kind: Containers = "layout") -> NDArray[np.bool_]:
    """bool, shape (n,): elements that may form a link list.

    Parameters
    ----------
    kind
        ``"tables"``: table cells and lists, the building blocks of pages in 2003.
        ``"layout"``: all elements laid out as blocks, except paragraphs and the like.
    """
    if kind == "tables":
        return snapshot.with_tag("td", "th", "ul", "ol", "dl", "menu", "dir")
    laid_out = ~displayed_inline(snapshot) & ~snapshot.is_text
    return laid_out & ~snapshot.with_tag("html", "body", *PHRASES)


def advertisements(snapshot: Snapshot, hosts: Iterable[str] = AD_HOSTS) -> NDArray[np.bool_]:
    """bool, shape (n,): elements whose `href` or `src` leads to a given host or a subdomain."""
    ad_hosts = frozenset(host.lower().strip(".") for host in hosts)
    is_ad = np.zeros(len(snapshot), bool)
    for name in ("href", "src"):
        for node, reference in snapshot.attributes.with_attribute(name):
            url = absolute_url(snapshot, node, reference)
            is_ad[node] |= url is not None and is_listed(urlsplit(url).hostname or "", ad_hosts)
    return is_ad


@dataclass(frozen=True, eq=False)
class LinkRatios:
    """Numbers of linked and unlinked words in what remains of each element.

    Attributes
    ----------
    linked, plain
        int64, shape (n,): linked and unlinked words; without those of the link lists inside,
        if these are removed first.
    lists
        bool, shape (n,): containers that are link lists.
    """

    linked: IntArray
    plain: IntArray
    lists: NDArray[np.bool_]


def link_ratios(
    snapshot: Snapshot,
    counts: TextCounts,
    removed: NDArray[np.bool_],
    judged: NDArray[np.bool_],
    ratio: float = 0.25,
    *,
    inner_first: bool = True,
) -> LinkRatios:
    """Find the containers with more than `ratio` linked words for each unlinked one.

    Parameters
    ----------
    counts
        Word counts of the page.
    removed
        bool, shape (n,): nodes that are already removed, as whole subtrees.
    judged
        bool, shape (n,): containers to judge.
    ratio
        Maximum ratio of linked to unlinked words in a container that is not a link list.
    inner_first
        Judge a container without the link lists inside it. Otherwise they count, so that a page
        with long link lists is removed along with them.

    Notes
    -----
    Time is linear in the number of nodes.
    """
    left = snapshot.is_text & ~removed
    linked = np.where(left, counts.link_words, 0)
    plain = np.where(left, counts.words - counts.link_words, 0)
    if inner_first:
        return _sum_outside_inner_lists(snapshot, linked, plain, judged, ratio)
    linked, plain = subtree_sums(linked, snapshot.end), subtree_sums(plain, snapshot.end)
    return LinkRatios(linked, plain, judged & (linked > ratio * plain))


def _sum_outside_inner_lists(
    snapshot: Snapshot, linked: IntArray, plain: IntArray, judged: NDArray[np.bool_], ratio: float
) -> LinkRatios:
    """Sum from the leaves up, leaving out the containers that are link lists."""
    lists = np.zeros(len(snapshot), bool)
    for level in levels(snapshot.depth):
        lists[level] = judged[level] & (linked[level] > ratio * plain[level])
        left = level[~lists[level] & (snapshot.parent[level] >= 0)]
        np.add.at(linked, snapshot.parent[left], linked[left])
        np.add.at(plain, snapshot.parent[left], plain[left])
    return LinkRatios(linked, plain, lists)
