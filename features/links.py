"""Where links and images lead: absolute addresses, and whether links stay on the site."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.network.origins import site_of
from ..renderer.page.snapshot import Snapshot, cached_per_snapshot
from .short_texts import cached_if_short

MAX_BASE = 2048
NOWHERE = lazy_re(r"\s*+(?:#!?|javascript:.*|)\s*", re.IGNORECASE | re.DOTALL)
"""References of links that lead nowhere; scripts act on them, so that they are buttons."""

PATH = lazy_re("[^?#]*")

# Lazily loaded images keep their address in a separate attribute.
IMAGE_ADDRESSES = ("src", "data-src", "data-original", "data-lazy-src")


def absolute_url(snapshot: Snapshot, node: int, reference: str) -> str | None:
    """Absolute http, https or mailto address of a node's reference, else None."""
    return join_url(snapshot.frames[snapshot.frame[node]].base_url, reference)


def image_address(snapshot: Snapshot, node: int) -> str | None:
    """The http(s) address of an image; None where it has none or is embedded in the page."""
    for name in IMAGE_ADDRESSES:
        reference = snapshot.attributes.get(node, name)
        url = absolute_url(snapshot, node, reference) if reference else None
        if url and urlsplit(url).scheme != "mailto":
            return url
    return None


@cached_if_short
def join_url(base: str, reference: str) -> str | None:
    """Absolute http, https or mailto address of a reference relative to `base`, else None.

    A base of more than `MAX_BASE` characters counts as unknown: every relative link of the page
    would repeat it. As in browsers, a backslash in a path is a slash (URL Standard, 4.4).
    """
    if len(base) > MAX_BASE:
        base = ""
    if "\\" in reference:
        reference = PATH.sub(lambda path: path[0].replace("\\", "/"), reference, count=1)
    try:
        url = urljoin(base, reference.strip())
        scheme = urlsplit(url).scheme
    except ValueError:
        return None
    return url if scheme in ("http", "https", "mailto") else None


@cached_per_snapshot
def link_mask(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): anchors that lead somewhere (``a`` or ``area`` with ``href``)."""
    mask = np.zeros(len(snapshot), bool)
    mask[snapshot.attributes.nodes_with("href")[0]] = True
    return mask & snapshot.with_tag("a", "area")


def intra_site_mask(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): links to the page's registrable domain, including parts of the page."""
    mask = np.zeros(len(snapshot), bool)
    links = link_mask(snapshot)
    home = site_of(snapshot.page.url)
    for node, href in snapshot.attributes.with_attribute("href"):
        if links[node]:
            url = absolute_url(snapshot, node, href)
            mask[node] = url is not None and home is not None and site_of(url) == home
    return mask
