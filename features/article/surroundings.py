"""Features of a block's surroundings: pictures, rules, neighbours, links and names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...patterns import lazy_re
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import nearest_marked, subtree_mask
from ..blocks import TextBlocks
from ..links import link_mask, site_of
from .columns import Columns
from .tokens import block_words

NAME_WORDS = 2, 4
"""Minimum and maximum number of words of a name."""

BY = frozenset("by von por par di de av door af przez от автор".split())
"""Words that precede a name in a byline."""

PICTURES = ("img", "amp-img", "video", "iframe")
"""Elements that show something without text of their own."""

FAR = 20
"""Distance in blocks beyond which a picture counts as far."""

CLIMB = 8
"""Maximum number of steps from a block up to an element that also contains a picture."""

NEAR = 3
"""Maximum distance in blocks at which a picture's alternative text is compared with a block."""

PLACES = ("here", "away", "story", "like_this")
"""Features of the targets of links."""

LONGEST = 300
"""Maximum number of characters of an address, or of an alternative text, that are read."""

STORY = lazy_re(r"-[^/-]+-[^/-]+-|\d{5}|/20\d\d/[01]?\d")
"""Path typical of a story: a slug of four words, a long number, or a month."""


def put_pictures(columns: Columns, page: TextBlocks, words: Sequence[Sequence[str]]) -> None:
    """Add features of the picture before and the picture after each block.

    They are its distance, the steps up to an element that contains both, whether it is linked, and
    the share of the block's words in its alternative text.
    """
    snapshot, first = page.snapshot, page.first
    pictures = snapshot.with_tag(*PICTURES).nonzero()[0]
    linked = subtree_mask(link_mask(snapshot), snapshot.end)
    following = np.searchsorted(pictures, first)
    for name, at in (("picture_before", following - 1), ("picture_after", following)):
        exists = (at >= 0) & (at < len(pictures))
        node = pictures[at[exists]]
        far = np.full(len(page), float(FAR))
        between = np.searchsorted(first, node) - exists.nonzero()[0]
        far[exists] = np.minimum(np.where(node < first[exists], -between, between - 1), FAR)
        up, in_link = np.full((2, len(page)), np.nan)
        up[exists] = _steps_to_common(snapshot, page.owner[exists], node)
        in_link[exists] = linked[node]
        shown = np.zeros(len(page))
        near = (far <= NEAR).nonzero()[0]
        shown[near] = _shares_shown(
            snapshot, pictures[at[near]], [words[block] for block in near.tolist()]
        )
        columns.put(name, far=far, up=up, linked=in_link, shown=shown)


def _steps_to_common(
    snapshot: Snapshot, start: NDArray[np.int32], node: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Number of steps up from each element to one that contains a node, at most `CLIMB`."""
    element, steps = start.astype(np.int64), np.zeros(len(start), np.int64)
    for _ in range(CLIMB):
        apart = (node < element) | (node >= snapshot.end[element])
        if not apart.any():
            break
        steps += apart
        element = np.where(apart, np.maximum(snapshot.parent[element], 0), element)
    return steps


def _shares_shown(
    snapshot: Snapshot, pictures: NDArray[np.intp], blocks: Sequence[Sequence[str]]
) -> list[float]:
    """The share of each block's words that occur in the alternative text of its picture."""
    nodes, values = snapshot.attributes.nodes_with("alt")
    strings = snapshot.attributes.strings
    alternative = dict(zip(nodes.tolist(), values.tolist(), strict=True))
    texts = {
        node: strings[alternative[node]][:LONGEST] if node in alternative else ""
        for node in dict.fromkeys(pictures.tolist())
    }
    sets = dict(zip(texts, map(frozenset, block_words(list(texts.values()))), strict=True))
    shown = [(sets[node], block) for node, block in zip(pictures.tolist(), blocks, strict=True)]
    return [
        sum(map(words.__contains__, block)) / max(1, len(block)) if words else 0.0
        for words, block in shown
    ]


def put_links(columns: Columns, page: TextBlocks) -> None:
    """Add the shares of each block's links that lead to each of `PLACES`.

    These are the page itself, other sites, stories, and stories of the page's site at the same
    path depth.
    """
    snapshot = page.snapshot
    link = nearest_marked(snapshot.parent, link_mask(snapshot))
    nodes = ((page.of >= 0) & (link >= 0)).nonzero()[0]
    pairs = np.sort(page.of[nodes] * np.int64(len(snapshot)) + link[nodes])
    block, link = np.divmod(pairs[np.diff(pairs, prepend=-1) > 0], len(snapshot))
    places = _places(snapshot)[link]
    count = np.bincount(block, minlength=len(page))
    shares = [
        np.bincount(block, places[:, column], len(page)) / np.maximum(count, 1)
        for column in range(len(PLACES))
    ]
    columns.put("link", **dict(zip(PLACES, shares, strict=True)))


def _places(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n, len(PLACES)): where the ``href`` of each node leads."""
    nodes, values = snapshot.attributes.nodes_with("href")
    strings = snapshot.attributes.strings
    home, own = site_of(snapshot.page.url), _host_and_path(snapshot.page.url)[1]
    codes = values.tolist()
    of = {code: _place(strings[code], home or "", own) for code in dict.fromkeys(codes)}
    places = np.zeros((len(snapshot), len(PLACES)), bool)
    places[nodes] = np.array([of[code] for code in codes], bool).reshape(-1, len(PLACES))
    return places


def _place(href: str, home: str, own: str) -> tuple[bool, ...]:
    """`PLACES` of a link, given the site and the path of its page."""
    host, path = _host_and_path(href)
    if not host and not path:
        return True, False, False, False
    is_away = bool(home and host) and host != home and not host.endswith(f".{home}")
    is_story = STORY.search(path) is not None
    is_like = is_story and not is_away and path.count("/") == own.count("/")
    return path == own and not is_away, is_away, is_story, is_like


def _host_and_path(address: str) -> tuple[str, str]:
    """Host (or an empty string) and path; faster and less exact than a full parser."""
    address = address[:LONGEST].strip().partition("#")[0].partition("?")[0]
    scheme, slashes, rest = address.partition("//")
    if not slashes or (scheme and not scheme.endswith(":")):
        return "", address
    host, slash, path = rest.partition("/")
    return host.lower(), slash + path


def put_gaps(columns: Columns, page: TextBlocks) -> None:
    """Add the steps up to an element that contains the adjacent block, and rules between them."""
    snapshot, owner, first = page.snapshot, page.owner, page.first
    rules = np.cumsum(np.append(0, snapshot.with_tag("hr")))[first]
    up_before, up_after, rule_before, rule_after = np.full((4, len(page)), np.nan)
    up_before[1:] = _steps_to_common(snapshot, owner[1:], first[:-1])
    up_after[:-1] = _steps_to_common(snapshot, owner[:-1], first[1:])
    rule_before[1:] = rule_after[:-1] = np.diff(rules) > 0
    columns.put("gap", up_before=up_before, up_after=up_after)
    columns.put("gap", rule_before=rule_before, rule_after=rule_after)


def put_names(columns: Columns, page: TextBlocks, words: Sequence[Sequence[str]]) -> None:
    """Add whether a block begins with a name, consists of one, or mentions the site's name.

    A biography begins with a name that another block, such as a byline, consists of.
    """
    least, most = NAME_WORDS
    without_by = [text[1:] if text and text[0] in BY else text for text in words]
    names = [tuple(text) if least <= len(text) <= most else () for text in without_by]
    known, begun_names = frozenset(names), set[tuple[str, ...]]()
    begins, begins_next = np.zeros((2, len(page)))
    for block, text in enumerate(words):
        if len(text) <= most + 1:
            continue
        starts = known.intersection(tuple(text[:length]) for length in range(least, most + 1))
        begun_names |= starts
        begins[block] = bool(starts)
        if block:
            begins_next[block - 1] = names[block - 1] in starts
    begun = [name in begun_names for name in names]
    site = _site_name(page.snapshot)
    folded = [text.casefold() for text in page.texts] if site else []
    mentions = [site in text for text in folded] if site else np.nan
    columns.put("name", begins=begins, begun=begun, begins_next=begins_next, of_site=mentions)


def _site_name(snapshot: Snapshot) -> str:
    """Site name that the page declares, or else the first label of its domain."""
    declared = snapshot.page.meta_value("og:site_name") or ""
    return declared.strip().casefold() or (site_of(snapshot.page.url) or "").partition(".")[0]
