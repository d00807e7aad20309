"""Link lists and advertisements: what the filters of Crunch remove from a page.

Source: Gupta, Kaiser, Neistadt and Grimm, *DOM-based content extraction of HTML documents*
(WWW 2003), the link list remover, the advertisement remover and the remover of empty tables;
reviewed in the X-CEX thesis, section 3.2.2. What is not printed there is as recalled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from ..renderer.snapshot import Snapshot
from ..renderer.tree import levels, subtree_sums
from .blocks import displayed_inline
from .counts import TextCounts
from .links import absolute_url

__all__ = ["AD_HOSTS", "Containers", "LinkRatios", "advertisements", "containers", "link_ratios"]

Containers = Literal["layout", "tables"]
IntArray = NDArray[np.int64]

AD_HOSTS = (
    "2mdn.net", "adform.net", "adnxs.com", "adroll.com", "adsrvr.org", "advertising.com",
    "amazon-adsystem.com", "casalemedia.com", "criteo.com", "doubleclick.net",
    "googleadservices.com", "googlesyndication.com", "media.net", "mgid.com", "moatads.com",
    "openx.net", "outbrain.com", "pubmatic.com", "revcontent.com", "rubiconproject.com",
    "sharethrough.com", "smartadserver.com", "taboola.com", "teads.tv", "zedo.com",
)  # fmt: skip
"""A few well-known hosts of advertisements; maintained lists have more."""

# Running text is judged with its surroundings, or lists inside of an article and paragraphs that
# name their sources would be removed.
PHRASES = frozenset(
    "p h1 h2 h3 h4 h5 h6 li dt dd pre blockquote figcaption caption tr tbody thead tfoot".split()
)


def containers(snapshot: Snapshot, kind: Containers = "layout") -> NDArray[np.bool_]:
    """bool, shape (n,): elements that may be a link list as wholes.

    Parameters
    ----------
    snapshot
        The page.
    kind
        ``"tables"``: table cells and lists, the building blocks of pages in 2003.
        ``"layout"``: whatever is laid out as a block, but for paragraphs and the like.
    """
    if kind == "tables":
        return snapshot.with_tag("td", "th", "ul", "ol", "dl", "menu", "dir")
    laid_out = ~displayed_inline(snapshot) & ~snapshot.is_text
    return laid_out & ~snapshot.with_tag("html", "body", *PHRASES)


def advertisements(snapshot: Snapshot, hosts: Iterable[str] = AD_HOSTS) -> NDArray[np.bool_]:
    """bool, shape (n,): elements whose `href` or `src` leads to one of these hosts or below."""
    ad_hosts = frozenset(host.lower().strip(".") for host in hosts)
    is_ad = np.zeros(len(snapshot), bool)
    for name in ("href", "src"):
        for node, reference in snapshot.attributes.with_attribute(name):
            url = absolute_url(snapshot, node, reference)
            is_ad[node] |= url is not None and _is_listed(urlsplit(url).hostname or "", ad_hosts)
    return is_ad


def _is_listed(host: str, hosts: frozenset[str]) -> bool:
    parts = host.split(".")
    return any(".".join(parts[place:]) in hosts for place in range(len(parts)))


@dataclass(frozen=True, eq=False)
class LinkRatios:
    """Linked against unlinked words in the rest of each element.

    Attributes
    ----------
    linked, plain
        int64, shape (n,): linked and other words; without those of the link lists inside,
        where these were taken out first.
    lists
        bool, shape (n,): containers that are link lists.
    """

    linked: IntArray
    plain: IntArray
    lists: NDArray[np.bool_]


def link_ratios(
    snapshot: Snapshot,
    counts: TextCounts,
    gone: NDArray[np.bool_],
    judged: NDArray[np.bool_],
    ratio: float = 0.25,
    *,
    inner_first: bool = True,
) -> LinkRatios:
    """Find the containers with more than `ratio` linked words for each unlinked one.

    Parameters
    ----------
    snapshot
        The page.
    counts
        Its words.
    gone
        bool, shape (n,): nodes that do not count any more; whole subtrees.
    judged
        bool, shape (n,): containers.
    ratio
        Ratio of linked to unlinked words.
    inner_first
        A container is judged without the link lists in it; otherwise with them, so that a
        page with long link lists goes with them.

    Notes
    -----
    Linear in the nodes.
    """
    left = snapshot.is_text & ~gone
    linked = np.where(left, counts.link_words, 0)
    plain = np.where(left, counts.words - counts.link_words, 0)
    if inner_first:
        return _sum_outside_inner_lists(snapshot, linked, plain, judged, ratio)
    linked, plain = subtree_sums(linked, snapshot.end), subtree_sums(plain, snapshot.end)
    return LinkRatios(linked, plain, judged & (linked > ratio * plain))


def _sum_outside_inner_lists(
    snapshot: Snapshot, linked: IntArray, plain: IntArray, judged: NDArray[np.bool_], ratio: float
) -> LinkRatios:
    """Sum from the leaves up, past the containers that are link lists."""
    lists = np.zeros(len(snapshot), bool)
    for level in levels(snapshot.depth):
        lists[level] = judged[level] & (linked[level] > ratio * plain[level])
        left = level[~lists[level] & (snapshot.parent[level] >= 0)]
        np.add.at(linked, snapshot.parent[left], linked[left])
        np.add.at(plain, snapshot.parent[left], plain[left])
    return LinkRatios(linked, plain, lists)
