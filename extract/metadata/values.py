"""Sections, tags and addresses of pictures: find them, and drop those that are of the site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from urllib.parse import unquote

from ...features.links import absolute_url
from ...patterns import lazy_re
from ...renderer.network.origins import host_of, site_of, split_url
from ...renderer.page.snapshot import Snapshot
from .finding import Finding, Scene, link_around, tidy
from .names import name_key
from .titles import MIN_TITLE_WORDS, SEPARATOR, title_key
from .vocabulary import vocabulary, words_of

# Longer lists are those of the whole site, and longer tags are sentences.
MAX_TAGS = 100
MAX_TAG = 60

# Separators of several tags in one value. Tags may contain those further down.
SEPARATORS = (";", "；", ",", "，", "、", "|")

# The words before a colon in the settings of publishing systems: "Type:story", "locale: US".
SETTINGS = frozenset(vocabulary()["settings"])
KIND = lazy_re(r"^(?i:category|subject|topic)s?:\s+(?=\S)")
SETTING = lazy_re(
    # "content-level:1", and addresses.
    r"[a-z][\w-]*:\S.*|www\..*|"
    # "type-news", "editors_pick".
    r"(?:channel|type)-[a-z]+|[a-z]*_[a-z_]+|"
    # Identifiers, days and times.
    r"[\d-]{5,}|\d{4}-\d\d-\d\d\s.*|\d\d?:\d\d"
)

# At least this many tags that are words of the title in its order, and this share of all tags, are
# the title itself.
MIN_WORDS = 5
MOST = 0.6
AROUND_WORD = " .,:;!?\"'“”„«»()[]‘’"

# Several sections in one value, such as "Baking,Rye" or "baking/rye". Longer values are sentences.
COMMA = lazy_re(r"\S,\S")
PATH = lazy_re(r"/?[^\W\d][\w-]*(?:[/|][\w-]+)+")
SLASH = lazy_re(r"[/|]")
MAX_SECTION = 60
MAX_DECLARED = 400

# Names of lists and of articles without a section, as keys.
NO_SECTION = words_of("no section")

# Words in the names of files: those of logos and placeholders, and those that may be beside them.
STOCK = words_of("stock pictures")
BESIDE = words_of("beside stock pictures")
NO_PICTURE = lazy_re(r"\bno (?:image|img|photo|pic|picture|thumb)\b|apple touch icon")
# "FullLogo" and "fblogo" contain two words.
JOINT = lazy_re(r"(?<=[a-z])(?=[A-Z])|(?<=[^\W_])(?=(?i:logo))|(?<=logo)(?=[a-z])")
APART = lazy_re(r"[\W_]+")
HASH = lazy_re(r"v?\d+|\d+x\d+|[\da-f]{8,}|e\d{9,}")


def clean_tags(values: Sequence[str], title: str, url: str) -> tuple[str, ...]:
    """The tags about an article; none if they are the words of its title or those of the site.

    >>> clean_tags(["#bread", "Bread", "Category: Rye", "Type:story"], "Bread rises again", "")
    ('bread', 'Rye')
    >>> clean_tags(["bread; rye flour; yeast"], "Bread rises again", "")
    ('bread', 'rye flour', 'yeast')
    """
    values = _split(values)
    if len(values) > MAX_TAGS:
        return ()
    host = host_of(url)
    barred = {host, host.removeprefix("www."), (site_of(url) or "").casefold()}
    whole = name_key(title) if len(title_key(title)) > MIN_TITLE_WORDS else None
    tags: dict[str, str] = {}
    for value in values:
        tag = KIND.sub("", value, count=1).lstrip("#＃ ").rstrip(" :;")
        tag = tag.strip('" ') if tag.count('"') == 2 else tag
        key = tag.casefold()
        if key not in barred and name_key(tag) != whole and _is_tag(tag):
            tags.setdefault(key, tag)
    return () if _are_title(list(tags), title) else tuple(tags.values())


def _split(values: Sequence[str]) -> Sequence[str]:
    """The tags in a single value that lists several."""
    if len(values) != 1:
        return values
    separator = next((each for each in SEPARATORS if each in values[0]), None)
    return [part.strip() for part in values[0].split(separator)] if separator else values


def _is_tag(tag: str) -> bool:
    if len(tag) > MAX_TAG or not any(map(str.isalnum, tag)) or SETTING.fullmatch(tag):
        return False
    before, colon, _ = tag.partition(":")
    return not colon or before.strip().casefold() not in SETTINGS


def _are_title(tags: Sequence[str], title: str) -> bool:
    """Whether most tags are single words of the title in its order."""
    places: dict[str, int] = {}
    for place, word in enumerate(title.casefold().split()):
        places.setdefault(word.strip(AROUND_WORD), place)
    found = [places[tag] for tag in (tag.strip(AROUND_WORD) for tag in tags) if tag in places]
    if len(found) < max(MIN_WORDS, MOST * len(tags)):
        return False
    backward = sum(place > following for place, following in pairwise(found))
    return backward <= 1


def clean_section(declared: str, title: str, url: str, sites: Iterable[str]) -> str | None:
    """The first of the sections that a value lists; None if it is not the name of a section.

    `title` is the headline, and names of `sites` are left out.

    >>> clean_section("Baking | Daily Loaf", "Bread rises", "", ["Daily Loaf"])
    'Baking'
    """
    if declared.count(",") > 1 or COMMA.search(declared):
        declared = declared.partition(",")[0]
    if PATH.fullmatch(declared):
        declared = SLASH.split(declared.lstrip("/"))[0]
    own = {"", *map(name_key, sites)}
    parts = [part.strip() for part in SEPARATOR.split(declared[:MAX_DECLARED])]
    section = next((part for part in parts if name_key(part) not in own), "")
    key, domain = name_key(section), site_of(url)
    is_other = (
        len(section) > MAX_SECTION
        or section.startswith(("http:", "https:", "-"))
        or not key
        or key.isdecimal()
        or key in NO_SECTION
        or (domain is not None and section.casefold().endswith(f".{domain}"))
        or key == name_key(title)
        or (len(title_key(title)) > MIN_TITLE_WORDS and key.startswith(name_key(title)))
    )
    return None if is_other else section


def is_placeholder(image: str, page: str, sites: Iterable[str]) -> bool:
    """Whether an address is that of a logo, a placeholder or a counter, or has no path.

    The name of a logo may contain words of the names of the site (`sites`).

    >>> is_placeholder("https://loaf.com/img/daily-loaf-logo.png", "", ["Daily Loaf"])
    True
    >>> is_placeholder("https://loaf.com/img/logo-design-tips.jpg", "", ["Daily Loaf"])
    False
    """
    parts = split_url(image)
    if host_of(image).endswith("statcounter.com") or not (parts.path.strip("/") or parts.query):
        return True
    name = unquote(parts.path.rstrip("/").rpartition("/")[2])[:200]
    stem = name.rpartition(".")[0] or name
    tokens = APART.sub(" ", JOINT.sub(" ", stem)).lower().split()
    stock = STOCK.intersection(tokens) or NO_PICTURE.search(" ".join(tokens))
    # "default.jpg" may be the default size of a picture.
    if not stock and not ("default" in tokens and BESIDE.intersection(tokens) - {"default"}):
        return False
    own = [name_key(site) for site in (*sites, (site_of(page) or "").partition(".")[0])]
    return all(
        token in STOCK or token in BESIDE or HASH.fullmatch(token) or any(token in o for o in own)
        for token in tokens
    )


MAX_KICKER = 30
MAX_KICKER_WORDS = 3
AROUND_KICKER = " |/»›>·•:-–—#,"

# Kickers that are no sections, as keys, and parts of addresses that sections do not have.
NO_KICKER = words_of("no kicker")
OTHER_PATHS = words_of("no section in address")


def kicker_sections(scene: Scene) -> Iterator[Finding]:
    """The section in the first kicker, if the page's address or the kicker's link confirms it.

    Other kickers are topics: "Fire in a bakery".
    """
    snapshot = scene.snapshot
    kickers = (node for block in scene.blocks if block.role == "kicker" for node in block.nodes)
    for node in kickers:
        text = tidy(snapshot.text[node]).strip(AROUND_KICKER)
        key = name_key(text)
        if not key or key == "home":
            continue
        if _is_section(snapshot, node, text):
            yield Finding("section", (text,), "kicker block", node)
        return


def _is_section(snapshot: Snapshot, node: int, text: str) -> bool:
    key = name_key(text)
    if len(text) > MAX_KICKER or len(text.split()) > MAX_KICKER_WORDS or key in NO_KICKER:
        return False
    url = snapshot.page.url
    if key in _steps(url)[:-1]:
        return True
    element = link_around(snapshot, node)
    if element is None:
        return False
    link = absolute_url(snapshot, element, snapshot.attributes.get(element, "href") or "")
    steps = _steps(link) if link and site_of(link) == site_of(url) else []
    return key in steps[-1:] and OTHER_PATHS.isdisjoint(steps)


def _steps(url: str) -> list[str]:
    """Keys of the parts of an address's path."""
    return [name_key(unquote(step)) for step in split_url(url).path.split("/") if step]
