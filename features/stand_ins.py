"""Elements that stand for a picture or an embed which scripts would put in their place.

They become what they stand for, in a copy of the snapshot: elements of custom names with the
address of a picture, pictures whose address only ``noscript`` or another attribute has, and
placeholders of posts and players that wait for a reader's consent. Nodes keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from html import unescape

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.page.attributes import Attributes
from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import subtree_mask, subtree_sums
from .galleries import find_galleries
from .words import collapse, count_words

PICTURE = lazy_re(
    r"(?:https?:|[/\w.])[^\s'\"<>{}\[\]]{1,2000}\.(?:jpe?g|png|gif|webp|avif)(?:[?#]\S{0,2000})?",
    re.IGNORECASE,
)
PICTURE_NAME = lazy_re(r"(?:^|[-_])(?:img|image|picture|photo|pic)(?:$|[-_])", re.IGNORECASE)
SOURCES = ("src", "data-src", "srcset", "data-srcset")

# Addresses of pictures that another replaces: embedded ones, and those that name a tiny width or
# a blur.
TINY = lazy_re(
    r"data:|about:|.*(?:blur|lqip|placeholder|low[-_]?res|[?&,/_](?:w|width|wid|h|q)[=_-]?[1-6]?\d(?!\d)"
    r"|(?<!\d)[1-6]?\dpx|(?<!\d)[1-6]?\dx[1-6]?\d(?!\d))",
    re.IGNORECASE,
)
BACKGROUND = lazy_re(r"background(?:-image)?\s*:[^;]{0,200}?url\(([^()]{1,2000})\)", re.I)
LAZY_BACKGROUND = lazy_re(r"data-(?:bg|background)(?:-(?:image|img|src|url))?")

# Addresses of single posts, recordings and videos. Others of the same sites are buttons.
POST = lazy_re(
    r"https?://(?:[\w-]+\.)*(?:"
    r"(?:twitter|x)\.com/\w{1,30}/status(?:es)?/\d+|tiktok\.com/(?:@[\w.-]+/video|embed(?:/v\d)?)/\d+"
    r"|facebook\.com/(?:[^/?#\s]+/(?:posts|videos|photos)/|watch/?\?|story\.php|permalink\.php|reel/)"
    r"|instagram\.com/(?:[\w.]+/)?(?:p|reel|tv)/[\w-]+|threads\.(?:net|com)/@[\w.]+/post/"
    r"|youtube(?:-nocookie)?\.com/(?:watch\?|embed/|v/|shorts/|live/)|youtu\.be/[\w-]{6,}"
    r"|vimeo\.com/(?:video/)?\d+|dailymotion\.com/(?:embed/)?video/\w+|dai\.ly/\w+"
    r"|spotify\.com/(?:embed/)?(?:episode|track|album|playlist|show)/\w+"
    r"|soundcloud\.com/(?:player|[\w-]+/[\w-]+)|reddit\.com/r/\w+/comments/|redd\.it/\w+"
    r"|bsky\.app/(?:profile/[\w.:-]+/post|embed)/|t\.me/\w+/\d+|twitch\.tv/videos/\d+"
    r"|ted\.com/talks/|codepen\.io/\w+/(?:embed|pen)/|loom\.com/(?:embed|share)/|streamable\.com/\w+"
    r"|giphy\.com/(?:embed|gifs)/|datawrapper\.de/_?/?\w+|datawrapper\.dwcdn\.net/\w+"
    r")(?:[^\s\"'<>%]|%(?!22|3[CE])){0,500}",
    re.IGNORECASE,
)
MIN_CAPTION = 3
"""Minimum number of words of a caption; a position such as "1 / 6" has fewer."""

MAX_NOTICE = 600
"""Characters of the text of a placeholder; more is content."""

MAX_VALUE = 4000
HOSTS = "embed object video audio img a blockquote script body html article main".split()
"""Elements that are no placeholders, whatever their attributes name."""

NOSCRIPT = lazy_re(r"<(?i:noscript)\b[^>]*+>((?:[^<]++|<(?!/(?i:noscript)))*+)")
IMAGE = lazy_re(r"<(?i:img|amp-img)\b[^>]{0,8000}>")
ATTRIBUTE = lazy_re(r"([\w:-]{1,40})\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
MAX_NOSCRIPTS = 500
NEAR = 12
"""Number of nodes before a ``noscript`` among which the picture that it replaces is."""

Values = dict[int, dict[str, str]]


def with_stand_ins(snapshot: Snapshot) -> Snapshot:
    """The page with pictures and embeds in place of the elements that stand for them.

    The page itself if it has no such elements.
    """
    added: Values = {}
    images = _custom_images(snapshot)
    images |= _backgrounds(snapshot, added)
    images |= _from_noscript(snapshot, images, added)
    _from_attributes(snapshot, added)
    embeds = _embeds(snapshot, added)
    if not images.any() and not embeds.any() and not added:
        return _with_captions(snapshot)
    return _with_captions(_replaced(snapshot, images, embeds, added))


def _replaced(
    snapshot: Snapshot, images: NDArray[np.bool_], embeds: NDArray[np.bool_], added: Values
) -> Snapshot:
    tags = list(snapshot.tags)
    tag = snapshot.tag.copy()
    for name, nodes in (("img", images), ("iframe", embeds)):
        if nodes.any():
            if name not in tags:
                tags.append(name)
            tag[nodes] = tags.index(name)
    inside = subtree_mask(embeds | images, snapshot.end)
    text = snapshot.text
    if inside.any():
        texts = (inside & snapshot.is_text).tolist()
        text = tuple("" if out else each for each, out in zip(text, texts, strict=True))
    is_laid_out = ~subtree_mask(snapshot.display == 0, snapshot.end)
    noscript = snapshot.with_tag("noscript") & images
    visible = (snapshot.visible | (images | embeds) & is_laid_out | noscript) & ~(
        inside & ~images & ~embeds
    )
    display = snapshot.display.copy()
    if noscript.any() and "inline" in snapshot.displays:
        display[noscript] = snapshot.displays.index("inline")
    return replace(
        snapshot,
        tag=tag,
        tags=tuple(tags),
        text=text,
        visible=visible,
        display=display,
        attributes=_with_values(snapshot.attributes, added),
    )


def _with_values(attributes: Attributes, added: Values) -> Attributes:
    """Attributes with further ones, which replace those of the same names."""
    if not added:
        return attributes
    strings = list(attributes.strings)
    place = {text: number for number, text in enumerate(strings)}

    def code(text: str) -> int:
        if text not in place:
            place[text] = len(strings)
            strings.append(text)
        return place[text]

    name, value = attributes.name, attributes.value.copy()
    pairs = []
    for node in sorted(added):
        rows = range(attributes.start[node], attributes.start[node + 1])
        own = {strings[name[row]]: row for row in rows}
        for key, text in added[node].items():
            if key in own:
                value[own[key]] = code(text)
            else:
                pairs.append((node, code(key), code(text)))
    nodes, names, values = np.array(pairs, np.int64).reshape(-1, 3).T
    places = attributes.start[nodes]
    counts = np.diff(attributes.start) + np.bincount(nodes, minlength=len(attributes.start) - 1)
    return Attributes(
        np.append(0, np.cumsum(counts)).astype(np.int32),
        np.insert(name, places, names).astype(np.int32),
        np.insert(value, places, values).astype(np.int32),
        tuple(strings),
    )


def _with_captions(snapshot: Snapshot) -> Snapshot:
    """The page with the captions of slides as the alternative texts of their pictures.

    A slide show has its captions apart from the text, and shows one of them at a time.
    """
    added: Values = {}
    captions = snapshot.with_tag("figcaption")
    for gallery in find_galleries(snapshot):
        # Without a hidden slide, other texts beside pictures may be anything.
        is_show = not snapshot.visible[list(gallery.pictures)].all()
        for slide, picture in zip(gallery.slides, gallery.pictures, strict=True):
            end = int(snapshot.end[slide])
            inside = captions[slide:end].nonzero()[0] + slide
            if not len(inside) and not is_show:
                continue
            first = int(inside[0]) if len(inside) else slide
            nodes = range(first, int(snapshot.end[first]))
            text = collapse(" ".join(snapshot.text[node] for node in nodes if snapshot.text[node]))
            alt = collapse(snapshot.attributes.get(picture, "alt") or "")
            if count_words(text) >= MIN_CAPTION and text not in alt and len(alt) < len(text):
                added[picture] = {"alt": text}
    return (
        replace(snapshot, attributes=_with_values(snapshot.attributes, added))
        if added
        else snapshot
    )


def _custom_images(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): custom elements that show the picture of their address."""
    images = np.zeros(len(snapshot), bool)
    names = [name for name in snapshot.tags if "-" in name]
    if not names:
        return images
    for node in snapshot.with_tag(*names).nonzero()[0].tolist():
        row = snapshot.attributes.of(node)
        values = [row[name].strip() for name in SOURCES if row.get(name)]
        if not values or values[0].startswith(("{", "[", "<")):
            continue
        is_named = PICTURE_NAME.search(snapshot.tag_name(node)) is not None
        first = values[0].split()[0] if values[0] else ""
        if is_named or PICTURE.fullmatch(first):
            images[node] = not snapshot.with_tag("img")[node : snapshot.end[node]].any()
    return images


def _backgrounds(snapshot: Snapshot, added: Values) -> NDArray[np.bool_]:
    """bool, shape (n,): elements without text that show a picture of the article as background.

    They are declared to be pictures, or in a ``figure`` without another picture.
    """
    images = np.zeros(len(snapshot), bool)
    figures = snapshot.with_tag("figure")
    pictured = subtree_sums(snapshot.with_tag("img", "video"), snapshot.end) > 0
    is_in = subtree_mask(figures & ~pictured, snapshot.end) & ~figures
    for node, value in snapshot.attributes.with_attribute("role"):
        is_in[node] |= value == "img"
    if not is_in.any():
        return images
    for node in (is_in & ~snapshot.is_text & ~pictured).nonzero()[0].tolist():
        row = snapshot.attributes.of(node)
        shown = [BACKGROUND.search(row.get("style", "")[:MAX_VALUE])]
        found = [each[1] for each in shown if each]
        found += [value for name, value in row.items() if LAZY_BACKGROUND.fullmatch(name)]
        urls = [each.strip("'\" ") for each in found]
        url = next((each for each in urls if each and not TINY.match(each[:300])), None)
        if url and not any(snapshot.text[node : snapshot.end[node]]):
            images[node] = True
            added[node] = {"src": url, "alt": row.get("alt") or row.get("aria-label", "")}
    return images


def _from_attributes(snapshot: Snapshot, added: Values) -> None:
    """Addresses of pictures that any other attribute has, where their own is of a stand-in."""
    for node in snapshot.with_tag("img").nonzero()[0].tolist():
        row = snapshot.attributes.of(node)
        source = row.get("src", "").strip()
        if node in added or any(row.get(name) for name in SOURCES[1:]):
            continue
        if source and not TINY.match(source[:300]):
            continue
        others = [
            value.strip()
            for name, value in row.items()
            if name not in ("src", "alt", "title", "class", "id") and len(value) <= MAX_VALUE
        ]
        value = next((each for each in others if PICTURE.fullmatch(each)), None)
        if value is None:
            parts = [each.split(",")[-1].split() for each in others if "," in each]
            value = next((each[0] for each in parts if each and PICTURE.fullmatch(each[0])), None)
        if value and not TINY.match(value):
            added[node] = {"data-src": value}


def _from_noscript(
    snapshot: Snapshot, images: NDArray[np.bool_], added: Values
) -> NDArray[np.bool_]:
    """Pictures that only the ``noscript`` elements of the page as served have.

    The picture before such an element gets its address if its own is that of a stand-in; without
    one, the element itself becomes the picture.
    """
    chosen = np.zeros(len(snapshot), bool)
    own = (snapshot.with_tag("noscript") & (snapshot.frame == 0)).nonzero()[0]
    own = own[snapshot.end[own] == own + 1]
    if not len(own):
        return chosen
    written = [found[1] for found in NOSCRIPT.finditer(snapshot.served)]
    if not any(map(_picture_in, written)):
        return chosen
    is_image = snapshot.with_tag("img") | images
    before = np.maximum.accumulate(np.where(is_image, np.arange(len(snapshot)), -1))
    for node, markup in _matched(snapshot, own.tolist(), written):
        picture = _picture_in(markup)
        if not picture:
            continue
        stand_in = int(before[node])
        near = stand_in >= 0 and stand_in >= node - NEAR
        # The picture is beside the element, or in what is beside it.
        parent = int(snapshot.parent[node])
        if near and parent <= stand_in and not snapshot.text[parent].strip():
            if _is_stand_in(snapshot, stand_in, picture):
                added[stand_in] = {"data-src": picture["src"]}
        else:
            chosen[node] = True
            added[node] = {name: picture[name] for name in ("src", "alt") if name in picture}
    return chosen


def _matched(snapshot: Snapshot, nodes: list[int], written: list[str]) -> Iterator[tuple[int, str]]:
    """The ``noscript`` elements of a page with their content as served, by their places."""
    if len(nodes) == len(written):
        yield from zip(nodes, written, strict=True)
        return
    if max(len(nodes), len(written)) > MAX_NOSCRIPTS:
        return
    served = snapshot
    if snapshot.page.has_geometry:
        served = Snapshot.from_html(snapshot.served, url=snapshot.page.url)
    others = served.with_tag("noscript").nonzero()[0].tolist()
    if len(others) != len(written):
        return
    one = [_place(snapshot, node) for node in nodes]
    other = [_place(served, node) for node in others]
    for match in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks():
        for step in range(match.size):
            yield nodes[match.a + step], written[match.b + step]


def _place(snapshot: Snapshot, node: int) -> tuple[str, ...]:
    """Tags of the elements around a node, and the text before it."""
    around = snapshot.ancestors(node)[:3]
    texts = (snapshot.text[each].strip()[:40] for each in range(node - 1, max(node - 40, -1), -1))
    return (*(snapshot.tag_name(each) for each in around), next(filter(None, texts), ""))


def _picture_in(markup: str) -> dict[str, str]:
    """Attributes of the picture in a ``noscript``; none for the pixels of counters."""
    image = IMAGE.search(markup if "<" in markup else unescape(markup))
    if image is None:
        return {}
    row = {name.lower(): unescape(a or b or c) for name, a, b, c in ATTRIBUTE.findall(image[0])}
    sizes = (row.get("width", ""), row.get("height", ""))
    if not row.get("src") or row["src"].startswith("data:") or {"0", "1"} & set(sizes):
        return {}
    return {} if "display:none" in row.get("style", "").replace(" ", "") else row


def _is_stand_in(snapshot: Snapshot, image: int, picture: dict[str, str]) -> bool:
    row = snapshot.attributes.of(image)
    source = row.get("src", "").strip()
    if any(row.get(name) for name in SOURCES[1:] if name != "srcset"):
        return False
    return not source or TINY.match(source[:300]) is not None


def _embeds(snapshot: Snapshot, added: Values) -> NDArray[np.bool_]:
    """bool, shape (n,): placeholders of posts and players, which hold no content of their own."""
    embeds = np.zeros(len(snapshot), bool)
    table = snapshot.attributes
    is_name = np.zeros(len(table.strings), bool)
    for name, code in table.codes.items():
        is_name[code] = name.startswith("data-") or name in ("url", "src", "href")
    nodes = np.repeat(np.arange(len(snapshot)), np.diff(table.start))
    rows = (is_name[table.name] & ~snapshot.with_tag(*HOSTS)[nodes]).nonzero()[0]
    posts = _posts(table.strings, set(table.value[rows].tolist()))
    for row in rows[np.isin(table.value[rows], [*posts])].tolist():
        node = int(nodes[row])
        is_frame = snapshot.tag_name(node) == "iframe"
        is_empty = (_is_waiting if is_frame else _is_placeholder)(snapshot, node)
        if node not in added and is_empty:
            embeds[node] = True
            added[node] = {"src": posts[int(table.value[row])]}
    return embeds


def _is_waiting(snapshot: Snapshot, frame: int) -> bool:
    """Whether only another attribute of a frame has its address yet."""
    source = snapshot.attributes.get(frame, "src") or ""
    return not source or source.startswith("about:")


def _posts(strings: Sequence[str], places: Iterable[int]) -> dict[int, str]:
    """Addresses of posts and players in the strings at some places, by place."""
    found: dict[int, str] = {}
    for place in places:
        text = strings[place]
        if "://" in text and len(text) <= MAX_VALUE and POST.search(text):
            post = POST.search(unescape(text))
            found |= {place: post[0]} if post else {}
    return found


def _is_placeholder(snapshot: Snapshot, node: int) -> bool:
    """Whether an element has neither a player nor more text than a notice."""
    end = int(snapshot.end[node])
    if end - node > 200:
        return False
    inside = {snapshot.tags[code] for code in set(snapshot.tag[node:end].tolist())}
    if inside & {"iframe", "video", "audio", "blockquote", "article", "h1", "main"}:
        return False
    return sum(map(len, snapshot.text[node:end])) <= MAX_NOTICE
