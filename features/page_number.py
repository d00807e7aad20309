"""Page numbers in addresses: ``?page=2``, ``/story/2/``, ``story-2.html``, ``story_2``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from urllib.parse import parse_qsl, urlencode, urlsplit

__all__ = ["is_list", "numbered", "page_of", "same_stem"]

# An article has fewer pages than that; larger numbers are articles' own.
MAX_PAGES = 60

PARAMETERS = frozenset(
    "page p pg pageno page_no pagenumber pagenum seite pagina página strona sida sayfa paged part"
    " pn currpage currentpage article_page onepage".split()
)
WORD = r"(?:page|p|pg|seite|pagina|strona|sida|sayfa|part|teil)"
ENDINGS = (
    # /story/page/2, /story/page-2, /story/p2; the first page has neither.
    re.compile(rf"(?P<stem>.+?)/{WORD}[-_/]?(?P<number>\d{{1,2}})(?P<tail>/?|\.\w{{2,5}})"),
    # story-page-2.html, story,seite-2
    re.compile(rf"(?P<stem>.+?)[-_,.]{WORD}[-_]?(?P<number>\d{{1,2}})(?P<tail>/?|\.\w{{2,5}})"),
)
BARE = (
    # /story/2/, story-2.html, story_2.html, story,2.html
    re.compile(r"(?P<stem>.+?)/(?P<number>\d{1,2})(?P<tail>/?|\.\w{2,5})"),
    re.compile(r"(?P<stem>.+?)[-_,](?P<number>\d{1,2})(?P<tail>/?|\.\w{2,5})"),
)
SMALL = re.compile("[1-9][0-9]?")
TALK = re.compile(r"comment|cpage|repl(?:y|ies)", re.IGNORECASE)
# The second page of these is a second page of links.
LISTS = frozenset(
    "tag tags category categories author authors archive archives search topic topics section"
    " latest".split()
)
DATE = re.compile(r"/(?:19|20)\d\d(?:/\d{1,2}){0,2}")


def numbered(here: str, url: str, number: int) -> bool:
    """Whether an address is that of the page after page `number` at `here`.

    Both are the same but for their numbers, and the first page may have none. Pages of
    comments, of tags, categories, authors and dates are none.

    >>> numbered("https://a.org/story.html", "https://a.org/story-2.html", 1)
    True
    >>> numbered("https://a.org/story?id=4&page=2", "https://a.org/story?page=3&id=4", 2)
    True
    >>> numbered("https://a.org/2024/story", "https://a.org/2024/story-two", 1)
    False
    """
    if is_list(url, here):
        return False
    stems = {stem for stem, at in _readings(here) if at == number}
    return any(stem in stems for stem, at in _readings(url) if at == number + 1)


def is_list(url: str, here: str = "") -> bool:
    """Whether an address is of a list by tag, category, author or date, or of comments."""
    if TALK.search(url) and not TALK.search(here):
        return True
    return not LISTS.isdisjoint(urlsplit(url).path.lower().split("/")[:-1])


def same_stem(here: str, url: str) -> bool:
    """Whether two addresses differ in no more than a page number, be it known or not."""
    stems = {stem for stem, _ in _readings(here)}
    return any(stem in stems for stem, _ in _readings(url))


def page_of(here: str, others: Collection[str]) -> int:
    """Which page of an article an address is of; 1 where nothing tells.

    Parameters
    ----------
    here
        The page's address.
    others
        Addresses that the page links to. A number without a word for a page beside it is
        the page's only if the page links to its first page.
    """
    found = [(stem, number) for stem, number in _readings(here, bare=False) if number > 1]
    if found:
        return found[0][1]
    first = {stem for url in others for stem, number in _readings(url) if number == 1}
    for stem, number in _readings(here):
        if number > 1 and stem in first:
            return number
    return 1


def _readings(url: str, *, bare: bool = True) -> Iterator[tuple[str, int]]:
    """An address as a stem and a page number, in each way that it can be read."""
    try:
        parts = urlsplit(url)
        pairs = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=50)
    except ValueError:
        return
    site, query = parts.netloc.lower(), urlencode(sorted(pairs))
    yield f"{site}{_plain(parts.path)}?{query}", 1
    for place, (name, value) in enumerate(pairs):
        if name.lower() in PARAMETERS and SMALL.fullmatch(value) and int(value) <= MAX_PAGES:
            rest = urlencode(sorted(pairs[:place] + pairs[place + 1 :]))
            yield f"{site}{_plain(parts.path)}?{rest}", int(value)
    for pattern in ENDINGS + BARE if bare else ENDINGS:
        match = pattern.fullmatch(parts.path[-400:])
        if match and 0 < int(match["number"]) <= MAX_PAGES:
            stem = parts.path[:-400] + match["stem"]
            if not DATE.fullmatch(stem):
                yield f"{site}{_plain(stem)}?{query}", int(match["number"])


def _plain(path: str) -> str:
    """A path without what differs between an article's first page and the others."""
    path = re.sub(r"/(?:index|default)$", "", re.sub(r"\.[a-z]{2,5}$", "", path.rstrip("/")))
    return path.rstrip("/")
