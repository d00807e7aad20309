"""Choose the name of the site: as declared, in the title element or in a copyright notice."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import chain
from urllib.parse import urlsplit

from ...features.words import collapse
from ...patterns import lazy_re
from ...renderer.network.origins import site_of
from ...renderer.page.snapshot import Snapshot
from .finding import Finding
from .names import is_written_as_name, name_key
from .titles import (
    MIN_TITLE_WORDS,
    SEPARATOR,
    SEPARATOR_AT_END,
    are_same_words,
    title_key,
)
from .vocabulary import words_of

# Maximum number of characters of a site's name that are read, and of one that is used.
MAX_NAME = 300
LONGEST_NAME = 90

# Before the name of a site in the title element, without spaces on Chinese and Japanese pages.
BEFORE_SITE = lazy_re(
    r" (?:[|–—―»«·•~/:>-]|--|//|::) | ?(?:[|｜»_]|::) ?|：|(?<=[\u3040-\uffef])-(?=[\u3040-\uffef])"
)

SEPARATING = frozenset("|–—―»«·•~/:>-｜_：")
"""Characters of which each of these separators has one."""

# Names of sites in title elements are not longer; longer parts are slogans or other headlines.
MAX_TITLE = 400
MAX_PART = 40
MAX_PART_WORDS = 5

# Labels that sites use as their names, and other parts of title elements.
GENERIC = words_of("generic")

# In a list of channels before the name of a Chinese or Japanese site, only the last is the site.
ENDS_AS_SITE = lazy_re(r"(?:[网網報报社]|新闻|新聞|在线|オンライン)$")
NO_SITE = lazy_re(r"\d{4}|\d[:/]\d|[,&*]|^(?i:by) ")
SMALL = frozenset(("a", "and", "de", "der", "des", "di", "du", "for", "la", "of", "the", "und"))

MARKS = "®™©"
COPYRIGHT = lazy_re(r"©|ⓒ|\([Cc]\)|[Cc]opyright")
AROUND_OWNER = lazy_re(
    r"©|ⓒ|\([Cc]\)|(?i:copyright|all rights|reserved|版权|\bby\s|\binc\b|\bllc\b|\bltd\b)|"
    r"(?:19|20)\d\d|\.(?=\s|$)|[-–—,|:·•]"
)
MAX_COPYRIGHT = 200


def choose_site_name(
    snapshot: Snapshot, title: str, findings: Mapping[str, Sequence[Finding]]
) -> tuple[str, str] | None:
    """The declared name of the site, or that in the title element or a copyright notice.

    Parameters
    ----------
    snapshot
        The page.
    title
        The headline.
    findings
        Findings by field, in descending order of weight.

    Returns
    -------
    The name and its source.
    """
    page = snapshot.page
    sections = {name_key(finding.values[0]) for finding in findings.get("section", ())}
    for finding in findings.get("site_name", ()):
        name = without_slogan(finding.values[0], page.url)
        if is_site_name(name, title, page.url, sections):
            return name, finding.source
    tags = {name_key(tag) for finding in findings.get("tags", ()) for tag in finding.values}
    if name := site_in_title(page.title, title, page.url, sections | tags):
        return name, "title element"
    name = site_in_copyright(reversed(snapshot.text), page.url)
    return (name, "copyright notice") if name else None


def without_slogan(name: str, url: str) -> str:
    """The part of a site's declared name that resembles its address; the whole name if none does.

    >>> without_slogan("All about bread | Daily Loaf", "https://news.daily-loaf.com/rye")
    'Daily Loaf'
    >>> without_slogan("https://www.daily-loaf.com", "https://www.daily-loaf.com/rye")
    'daily-loaf.com'
    """
    if named := site_of(name):
        return named
    name = SEPARATOR_AT_END.sub("", name)
    labels = _address_labels(url)
    if not labels:
        return name
    parts = [part.strip() for part in SEPARATOR.split(name[:MAX_NAME]) if part.strip()]
    # "Loaf Press | Forum" at forum.loafpress.com is "Loaf Press".
    for site in sorted(labels, key=len, reverse=True):
        for part in parts:
            if _are_alike(name_key(part), site):
                return part
    return parts[0] if len(parts) == 1 else name


def is_site_name(name: str, title: str, url: str, sections: Container[str] = ()) -> bool:
    """Whether a declared name can be that of the site, and not that of a section or the article.

    Parameters
    ----------
    name
        A declared name of the site.
    title
        The headline.
    url
        Address of the page.
    sections
        Keys (`name_key`) of declared sections.

    >>> is_site_name("Health", "Rye", "https://loaf.com/a"), is_site_name("Loaf", "Rye", "")
    (False, True)
    >>> is_site_name("Health", "Rye", "https://www.health.com/rye")
    True
    """
    key = name_key(name)
    domain, *before = _address_labels(url) or [""]
    if len(name) > LONGEST_NAME:
        return False
    if _are_alike(key, domain):
        return True
    # "Gaming" at "/gaming/news/rye" is a section.
    is_part = key in sections and (key in before or f"/{key}/" in url.casefold())
    is_title = key == name_key(title) and len(title_key(title)) > MIN_TITLE_WORDS
    return name.casefold().replace(" ", "") not in GENERIC and not is_part and not is_title


def site_in_title(whole: str, title: str, url: str, labels: Container[str] = ()) -> str | None:
    """The name of the site in the title element; None if it is uncertain.

    It is a part that resembles the address, or else the only part after the headline.

    Parameters
    ----------
    whole
        Text of the title element.
    title
        The headline.
    url
        Address of the page.
    labels
        Keys (`name_key`) of sections and tags, which are not names of sites.

    >>> site_in_title("Bread rises - Food - Daily Loaf", "Bread rises", "https://dailyloaf.com/a")
    'Daily Loaf'
    >>> site_in_title("Bread rises | The Crust", "Bread rises", "https://example.org/a")
    'The Crust'
    """
    whole = collapse(whole[:MAX_TITLE])
    barred = name_key(title)
    parts = [part for part in _parts(whole) if _is_short(part) and name_key(part) != barred]
    hosts = [*_address_labels(url), name_key((site_of(url) or "").replace(".", ""))]
    sites = [site for site in hosts if len(site) > 1 and site not in GENERIC]
    if parts and parts != [whole]:
        for place in (-1, *range(len(parts) - 1)):
            if _names_address(parts[place], sites, last=place == -1):
                return parts[place]
    after = [part for part in _after_title(whole, title) if name_key(part) not in GENERIC]
    if not after or not _is_short(after[-1]) or name_key(after[-1]) in labels:
        return None
    return after[-1] if _is_name_of_site(after[-1], alone=len(after) == 1) else None


def site_in_copyright(texts: Iterable[str], url: str) -> str | None:
    """The owner in a copyright notice that resembles the address.

    >>> site_in_copyright(["Copyright © 2024 Daily Loaf, Inc."], "https://dailyloaf.com/a")
    'Daily Loaf'
    """
    sites = [site for site in _address_labels(url) if len(site) > 2 and site not in GENERIC]
    lines = (text for text in texts if len(text) <= MAX_COPYRIGHT and COPYRIGHT.search(text))
    owners = chain.from_iterable(AROUND_OWNER.split(collapse(line)) for line in lines)
    for owner in (owner.strip(f" \"'&{MARKS}") for owner in owners):
        if _is_short(owner) and any(_begins_as(name_key(owner), site) for site in sites):
            return owner
    return None


def _address_labels(url: str) -> list[str]:
    """The name in a domain, and the labels before it, for comparison."""
    domain = site_of(url)
    if domain is None:
        return []
    before = (urlsplit(url).hostname or "").removesuffix(domain)
    return list(map(name_key, [domain.split(".")[0], *before.split(".")]))


def _are_alike(key: str, site: str) -> bool:
    return key == site or (min(len(key), len(site)) > 3 and (key in site or site in key))


def _begins_as(key: str, site: str) -> bool:
    return key == site or (len(site) > 3 and site in key and len(key) < 2 * len(site))


def _parts(whole: str) -> list[str]:
    split = [whole] if SEPARATING.isdisjoint(whole) else BEFORE_SITE.split(whole)
    stripped = (part.strip(f" {MARKS}") for part in split)
    parts = (SEPARATOR_AT_END.sub("", part) for part in stripped)
    return [part for part in parts if part]


def _is_short(part: str) -> bool:
    key = name_key(part)
    is_short = len(part) <= MAX_PART and len(part.split()) <= MAX_PART_WORDS
    return bool(key) and is_short and key not in GENERIC


def _names_address(part: str, sites: Sequence[str], *, last: bool) -> bool:
    """Whether a part of a title is the name in an address, or abbreviates it or is abbreviated."""
    key, parts = name_key(part), title_key(part)
    if key in sites:
        return True
    if not last:
        return False
    initials = {"".join(word[0] for word in parts if word not in small) for small in (SMALL, ())}
    alike = len(parts) <= 3 or is_written_as_name(part)
    return any(
        (alike and _are_alike(key, site))
        or site in initials
        or (len(site) > 3 and len(key) <= 3 * len(site) and _abbreviates(site, key))
        or (2 < len(part) < 7 and part.isupper() and _abbreviates(key, site))
        for site in sites
    )


def _abbreviates(short: str, long: str) -> bool:
    """Whether the letters of a text are in another one in the same order."""
    letters = iter(long)
    return short[:1] == long[:1] and all(letter in letters for letter in short)


def _after_title(whole: str, title: str) -> list[str]:
    """Parts of a title element after the headline; empty if that is not at its beginning."""
    key = title_key(title)
    for cut in BEFORE_SITE.finditer(whole):
        if key and are_same_words(title_key(whole[: cut.start()]), key):
            return _parts(whole[cut.end() :])
    return []


def _is_name_of_site(part: str, *, alone: bool) -> bool:
    if NO_SITE.search(part):
        return False
    if part[0].lower() != part[0].upper():
        return alone and is_written_as_name(part)
    return ENDS_AS_SITE.search(part) is not None or (alone and len(part) > 3)
