"""The name of the site: as declared, in the title element or in a copyright notice.

A name that resembles the site's address outweighs others of its source.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from ...features.words import collapse
from ...patterns import lazy_re
from ...renderer.network.origins import site_of
from ...renderer.page.snapshot import Snapshot
from .finding import Finding
from .names import is_written_as_name, name_key
from .titles import MIN_TITLE_WORDS, SEPARATOR, SEPARATOR_AT_END, are_same_words, title_key
from .vocabulary import words_of

# Maximum number of characters of a title element or a site's name that are read, and of a declared
# name that is used.
MAX_READ = 400
LONGEST_NAME = 90

# Names of sites in title elements are not longer; longer parts are slogans or other headlines.
MAX_PART = 40
MAX_PART_WORDS = 5

# Labels that sites use as their names, and other parts of title elements.
GENERIC = words_of("generic")

# In a list of channels before the name of a Chinese or Japanese site, only the last is the site.
ENDS_AS_SITE = lazy_re(r"(?:[网網報报社]|新闻|新聞|在线|オンライン)$")
NO_SITE = lazy_re(r"\d{4}|\d[:/]\d|[,&*]|^(?i:by) ")

MARKS = " ®™©"
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

    `title` is the headline, and the findings of each field are in descending order of weight. The
    second value is the source.
    """
    url, whole = snapshot.page.url, snapshot.page.title
    sections, tags = (
        {name_key(value) for finding in findings.get(field, ()) for value in finding.values}
        for field in ("section", "tags")
    )
    for finding in findings.get("site_name", ()):
        name = without_slogan(finding.values[0], url)
        if is_site_name(name, title, url, sections):
            return name, finding.place
    if name := site_in_title(whole, title, url, sections | tags):
        return name, "title element"
    name = site_in_copyright(reversed(snapshot.text), url)
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
    parts = _parts(name)
    # "Loaf Press | Forum" at forum.loafpress.com is "Loaf Press".
    sites = sorted(_address_labels(url), key=len, reverse=True)
    own = (part for site in sites for part in parts if _are_alike(name_key(part), site))
    return next(own, parts[0] if len(parts) == 1 else SEPARATOR_AT_END.sub("", name))


def is_site_name(name: str, title: str, url: str, sections: Container[str] = ()) -> bool:
    """Whether a declared name can be that of the site, and not that of a section or the article.

    `sections` are keys (`name_key`) of declared sections.

    >>> is_site_name("Health", "Rye", "https://loaf.com/a"), is_site_name("Loaf", "Rye", "")
    (False, True)
    >>> is_site_name("Health", "Rye", "https://www.health.com/rye")
    True
    """
    key = name_key(name)
    if len(name) > LONGEST_NAME or any(_are_alike(key, site) for site in _address_labels(url)[:1]):
        return len(name) <= LONGEST_NAME
    # "Gaming" at "/gaming/news/rye" is a section.
    is_part = key in sections and key in map(name_key, url.split("/"))
    is_title = key == name_key(title) and len(title_key(title)) > MIN_TITLE_WORDS
    return name.casefold().replace(" ", "") not in GENERIC and not is_part and not is_title


def site_in_title(whole: str, title: str, url: str, labels: Container[str] = ()) -> str | None:
    """The name of the site in the title element; None if it is uncertain.

    It is a part that resembles the address, or else the only part after the headline. `labels` are
    keys (`name_key`) of sections and tags, which are not names of sites.

    >>> site_in_title("Bread rises - Food - Daily Loaf", "Bread rises", "https://dailyloaf.com/a")
    'Daily Loaf'
    >>> site_in_title("Bread rises | The Crust", "Bread rises", "https://example.org/a")
    'The Crust'
    """
    whole = collapse(whole)
    parts = [part for part in _parts(whole) if _is_short(part) and part != whole]
    barred, sites = name_key(title), _specific(url)
    for part in reversed(parts):
        is_last = part == parts[-1]
        if name_key(part) != barred and any(_resembles(part, site, is_last) for site in sites):
            return part
    after = [
        part for part in _after_title(whole, title_key(title)) if name_key(part) not in GENERIC
    ]
    if not after or not _is_short(after[-1]) or name_key(after[-1]) in labels:
        return None
    part, alone = after[-1], len(after) == 1
    if NO_SITE.search(part):
        return None
    has_capitals = part[0].lower() != part[0].upper()
    is_named = is_written_as_name(part) if has_capitals else len(part) > 3
    is_site = (alone and is_named) or ENDS_AS_SITE.search(part) is not None
    return part if is_site else None


def site_in_copyright(texts: Iterable[str], url: str) -> str | None:
    """The owner in a copyright notice that resembles the address.

    >>> site_in_copyright(["Copyright © 2024 Daily Loaf, Inc."], "https://dailyloaf.com/a")
    'Daily Loaf'
    """
    sites = [site for site in _specific(url) if len(site) > 2]
    lines = (text for text in texts if len(text) <= MAX_COPYRIGHT and COPYRIGHT.search(text))
    owners = (part for line in lines for part in AROUND_OWNER.split(collapse(line)))
    for owner in (owner.strip(f"\"'&{MARKS}") for owner in owners):
        key = name_key(owner)
        begins = (key == site or (len(site) > 3 and site in key) for site in sites)
        if _is_short(owner) and any(begins) and len(key) < 2 * max(map(len, sites)):
            return owner
    return None


def _address_labels(url: str) -> list[str]:
    """The name in a domain, and the labels before it, for comparison."""
    domain = site_of(url)
    if domain is None:
        return []
    before = (urlsplit(url).hostname or "").removesuffix(domain)
    return list(map(name_key, [domain.split(".")[0], *before.split(".")]))


def _specific(url: str) -> list[str]:
    """Names in an address that are not labels such as "news", and the domain."""
    names = [*_address_labels(url), name_key((site_of(url) or "").replace(".", ""))]
    return [name for name in names if len(name) > 1 and name not in GENERIC]


def _are_alike(key: str, site: str) -> bool:
    return key == site or (min(len(key), len(site)) > 3 and (key in site or site in key))


def _resembles(part: str, site: str, is_last: bool) -> bool:
    """Whether a part of a title is a name in an address; the last part may be similar to one."""
    key = name_key(part)
    if key == site or not is_last:
        return key == site
    small, large = sorted((key, site), key=len)
    is_name = len(part.split()) <= 3 or is_written_as_name(part)
    initials = "".join(word[0] for word in title_key(part))
    return (
        (is_name and _are_alike(key, site))
        or site == initials
        or (len(small) > 2 and len(large) <= 3 * len(site) and _abbreviates(small, large))
    )


def _abbreviates(short: str, long: str) -> bool:
    """Whether the letters of a text are in another one in the same order."""
    letters = iter(long)
    return short[:1] == long[:1] and all(letter in letters for letter in short)


def _parts(whole: str) -> list[str]:
    """The parts of a title or a name between separators."""
    parts = (part.strip(MARKS) for part in SEPARATOR.split(whole[:MAX_READ]))
    return [part for part in (SEPARATOR_AT_END.sub("", part) for part in parts) if part]


def _after_title(whole: str, key: tuple[str, ...]) -> list[str]:
    """Parts of a title element after the headline; empty if that is not at its beginning."""
    for cut in SEPARATOR.finditer(whole[:MAX_READ]):
        if key and are_same_words(title_key(whole[: cut.start()]), key):
            return _parts(whole[cut.end() :])
    return []


def _is_short(part: str) -> bool:
    key = name_key(part)
    is_short = len(part) <= MAX_PART and len(part.split()) <= MAX_PART_WORDS
    return bool(key) and is_short and key not in GENERIC
