"""Hints from the names of elements: words in classes, ids and roles, in groups.

Class names are written for the people who maintain a site, so they describe an element, in English
on most sites of the world. A hint is not binary: its value is the proximity of the nearest element
that gives it.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...patterns import lazy_re
from ...renderer.page.snapshot import Snapshot

__all__ = ["HINTS", "LANDMARKS", "nearness"]

HINTS: dict[str, str] = {
    "body": "article-?_?body|articlebody|story-?_?body|post-?_?body|entry-?_?content|body-?_?text"
    "|article-?_?content|post-?_?content|story-?_?content|article-?_?text|rich-?text|wysiwyg|prose"
    "|paragraph|content-?_?body|main-?_?content|articulo|artikel|texto|markdown",
    "article": "article|story|post|entry|noticia",
    "headline": "headline|title|heading|titulo|titre|hed\\b",
    "lead": "lead|lede|standfirst|\\bdek|subtitle|sub-?head|subtit|teaser-?text|intro|summary"
    "|excerpt|abstract|deck|chapo|kicker|description|entradilla",
    "kicker": "kicker|eyebrow|overline|label|topline|spitzmarke",
    "caption": "caption|legend|credit|copyright|figure|photo|image|picture|gallery|media|foto"
    "|slide|carousel",
    "video": "video|player|audio|podcast|embed|jw-",
    "byline": "byline|author|autor|bio|contributor|writer|redact|vcard|avatar",
    "date": "date|time|publish|posted|updated|meta|datum|fecha",
    "related": "related|recommend|more-|read-?next|readmore|read-more|trending|popular|most-?read"
    "|latest|also|similar|further|suggest|promo|teaser|outbrain|taboola|zergnet|dont-?miss|see-?also"
    "|inline-?link|relacion|mehr|linkbox|crosslink|upnext|recirc|top-?stor|headlines",
    "comment": "comment|disqus|reply|replies|discuss|respond|kommentar|feedback|opinion-?form",
    "share": "share|social|facebook|twitter|whatsapp|follow|sns|addthis|sharing|tweet",
    "newsletter": "newsletter|subscri|sign-?up|paywall|premium|register|regwall|piano|login"
    "|donat|member|abo\\b|offer|cta\\b|call-to",
    "advert": "\\bads?\\b|\\bad-|-ad\\b|advert|sponsor|banner|dfp|gpt|anzeige|publi|affiliate"
    "|commercial|mpu",
    "menu": "nav|menu|breadcrumb|topbar|toolbar|hamburger|crumb|tabs?\\b",
    "header": "header|masthead|branding|logo|top-",
    "footer": "footer|foot|bottom|colophon|legal|impressum",
    "side": "side-?bar|sidebar|aside|widget|rail|complementary|right-?col|secondary|module|panel",
    "tags": "tags?\\b|topic|categor|keyword|taxonom|section|rubri",
    "notice": "cookie|consent|gdpr|privacy|modal|popup|overlay|dialog|alert|notice|disclaimer"
    "|toast|tooltip",
    "unseen": "hidden|sr-only|screen-?reader|visually|skip|\\bhide|invisible|assistive|offscreen",
    "quote": "quote|zitat|blockquote|cite|pull",
    "box": "box|fact|info|note|callout|highlight|key-?point|takeaway|aside-",
    "table": "table|toc|contents|index|grid|list\\b",
    "product": "product|price|cart|shop|buy|rating|review|deal",
    "print": "print|no-?print|font-?size|tool|button|btn|control",
    "live": "live|liveblog|timeline|update",
}
"""Regular expression of each group: alternatives whose first two characters are letters or dashes.

Neither of the two is optional.
"""

LANDMARKS: dict[str, tuple[str, ...]] = {
    "nav": ("nav",),
    "header": ("header",),
    "footer": ("footer",),
    "aside": ("aside",),
    "article": ("article",),
    "main": ("main",),
    "figure": ("figure", "figcaption"),
    "table": ("table",),
    "list": ("ul", "ol", "dl"),
    "form": ("form", "fieldset", "label", "button"),
    "quote": ("blockquote", "q"),
    "section": ("section",),
    "link": ("a",),
    "dialog": ("dialog", "details"),
    "code": ("pre", "code"),
}
"""Tags that describe their content; each tag is in one group."""

_LANDMARK_BITS = {
    tag: 1 << bit for bit, tags in enumerate(LANDMARKS.values(), len(HINTS)) for tag in tags
}

NAMED = ("class", "id", "role", "itemprop", "data-testid", "data-component", "aria-label")

# Number of elements that are examined, from the block's own upwards. The name of an element farther
# up is no evidence about a block.
REACH = 16

CAMEL_CASE = lazy_re(r"(?<=[a-z])(?=[A-Z])")

LONGEST = 200
"""Maximum number of characters of a name that are read."""


def nearness(snapshot: Snapshot, owner: NDArray[np.int32]) -> NDArray[np.float32]:
    """Proximity of the nearest element that gives each hint.

    `owner`: int32, shape (b,): an element for each block.

    float32, shape (b, len(HINTS) + len(LANDMARKS)): 1 for the element itself, 1/2 for its parent,
    1/3 for the next ancestor; 0 where none of `REACH` elements gives the hint.
    """
    # The last entry is a sentinel above the root, without names and with itself as its parent.
    parent = np.append(snapshot.parent, -1)
    above = [owner]
    for _ in range(REACH - 1):
        above.append(parent[above[-1]])
    around = np.array(above)
    bits = _hint_bits(snapshot, around)[around]
    before = np.bitwise_or.accumulate(bits, axis=0)
    bits[1:] &= ~before[:-1]
    near = np.zeros((len(owner), len(HINTS) + len(LANDMARKS)), np.float32)
    level, block = np.nonzero(bits)
    place, hint = np.nonzero(_flags(bits[level, block]))
    near[block[place], hint] = 1 / (1 + level[place])
    return near


def _flags(bits: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Bits of each number, lowest first, along an additional axis."""
    flags = np.unpackbits(bits[..., None].view(np.uint8), axis=-1, bitorder="little")
    return flags.view(np.bool_)


def _hint_bits(snapshot: Snapshot, around: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Little-endian uint64, shape (n + 1,): hints of each node's tag and names.

    There is a bit for each of the hints, then one for each of the landmarks. Names are read only
    for the requested nodes. The last entry stands for no node.
    """
    of_tag = np.array([_LANDMARK_BITS.get(tag, 0) for tag in snapshot.tags], "<u8")
    hint_bits = np.append(of_tag[snapshot.tag], np.zeros(1, "<u8"))
    is_requested = np.zeros(len(snapshot) + 1, bool)
    is_requested[around] = True
    # The names of the root and its children describe the page as a whole rather than a block.
    is_requested[:-1] &= snapshot.parent > 0
    nodes, values = _naming_nodes(snapshot, is_requested)
    distinct, which = np.unique(values, return_inverse=True)
    strings = (snapshot.attributes.strings[value] for value in distinct.tolist())
    bits = np.array([_hint(name[:LONGEST]) for name in strings], "<u8")
    np.bitwise_or.at(hint_bits, nodes, bits[which])
    return hint_bits


def _naming_nodes(
    snapshot: Snapshot, is_requested: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The requested nodes and their names; a node is repeated for each of its names."""
    attributes = snapshot.attributes
    naming = np.zeros(len(attributes.strings) + 1, bool)
    naming[[code for name, code in attributes.codes.items() if name in NAMED]] = True
    nodes = np.repeat(np.arange(len(snapshot)), np.diff(attributes.start))
    rows = (naming[attributes.name] & is_requested[nodes]).nonzero()[0]
    return nodes[rows], attributes.value[rows]


def _hint(name: str) -> int:
    # No pattern spans white space, and single classes repeat more often than whole attributes, so
    # caching by word is more effective.
    hints = 0
    for word in name.split():
        hints |= _hints_of_word(word)
    return hints


@lru_cache(maxsize=1 << 16)
def _hints_of_word(word: str) -> int:
    word = CAMEL_CASE.sub("-", word).lower().replace("_", "-")
    hints, patterns = 0, _patterns()
    for place, start in enumerate(pairwise(word)):
        for bit, pattern in patterns.get(start, ()):
            if pattern.match(word, place):
                hints |= bit
    return hints


@cache
def _patterns() -> dict[tuple[str, str], list[tuple[int, re.Pattern[str]]]]:
    """The alternatives of all hints and their bits, by their first two letters."""
    patterns: dict[tuple[str, str], list[tuple[int, re.Pattern[str]]]] = {}
    for place, hint in enumerate(HINTS.values()):
        for name in hint.split("|"):
            first, second, *_ = name.removeprefix("\\b")
            patterns.setdefault((first, second), []).append((1 << place, re.compile(name)))
    return patterns
