"""The link from one page of an article to the next page of the same article.

Two kinds of evidence must coincide: an address that is the page's own except for a page number
that is one higher, and a link that is marked as next (``rel=next``, "Next page", a number in a run
of numbers).
Where the address gives no evidence, a link that names a *page* in words is sufficient.
Links to the next *article*, to older posts and to further comments do not count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl, urldefrag, urlencode, urlsplit

import numpy as np

from ..patterns import lazy_re
from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import subtree_mask
from .links import absolute_url, site_of
from .words import collapse

# Phrases that name the next page.
PAGE = lazy_re(
    r"next page|continue to page|go to next page|page suivante|nächste seite|weiter auf seite"
    r"|página siguiente|siguiente página|próxima página|página seguinte|pagina successiva"
    r"|pagina seguente|volgende pagina|następna strona|nästa sida|neste side|næste side"
    r"|seuraava sivu|další strana|sonraki sayfa|следующая страница|下一[页頁]|次のページ"
    r"|次ページ|다음 페이지|الصفحة التالية|صفحه بعد",
    re.IGNORECASE,
)
# Phrases for something next, which may be a page.
NEXT = lazy_re(
    r"next|continue(?: reading)?|suivant|suite|weiter|nächste|siguiente|seguir leyendo|próxima"
    r"|próximo|seguinte|avanti|successiva|volgende|dalej|nästa|далее|дальше|вперед|続き|次へ|次"
    r"|下页|下頁|다음|التالي|بعدی|[›»→>❯▶]+|>>",
    re.IGNORECASE,
)
# Words for something that is not the next page of this article.
OTHER = lazy_re(
    r"article|post|story|older|newer|previous|prev\b|artikel|beitrag|artículo|entrada|artigo"
    r"|articolo|статья|запись|記事|文章|上一|video|gallery|slide|chapter|comment|kommentar"
    r"|commentaire|comentario|評論|评论|コメント|last|first|letzte|erste",
    re.IGNORECASE,
)
NUMBER = lazy_re(r"\W*(?:(?:page|seite|página|pagina|strona|sida)\s+)?(\d{1,3})\W*", re.I)
COMMENTS = lazy_re(r"comment|disqus|repl(?:y|ies)|kommentar|respond", re.IGNORECASE)

# Longer texts are teasers.
MAX_TEXT = 60
MAX_ADDRESS = 2048


@dataclass(frozen=True)
class NextPage:
    """The next page of an article."""

    url: str
    """Address of the next page, without a fragment."""
    node: int
    """Node of the link in the snapshot."""
    reason: str
    """The evidence for the link."""


@dataclass(frozen=True)
class _Link:
    node: int
    url: str
    text: str
    rel: frozenset[str]
    head: bool


def next_page(snapshot: Snapshot, number: int | None = None) -> NextPage | None:
    """Find the link to the article's next page.

    `number`: Number of this page within the article, if known from the previous pages. Otherwise it
    is inferred from the address, where a number counts only with a word for a page beside it
    (``?page=2``, ``/page/2/``), or if the page links to its first page.

    Time is linear in the number of nodes. Links to other registrable domains and links among
    comments do not count. The caller must check that the linked page continues the same article.

    Returns the link with the strongest evidence; None if the page has no such link.
    """
    here = urldefrag(snapshot.page.url).url
    site = site_of(here)
    if site is None:
        return None
    parts = urlsplit(here)
    if not (parts.path.strip("/") or parts.query):
        return None  # the second page of a front page is an archive
    links = [link for link in _links(snapshot) if site_of(link.url) == site and link.url != here]
    if number is None:
        number = page_of(here, {link.url for link in links})
    best: tuple[int, NextPage] | None = None
    for link in links:
        rank, reason = _judge(link, here, number)
        if rank and (best is None or rank > best[0]):
            best = rank, NextPage(link.url, link.node, reason)
    return best[1] if best else None


def _judge(link: _Link, here: str, number: int) -> tuple[int, str]:
    """Rank of a link, 0 if it is rejected, and the reason."""
    number_match = NUMBER.fullmatch(link.text)
    shown_number = int(number_match.group(1)) if number_match else None
    other = OTHER.search(link.text) is not None or "prev" in link.rel
    if is_page_number(here, link.url, number):
        step = f"page {number + 1} according to its address"
        if "next" in link.rel and not other:
            return (4 if link.head else 6), f"rel=next, {step}"
        if PAGE.search(link.text) or (NEXT.match(link.text) and not other):
            return 5, f"“{link.text}”, {step}"
        if shown_number == number + 1:
            return 3, f"“{link.text}”, {step}"
        return 0, ""
    if (
        shown_number is None
        and not other
        and PAGE.search(link.text)
        and _is_in_folder(here, link.url)
    ):
        return (2 if "next" in link.rel else 1), f"“{link.text}”"
    return 0, ""


def _is_in_folder(here: str, url: str) -> bool:
    """Whether an address without a number is in the page's folder and is not a list."""
    if is_list(url) or same_stem(here, url):
        return False
    own, other = urlsplit(here), urlsplit(url)
    folder = own.path.rpartition("/")[0]
    return own.netloc == other.netloc and bool(folder) and other.path.startswith(f"{folder}/")


def _links(snapshot: Snapshot) -> Iterator[_Link]:
    """Links of the page outside its comments."""
    talk = np.zeros(len(snapshot), bool)
    for name in ("id", "class"):
        for node, value in snapshot.attributes.with_attribute(name):
            talk[node] |= COMMENTS.search(value[:200]) is not None
    # A theme may mark the body itself when comments are open.
    talk &= ~snapshot.with_tag("html", "body", "main", "article")
    inside = subtree_mask(talk, snapshot.end)
    anchors = snapshot.with_tag("a", "area", "link")
    heads = snapshot.with_tag("link")
    for node, href in snapshot.attributes.with_attribute("href"):
        if not anchors[node] or inside[node]:
            continue
        url = absolute_url(snapshot, node, href)
        rel = frozenset((snapshot.attributes.get(node, "rel") or "").lower().split())
        if url is None or len(url) > MAX_ADDRESS or (heads[node] and "next" not in rel):
            continue
        yield _Link(node, urldefrag(url).url, _link_text(snapshot, node), rel, bool(heads[node]))


def _link_text(snapshot: Snapshot, node: int) -> str:
    """A link's text, or else its label or title; empty if it is too long."""
    texts = snapshot.text[node : min(int(snapshot.end[node]), node + 50)]
    for text in ("".join(texts), *map(snapshot.attributes.of(node).get, ("aria-label", "title"))):
        if text and (line := collapse(text)):
            return line if len(line) <= MAX_TEXT else ""
    return ""


# Page numbers in addresses: ``?page=2``, ``/story/2/``, ``story-2.html``, ``story_2``.

# No article has more pages than this; larger numbers identify articles.
MAX_PAGES = 60

PARAMETERS = frozenset(
    "page p pg pageno page_no pagenumber pagenum seite pagina página strona sida sayfa paged part"
    " pn currpage currentpage article_page onepage".split()
)
WORD = r"(?:page|p|pg|seite|pagina|strona|sida|sayfa|part|teil)"
ENDINGS = (
    # /story/page/2, /story/page-2, /story/p2; the first page has neither.
    lazy_re(rf"\A(?P<stem>.+?)/{WORD}[-_/]?(?P<number>\d{{1,2}})(?P<tail>/?|\.\w{{2,5}})"),
    # story-page-2.html, story,seite-2
    lazy_re(rf"\A(?P<stem>.+?)[-_,.]{WORD}[-_]?(?P<number>\d{{1,2}})(?P<tail>/?|\.\w{{2,5}})"),
)
BARE = (
    # /story/2/, story-2.html, story_2.html, story,2.html
    lazy_re(r"\A(?P<stem>.+?)/(?P<number>\d{1,2})(?P<tail>/?|\.\w{2,5})"),
    lazy_re(r"\A(?P<stem>.+?)[-_,](?P<number>\d{1,2})(?P<tail>/?|\.\w{2,5})"),
)
SMALL = lazy_re("[1-9][0-9]?")
TALK = lazy_re(r"comment|cpage|repl(?:y|ies)", re.IGNORECASE)
# Folders of lists, whose second page is another page of links.
LISTS = frozenset(
    "tag tags category categories author authors archive archives search topic topics section"
    " latest".split()
)
DATE = lazy_re(r"/(?:19|20)\d\d(?:/\d{1,2}){0,2}")


def is_page_number(here: str, url: str, number: int) -> bool:
    """Whether `url` is the address of the page that follows page `number` at `here`.

    The two addresses are equal except for their page numbers, which the first page may lack. Pages
    of comments, tags, categories, authors and dates do not count.

    >>> is_page_number("https://a.org/story.html", "https://a.org/story-2.html", 1)
    True
    >>> is_page_number("https://a.org/story?id=4&page=2", "https://a.org/story?page=3&id=4", 2)
    True
    >>> is_page_number("https://a.org/2024/story", "https://a.org/2024/story-two", 1)
    False
    """
    if is_list(url, here):
        return False
    stems = {stem for stem, at in _readings(here) if at == number}
    return any(stem in stems for stem, at in _readings(url) if at == number + 1)


def is_list(url: str, here: str = "") -> bool:
    """Whether an address is that of comments, or of a list by tag, category, author or date."""
    if TALK.search(url) and not TALK.search(here):
        return True
    return not LISTS.isdisjoint(urlsplit(url).path.lower().split("/")[:-1])


def same_stem(here: str, url: str) -> bool:
    """Whether two addresses differ in at most a page number, whatever the numbers are."""
    stems = {stem for stem, _ in _readings(here)}
    return any(stem in stems for stem, _ in _readings(url))


def page_of(here: str, others: Collection[str]) -> int:
    """Number of the page of an article that an address belongs to; 1 without evidence.

    `others`: Addresses that the page links to. A number without a word for a page beside it is a
    page number only if the page links to its first page.
    """
    readings = [(stem, number) for stem, number in _readings(here, bare=False) if number > 1]
    if readings:
        return readings[0][1]
    first = {stem for url in others for stem, number in _readings(url) if number == 1}
    for stem, number in _readings(here):
        if number > 1 and stem in first:
            return number
    return 1


def _readings(url: str, *, bare: bool = True) -> Iterator[tuple[str, int]]:
    """Each way to read an address as a stem and a page number."""
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
    """A path without the parts that differ between an article's first page and the others."""
    path = re.sub(r"/(?:index|default)$", "", re.sub(r"\.[a-z]{2,5}$", "", path.rstrip("/")))
    return path.rstrip("/")
