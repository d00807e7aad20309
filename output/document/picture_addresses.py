"""Addresses of pictures and of embedded content from other sites."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote, urlsplit

from ...features.ad_hosts import AD_HOSTS, is_listed
from ...features.links import join_url
from ...features.words import collapse
from ...patterns import lazy_re
from ...renderer.network.origins import split_url
from ...renderer.page.emails import mail_address
from .document import Embed
from .nodes import Nodes

# Lazily loaded pictures keep their address in an attribute of their own.
LAZY = (
    "data-src", "data-original", "data-lazy-src", "data-lazy", "data-lazyload", "data-actualsrc",
    "data-dt-lazy-src", "data-echo", "data-cfsrc", "data-delayed-url", "data-img-src",
    "data-flickity-lazyload", "data-layzr", "data-ezsrc", "data-wpfc-original-src",
    "data-delay-src",
)  # fmt: skip
# Attributes in which some scripts keep addresses of other things than pictures.
LAZY_IF_PICTURE = ("data-url", "data-image", "data-img-url", "data-hi-res-src")
PICTURE = lazy_re(r"\.(?:jpe?g|png|gif|webp|avif|svg)(?:[?#]|$)", re.IGNORECASE)
FILE_NAME = lazy_re(r"\S{1,200}\.(?:jpe?g|png|gif|webp)", re.IGNORECASE)
ENTITY = lazy_re(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,30}\d{0,2});", re.IGNORECASE)
CLOSING_TAG = lazy_re(r"</[a-z]|<br\b", re.IGNORECASE)
LINE_TAG = lazy_re(r"</?(?:br|p|div|li|ul|h[1-6])\b[^<>]*+>", re.IGNORECASE)
TAG = lazy_re(r"</?[a-z][^<>]*+>", re.IGNORECASE)
SETS = ("data-srcset", "data-lazy-srcset", "srcset")
# Parameters that name a picture if the path of its address does not. Others scale or convert it.
NAMING = frozenset("src url img image file filename path name photo pic id guid uuid".split())
# Some scripts keep the HTML of an embed or JSON in attributes for addresses.
FOR_SCRIPT = lazy_re(r"\s*+[<{[]")
# A value of `src` that has the syntax of `srcset`.
SET = lazy_re(r"\s*+\S++\s++[0-9.]++[wx]\s*+,")

# A browser would look for these in the folder of the page, where there is no such file.
WITHOUT_SCHEME = lazy_re(
    r"(?:www\.[\w-]+(?:\.[\w-]+)+|(?:[\w-]+\.)+(?:com|org|net|edu|gov|github\.io))(?:[/?#]|$)",
    re.IGNORECASE,
)
SPACER = lazy_re(
    r"(?:(?:^|[/_-])(?:spacer|blank|clear|clearpixel|pixel|transparent|shim|1x1|dot_clear|trans"
    r"|placeholder)|/(?:ajax-?)?(?:loading|loader)|/empty)(?:[._-]?[0-9a-fx]*)\.(?:gif|png|svg)$",
    re.IGNORECASE,
)
# Folders of a site's design, and the words for buttons by which icons are named.
DESIGN = lazy_re(r"/(themes?|plugins|(?:social-)?icons?|static|assets)/", re.IGNORECASE)
# Those of these folders that may also hold pictures of the content. A PNG of unknown size in one of
# them is an icon only in a link.
CONTENT = ("static", "assets")
# Number of elements around a picture among which its link is looked for.
MAX_AROUND = 3
ICON = lazy_re(
    r"(?:^print(?:er)?|(?<![^\W_])(?:e?-?mail|share|facebook|fb|twitter|zoom-in|loading|bookmark"
    r"|close(?!-up)))(?![^\W_])",
    re.IGNORECASE,
)
ICON_FORMATS = (".svg", ".png", ".gif")
# A picture of that name whose shorter side is longer may be what the text is about.
ICON_PX = 100
SIZE = lazy_re(r"\s*+(\d{1,5})\s*+(?:px\s*+)?")
# A picture that readers are meant to see is larger. One without alternative text that is as flat as
# a rule or a bullet is decoration.
SPACER_PX = 2
FLAT_PX = 10
# A picture that stands for another until that has come is smaller, and has its shape but for whole
# px.
STAND_IN_PX, SHAPE_PX, UNKNOWN_PX = 64, 2, 1 << 20
WIDTH = lazy_re(r"(?<!\d)\d{2,4}(?!\d)")
STYLED_SIZE = lazy_re(r"(?:^|[\s;])(?:width|height)\s*:", re.IGNORECASE)
MAX_CANDIDATES = 50
MAX_SOURCES = 20

# An address within the parameters of another one.
ADDRESS = lazy_re(r"https?://([^/?#\s&]{1,253})(/[^?#\s&]*+)?", re.IGNORECASE)
MAX_PARAMETERS = 2000

# Hosts of advertisements, counters, buttons and portraits of users.
OTHER_HOSTS = frozenset(
    (*AD_HOSTS, "cdn.printfriendly.com", "ezodn.com", "gravatar.com", "pixel.wp.com",
     "quantserve.com", "scorecardresearch.com", "statcounter.com")
)  # fmt: skip

# Classes that WordPress, Twemoji and Discourse give to pictures of single characters.
EMOJI = frozenset(("emoji", "wp-smiley", "twemoji"))
# What forums replace by pictures, such as `:-)` and `:coffee:`.
EMOTICON = lazy_re(r":[a-z][\w+-]*:|[:;=]['^-]?[][()dpox3|/?*]", re.IGNORECASE)
MAX_EMOJI = 16
SIGNS = frozenset(("So", "Sk", "Mn", "Me", "Cf"))
"""Unicode categories of emoji and of the signs that modify them."""


def link_address(nodes: Nodes, node: int, name: str = "href") -> str | None:
    """An attribute of a node as an absolute http, https or mailto address, or None."""
    reference = mail_address(nodes.get(node, name), nodes.get(node, "data-cfemail"))
    return _absolute(nodes, node, reference)


def _absolute(nodes: Nodes, node: int, reference: str) -> str | None:
    reference = reference.strip()
    if not reference:
        return None
    if WITHOUT_SCHEME.match(reference):
        reference = f"https://{reference}"
    return join_url(nodes.base(node), reference)


def is_share_link(url: str, page: str) -> bool:
    """Whether a link shares a page: by an e-mail to nobody yet, or on a site that gets its address.

    A saved copy has another host than the address in its links, so that the path alone counts.
    """
    if url.startswith("mailto:?"):
        return True
    parameters = unquote(url.partition("?")[2][:MAX_PARAMETERS])
    own = ADDRESS.match(page)
    if own is None or "://" not in parameters:
        return False
    host, path = own[1].lower(), (own[2] or "").rstrip("/")
    shared = ADDRESS.finditer(unquote(parameters))
    return any(
        (each[2] or "").rstrip("/") == path and (path or each[1].lower() == host) for each in shared
    )


def is_site_root(url: str, page: str) -> bool:
    """Whether a link from a page leads to the root of its site, and the page is not that root."""
    root = "/".join(page.split("/")[:3])
    return url.partition("#")[0].rstrip("/") == root != page.partition("#")[0].rstrip("/")


def emoji_of(nodes: Nodes, node: int) -> str:
    """The characters that a picture stands for, or the empty string."""
    alt = nodes.get(node, "alt").strip()
    if len(alt) > MAX_EMOJI:
        return ""
    is_emoji = all(unicodedata.category(each) in SIGNS for each in alt) or EMOTICON.fullmatch(alt)
    return alt if is_emoji or not EMOJI.isdisjoint(nodes.classes(node)) else ""


def picture_address(nodes: Nodes, node: int) -> str | None:
    """Address of a picture; None for spacers, icons, advertisements, counters and portraits."""
    if _is_spacer(nodes, node):
        return None
    for reference in _references(nodes, node):
        if FOR_SCRIPT.match(reference):
            continue
        url = _absolute(nodes, node, reference)
        if not url or not url.startswith("http"):
            continue
        parts = urlsplit(url)
        shows = not SPACER.search(parts.path) and not is_listed(parts.hostname or "", OTHER_HOSTS)
        if shows and not _is_icon(nodes, node, url):
            return url
    return None


def bare_address(url: str) -> str:
    """Address of a picture without what only determines its size and its format."""
    address, _, query = url.partition("?")
    if PICTURE.search(address):
        return address.removesuffix(".webp")
    names = (each for each in query.split("&") if each.partition("=")[0].lower() in NAMING)
    return "?".join((address, *names))


def smaller_copy(nodes: Nodes, pictures: tuple[int, int], urls: tuple[str, str]) -> int:
    """The one of two neighbouring pictures that stands for the other until it has come; 0 if none.

    It declares a small size of the same shape as that of the other, or has the same file name.
    """
    first, second = pictures
    sizes = {node: _declared_sizes(nodes, node) for node in pictures}
    small = min(sizes, key=lambda node: max(sizes[node], default=UNKNOWN_PX))
    large = first if small == second else second
    if len(sizes[small]) < 2 or max(sizes[small]) > STAND_IN_PX or 0 in sizes[small]:
        return 0
    if _file_name(urls[0]) == _file_name(urls[1]) != "" and not sizes[large]:
        return small
    if len(sizes[large]) < 2 or max(sizes[large]) <= 2 * STAND_IN_PX:
        return 0
    (w, h), (wide, high) = sizes[small], sizes[large]
    return small if abs(w * high - wide * h) <= max(wide, high) * SHAPE_PX else 0


def largest_number(url: str) -> int:
    """The largest number in an address, which may be the width of a picture."""
    return max((int(number) for number in WIDTH.findall(url)), default=0)


def _file_name(url: str) -> str:
    return urlsplit(url).path.rpartition("/")[2]


def alternative_text(nodes: Nodes, node: int) -> str:
    """Alternative text of a picture without markup; the empty string if it is a file name."""
    alt = nodes.get(node, "alt")
    # It may be escaped twice, or the HTML of a caption. A single tag may be what the picture shows.
    if ENTITY.search(alt):
        alt = unescape(alt)
    if CLOSING_TAG.search(alt):
        alt = TAG.sub("", LINE_TAG.sub(" ", alt))
    alt = collapse(alt)
    return "" if FILE_NAME.fullmatch(alt) else alt


def _is_icon(nodes: Nodes, node: int, url: str) -> bool:
    """Whether a picture is an icon of the site's design, such as of a button."""
    shortest = float(nodes.boxes[node, 2:].min()) or min(_declared_sizes(nodes, node), default=0)
    if shortest > ICON_PX:
        return False
    folder, _, name = urlsplit(url).path.rpartition("/")
    stem, point, suffix = name.rpartition(".")
    is_named = f"{point}{suffix}".lower() in ICON_FORMATS and ICON.search(stem) is not None
    design = DESIGN.search(f"{folder}/") if is_named else None
    if design is None:
        return False
    may_be_content = not shortest and suffix.lower() == "png" and design[1].lower() in CONTENT
    return not may_be_content or _is_linked(nodes, node, url)


def _is_linked(nodes: Nodes, node: int, url: str) -> bool:
    """Whether a picture is in a link that leads to anything but the picture itself."""
    around = nodes.around(node, MAX_AROUND)
    link = next((each for each in around if nodes.tags[each] == "a"), None)
    return link is not None and bare_address(link_address(nodes, link) or "") != bare_address(url)


def _declared_sizes(nodes: Nodes, node: int) -> list[int]:
    """Width and height that a picture declares, in CSS px."""
    matches = (SIZE.fullmatch(nodes.get(node, name)) for name in ("width", "height"))
    return [int(match[1]) for match in matches if match]


def _references(nodes: Nodes, node: int) -> Iterator[str]:
    """Possible addresses of a picture, the most likely first."""
    yield from (nodes.get(node, name) for name in LAZY)
    named = (nodes.get(node, name) for name in LAZY_IF_PICTURE)
    yield from (value for value in named if PICTURE.search(value))
    *unloaded, loaded = SETS
    yield from (_largest(nodes.get(node, name)) for name in unloaded)
    source = nodes.get(node, "src")
    yield _largest(source) if SET.match(source) else source
    yield _largest(nodes.get(node, loaded))
    yield from (_largest(nodes.get(each, name)) for each in _sources(nodes, node) for name in SETS)


def _sources(nodes: Nodes, image: int) -> list[int]:
    """The `source` elements of the `picture` around an `img`, those for small screens last."""
    around = nodes.parents[image]
    # Some parsers do not close `source` elements where HTML does.
    for _ in range(MAX_SOURCES):
        if around >= 0 and nodes.tags[around] == "source":
            around = nodes.parents[around]
    if around < 0 or nodes.tags[around] != "picture":
        return []
    sources = range(around + 1, min(image, around + MAX_SOURCES))
    return sorted(sources, key=lambda source: "max-width" in nodes.get(source, "media"))


def _is_spacer(nodes: Nodes, node: int) -> bool:
    is_lazy = any(nodes.has(node, name) for name in LAZY)
    shortest = float(nodes.boxes[node, 2:].min())
    if 0 < shortest <= SPACER_PX:
        # A picture embedded in the page, whose size the box has, will be replaced by another.
        is_embedded = nodes.get(node, "src").startswith("data:")
        return not (is_lazy and is_embedded and not STYLED_SIZE.search(nodes.get(node, "style")))
    if is_lazy:
        return False
    if 0 < shortest <= FLAT_PX and not nodes.get(node, "alt").strip():
        return True
    return any(size <= SPACER_PX for size in _declared_sizes(nodes, node))


def _largest(candidates: str) -> str:
    """The largest picture of a ``srcset``."""
    if FOR_SCRIPT.match(candidates):
        return ""
    best, size = "", -1.0
    for address, described in _candidates(candidates):
        try:
            wide = float(described[:-1]) if described else 1.0
        except ValueError:
            continue
        if wide > size:
            best, size = address, wide
    return best


def _candidates(candidates: str) -> Iterator[tuple[str, str]]:
    """Addresses of a ``srcset`` with their descriptors; an address may contain commas."""
    address = ""
    for word in candidates.split()[: 2 * MAX_CANDIDATES]:
        if address:
            described, comma, following = word.partition(",")
            yield address, described
            # The next address may follow without a space. More than one descriptor is invalid.
            address = following if comma else ""
        elif word.endswith(","):
            yield word.rstrip(","), ""
        elif word.lstrip(","):
            address = word.lstrip(",")
    if address:
        yield address, ""


# Embedded players of other sites, by host, path and query, with the page that shows the same.
PLAYERS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy_re(pattern), page)
    for pattern, page in (
        (
            r"(?:www\.)?youtube(?:-nocookie)?\.com/(?:embed|v)/([\w-]{5,20})",
            "https://www.youtube.com/watch?v={}",
        ),
        (r"player\.vimeo\.com/video/(\d+)", "https://vimeo.com/{}"),
        (r"(?:www\.)?dailymotion\.com/embed/video/(\w+)", "https://www.dailymotion.com/video/{}"),
        (r"open\.spotify\.com/embed/(\w+/\w+)", "https://open.spotify.com/{}"),
        (r"(?:www\.)?instagram\.com/(p/[\w-]+)/embed", "https://www.instagram.com/{}/"),
        (r"(?:www\.)?tiktok\.com/embed/(?:v\d/)?(\d+)", "https://www.tiktok.com/embed/{}"),
        (
            r"(?:www\.)?ted\.com/talks/|embed\.ted\.com/talks/([\w/-]+)",
            "https://www.ted.com/talks/{}",
        ),
        (r"codepen\.io/(\w+)/embed/(?:preview/)?(\w+)", "https://codepen.io/{}/pen/{}"),
        # Mastodon instances may have any host.
        (r"([\w.-]{1,200})/(@\w{1,60})/(\d{1,40})/embed(?:\?|$)", "https://{}/{}/{}"),
        (r"(?:www\.)?loom\.com/embed/(\w+)", "https://www.loom.com/share/{}"),
        # The post that a parameter names.
        (
            r"platform\.twitter\.com/embed/Tweet\.html\?(?:[^&]*&)*?id=(\d{1,30})(?:&|$)",
            "https://twitter.com/i/status/{}",
        ),
        (
            r"(?:\w{1,40}\.)?facebook\.com/(?:v[\d.]+/)?plugins/(?:post|video)\.php\?(?:[^&]*&)*?"
            r"href=(https(?::|%3A)(?://|%2F%2F)(?:\w{1,40}\.)?facebook\.com(?:/|%2F)[^&\s]*)",
            "{}",
        ),
    )
)
OTHER_PLAYERS = lazy_re(
    r"(?:^|\.)(?:youtube\.com|youtube-nocookie\.com|vimeo\.com|dailymotion\.com|spotify\.com|"
    r"soundcloud\.com|bandcamp\.com|instagram\.com|facebook\.com|twitter\.com|x\.com|tiktok\.com|"
    r"reddit\.com|redditmedia\.com|twitch\.tv|ted\.com|codepen\.io|jsfiddle\.net|loom\.com|wistia\.net|"
    r"bilibili\.com|rutube\.ru|streamable\.com|giphy\.com|datawrapper\.de|dwcdn\.net|"
    r"bsky\.app|archive\.org|slideshare\.net|speakerdeck\.com|observablehq\.com)$"
)
# Other frames of these sites show buttons to like, share and follow.
BUTTONS = lazy_re(r"platform\.twitter\.com/|(?:\w{1,40}\.)?facebook\.com/(?:v[\d.]+/)?plugins/")

WRITTEN = frozenset(("embed",))


def find_embeds(nodes: Nodes) -> list[int]:
    """Paragraphs of one link that stand for an embed, as our own HTML has them."""
    return [
        node
        for node in nodes.with_class(WRITTEN)
        if nodes.tags[node] == "p"
        and nodes.tags[node + 1 : node + 2] == ("a",)
        and nodes.end[node + 1] == nodes.end[node]
    ]


def embed_of(nodes: Nodes, node: int) -> Embed | None:
    """The video, recording or post that an element shows; None if it shows none."""
    tag = nodes.tags[node]
    if tag == "p":
        link = nodes.first(node, "a")
        url = None if link is None else link_address(nodes, link)
        return Embed(url, collapse(nodes.text_of(node, 300))) if url else None
    title = collapse(nodes.get(node, "title"))[:300]
    if tag == "lite-youtube":
        name = nodes.get(node, "videoid")
        match = re.fullmatch(r"[\w-]{5,20}", name)
        return (
            Embed(f"https://www.youtube.com/watch?v={name}", title or "YouTube") if match else None
        )
    url = _media_address(nodes, node)
    if url is None or not url.startswith("http"):
        return None
    if tag in ("video", "audio"):
        return Embed(url, title or urlsplit(url).path.rpartition("/")[2] or tag)
    parts = split_url(url)
    host = parts.hostname or ""
    place = f"{host}{parts.path}"
    page = _page_of(f"{place}?{parts.query[:MAX_PARAMETERS]}")
    if page is None and (BUTTONS.match(place) or not OTHER_PLAYERS.search(host)):
        return None
    shown = page or url
    return Embed(shown, title or (urlsplit(shown).hostname or "").removeprefix("www."))


def _media_address(nodes: Nodes, node: int) -> str | None:
    """Address of an element's own content, or of the first `source` in it."""
    sources = [i for i in nodes.subtree(node) if nodes.tags[i] == "source"][:1]
    for element in (node, *sources):
        for name in ("data-src", "data-lazy-src", "src"):
            if url := link_address(nodes, element, name):
                return url
    return None


def _page_of(address: str) -> str | None:
    """The page that shows what a player of another site shows, by the player's address."""
    for pattern, page in PLAYERS:
        match = pattern.match(address)
        if match and all(match.groups()):
            return page.format(*map(unquote, match.groups()))
    return None
