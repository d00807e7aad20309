"""Links of a page, and the page's rules for following them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ...patterns import lazy_re
from ...renderer.page.snapshot import Snapshot
from .normal_urls import normal_url
from .scope import Scope

FEEDS = frozenset(["application/rss+xml", "application/atom+xml"])
NAMES = ("robots", "miolo")
MAX_LINKS = 10_000  # maximum number of links read per page; real pages have a few hundred

NOT_FOLLOWED = lazy_re(r"\b(?:nofollow|none)\b", re.IGNORECASE)


def page_links(snapshot: Snapshot, *, respect_nofollow: bool = False) -> tuple[str, ...]:
    """Distinct addresses, in normal form and document order, of the pages that a page links to.

    They come from the first 10,000 links: those of ``a`` and ``area`` elements, and of ``link``
    elements with ``rel=next`` or ``prev``. Links in frames are included; each is relative to its
    own document. So are links that are not painted, because many sites link to their sections only
    in menus that open on a click. The page itself is left out; pages of other sites are included
    (see `Scope`).

    With `respect_nofollow`, links with ``rel=nofollow`` are left out, and all links of documents
    whose robots ``meta`` elements forbid following them.
    """
    is_link = _link_nodes(snapshot)
    if respect_nofollow:
        closed = {
            frame for frame, content in _robots_metas(snapshot) if NOT_FOLLOWED.search(content)
        }
        is_link &= ~np.isin(snapshot.frame, list(closed))
        for node, rel in snapshot.attributes.with_attribute("rel"):
            is_link[node] &= "nofollow" not in rel.lower().split()
    here = normal_url(snapshot.page.url)
    addresses = dict.fromkeys(islice(_addresses(snapshot, is_link), MAX_LINKS))
    return tuple(url for url in addresses if url != here)


def feed_links(snapshot: Snapshot) -> tuple[str, ...]:
    """Distinct addresses of the RSS and Atom feeds of its own site that a page names."""
    scope, is_feed = Scope(snapshot.page.url), np.zeros(len(snapshot), bool)
    attributes, links = snapshot.attributes, snapshot.with_tag("link", "a")
    for node, kind in attributes.with_attribute("type"):
        is_alternate = "alternate" in (attributes.get(node, "rel") or "").lower().split()
        is_feed[node] = is_alternate and kind.partition(";")[0].strip().lower() in FEEDS
    addresses = dict.fromkeys(_addresses(snapshot, is_feed & links & (snapshot.frame == 0)))
    return tuple(url for url in addresses if scope.holds(url))


def _link_nodes(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): which nodes link to a page."""
    is_link = snapshot.with_tag("a", "area")
    heads = snapshot.with_tag("link")
    for node, rel in snapshot.attributes.with_attribute("rel"):
        if heads[node]:
            is_link[node] = not {"next", "prev", "previous"}.isdisjoint(rel.lower().split())
    return is_link


def _addresses(snapshot: Snapshot, is_link: NDArray[np.bool_]) -> Iterator[str]:
    """Normal forms of the links of nodes; equal references in a document are resolved once."""
    nodes, values = snapshot.attributes.nodes_with("href")
    kept = is_link[nodes]
    frames = snapshot.frame[nodes[kept]].tolist()
    for frame, value in dict.fromkeys(zip(frames, values[kept].tolist(), strict=True)):
        reference = snapshot.attributes.strings[value].strip()
        # An empty reference, or a fragment, points to the page itself.
        if reference and (reference[0] != "#" or reference[1:2] in ("!", "/")):
            url = normal_url(reference, snapshot.frames[frame].base_url)
            if url is not None:
                yield url


def _robots_metas(snapshot: Snapshot) -> Iterator[tuple[int, str]]:
    """Document and content of each robots ``meta`` element."""
    metas = snapshot.with_tag("meta")
    for node, name in snapshot.attributes.with_attribute("name"):
        if metas[node] and name.strip().lower() in NAMES:
            yield int(snapshot.frame[node]), snapshot.attributes.get(node, "content") or ""
