"""Prose in a page's data: articles that are written in its scripts, and not in its elements.

Strings that are sentences are grouped by their place in the data, where numbers in lists do not
count. The strings of a group are the paragraphs of one article, unless the entries of the list that
holds them have addresses, dates or authors of their own: then each entry is a story or a comment.
No framework or site is known by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape, unescape
from itertools import chain, groupby
from typing import Any

from ..features.script_values import script_values
from ..features.words import collapse, count_words
from ..patterns import lazy_re
from ..renderer.page.arrays import PageInfo
from ..renderer.page.snapshot import Snapshot

MIN_WORDS = 60
"""Minimum number of words of an article; labels and notices of a site's program have fewer."""

MIN_SENTENCE = 6
"""Minimum number of words of a string that is more than a label."""

MAX_NODES = 300_000
MAX_FOUND = 40
MAX_LEVELS = 8
"""Levels of objects around prose whose title, author and date may be those of the prose."""

TAG = lazy_re(r"<[/!a-zA-Z][^<>]{0,2000}>")
BLOCK_TAG = lazy_re(r"<(?:p|div|h[1-6]|li|ul|ol|blockquote|figure|section|article|br|pre)\b", re.I)
ESCAPED_TAG = lazy_re(r"&lt;/?(?:p|div|h[1-6]|li|ul|ol|br|strong|em|a)\b", re.I)
PROGRAM = lazy_re(r"[{}=;\\|<>]|\w\(|://")
ADDRESS = lazy_re(r"\b\w++://\S+")
LETTER = lazy_re(r"[^\W\d_]")
DIGITS = lazy_re(r"\d+")
LINES = lazy_re(r"\n\s*")

TITLE_KEY = lazy_re(r"(?:head(?:line|ing)?|hed|title|name|subject|og:?title)s?", re.I)
AUTHOR_KEY = lazy_re(r"(?:authors?|by-?_?line|creators?|writers?|contributors?)(?:_?names?)?", re.I)
DATE_KEY = lazy_re(
    r"(?:date_?(?:published|created|time)?|(?:first_?)?publi(?:sh|cation)(?:ed)?_?(?:at|on|date|time)?"
    r"(?:_?utc)?|created_?(?:at|on)?|pub_?date|timestamp)", re.I,
)  # fmt: skip
ISO_DATE = lazy_re(r"\d{4}-\d\d-\d\d(?:[T ][\d:.]{5,15}(?:Z|[+-]\d\d:?\d\d)?)?")
NAME_KEY = lazy_re(r"(?:full_?|display_?)?(?:name|title|text|rendered|value)", re.I)
OWN_KEY = lazy_re(
    r"(?:url|uri|href|link|permalink|slug|path|canonical(?:_?url)?|full_?slug|web_?url|id)", re.I
)
# Words of keys of what stands beside an article.
BESIDE = lazy_re(
    r"comments?|reply|replies|related|recommend\w*|teasers?|promos?|newsletters?|bio(?:graphy)?|sidebar"
    r"|footer|trending|latest|adverts?|ads|sponsor\w*|disclaimer|cookies?|consent|privacy|terms"
    r"|messages?|translations?|locales?|labels?|strings|errors?|faqs?|paywall|offers?|subscri\w*"
)
KEY_WORD = lazy_re(r"[A-Z]?[a-z]+|[A-Z]+")
MAX_KEY = 40
"""Length of a key beyond which it is the name of a story."""

# Keys of values that are not read: they describe an element, or are shown in another place.
ATTRIBUTE = lazy_re(
    r"@?(?:id|_?key|type|_?type|kind|class(?:name)?|style|url|uri|href|src(?:set)?|rel|target|slug|lang"
    r"|language|alt|width|height|mime\w*|format|role|layout|component|template|__typename|node_?type"
    r"|tag(?:name)?|alignment|align|color|marks?|version|hash|level)",
    re.I,
)
KIND_KEYS = ("tag", "tagName", "nodeName", "nodeType", "type", "_type", "blockType", "kind",
             "component", "style", "name", "__typename")  # fmt: skip
PARTS = ("props", "attrs", "attributes", "data")
"""Objects within an element's object that hold its attributes."""

MAX_KIND = 60

KINDS = (
    (lazy_re(r"(?:head(?:er|ing|line)?|title|subhead\w*)(?:[-_ ]?([1-6]))?", re.I), "h2"),
    (lazy_re(r"(?:[\w-]{0,30}[-_])?list[-_ ]?item(?:element)?", re.I), "li"),
    (lazy_re(r"(?:ordered|numbered)[-_ ]?list", re.I), "ol"),
    (lazy_re(r"(?:(?:bullet(?:ed)?|unordered)[-_ ]?)?list", re.I), "ul"),
    (lazy_re(r"(?:block|pull)?[-_]?quot(?:e|ation)(?:element)?|blockquote", re.I), "blockquote"),
    (lazy_re(r"(?:text[-_]?)?paragraph(?:element|block)?|unstyled", re.I), "p"),
    (lazy_re(r"[\w.-]{0,30}(?:image|photo|picture|figure)[\w-]{0,30}", re.I), "figure"),
    (lazy_re(r"hard[-_]?break|line[-_]?break", re.I), "br"),
)  # fmt: skip
BLOCKS = frozenset("p h1 h2 h3 h4 h5 h6 li blockquote figcaption pre td th dt dd".split())
LISTS = ("ul", "ol")
AROUND = frozenset("ul ol table tr tbody thead dl figure section article div main".split())
INLINE = frozenset("a em strong b i u s code sub sup small mark q cite time".split())
PICTURE = lazy_re(r"(?:https?:)?//\S{4,500}|/[^\s/]\S{0,500}")
SPACE_BEFORE = lazy_re(r"[\s,.;:!?)\]»”’…]")
SPACE_AFTER = lazy_re(r"[\s(\[«“‘]")

# HTML that has its own headline, or is a whole page.
WHOLE = lazy_re(r"<(?:h1|article|main|body)\b", re.I)


@dataclass(frozen=True, eq=False)
class DataProse:
    """An article in the data of a page."""

    place: str
    """Keys that lead to it, such as ``"props.pageProps.story.body"``."""
    sentences: tuple[str, ...] = field(repr=False)
    """Its strings of sentences, which may hold markup."""
    words: int
    """Number of words of these."""
    title: str = ""
    authors: tuple[str, ...] = ()
    date: str = ""
    """As far as an object around it has them."""
    names: frozenset[str] = field(default=frozenset(), repr=False)
    """Keys and short strings of the objects around it, such as an identifier or an address."""
    is_beside: bool = False
    """Whether a key around it names something that stands beside an article, such as comments."""
    is_entry: bool = False
    """Whether it is one of several entries of a list, each of which has prose."""
    _source: tuple[Any, str, frozenset[str]] = field(default=("", "", frozenset()), repr=False)

    @cached_property
    def text(self) -> str:
        """Its sentences without markup."""
        return collapse(" ".join(unescape(TAG.sub(" ", each)) for each in self.sentences))

    @cached_property
    def html(self) -> str:
        """Its content as HTML: paragraphs, headings, lists, quotes, pictures and links."""
        value, key, keys = self._source
        return _Writer(keys).write(value, key)


def prose_in_data(
    served: str, having: str = "", min_words: int = MIN_WORDS
) -> tuple[DataProse, ...]:
    """Articles in the data of a page, of the page itself or others, the longest first.

    `served`: HTML of the page as its server sent it. Nothing of it is executed. `having`: Text
    without which a script is not read. `min_words`: Minimum number of words of an article.

    >>> text = "The bakery opens at two. " * 15
    >>> page = f'<script>app.push({{"story":{{"title":"Bread","body":"{text}"}}}})</script>'
    >>> [(prose.place, prose.title, prose.words) for prose in prose_in_data(page)]
    [('story.body', 'Bread', 75)]
    """
    if not any(sign in served for sign in ("<script", "<SCRIPT", "&quot;")):
        return ()
    found: list[DataProse] = []
    for group in _groups(_sentences(script_values(served, having))):
        found += _articles(group, min_words)
    # Descending order, the first of equals first.
    return tuple(sorted(found, key=lambda prose: -prose.words)[:MAX_FOUND])


def snapshot_of_prose(prose: DataProse, page: PageInfo, title: str = "") -> Snapshot:
    """A page that shows prose from the data of another, with the head of that page.

    `page`: Facts of the page that it was found on. `title`: Title that the page shows, for prose
    whose own is not in the data.
    """
    title = prose.title or title or page.title
    meta = list(page.meta)
    if prose.date and page.meta_value("article:published_time", "date") is None:
        meta.append(("article:published_time", prose.date))
    if page.meta_value("author", "article:author") is None:
        meta += [("author", name) for name in prose.authors]
    head = [f"<title>{escape(page.title or title)}</title>"]
    head += [f'<meta property="{escape(key)}" content="{escape(value)}">' for key, value in meta]
    language = f' lang="{escape(page.language)}"' if page.language else ""
    body = prose.html
    if not WHOLE.search(body):
        headline = f"<h1>{escape(title)}</h1>" if title else ""
        body = f"<article>{headline}{body}</article>"
    html = f"<!doctype html><html{language}><head>{''.join(head)}</head><body>{body}</body></html>"
    snapshot = Snapshot.from_html(html, url=page.url)
    facts = replace(
        snapshot.page,
        requested_url=page.requested_url,
        status=page.status,
        time=page.time,
        warnings=page.warnings,
        json_ld=page.json_ld,
    )
    return replace(snapshot, page=facts, served="")


@dataclass(eq=False, slots=True)
class _Node:
    """A value of the data with its key, the value around it, and its words if it is sentences."""

    value: Any
    key: str
    around: _Node | None
    words: int = 0

    @property
    def path(self) -> list[_Node]:
        """The node and those around it, innermost first."""
        path, node = [], self
        while node is not None:
            path.append(node)
            node = node.around
        return path


def _sentences(roots: Sequence[Any]) -> Iterator[_Node]:
    """Strings of sentences in the data, in document order."""
    stack = [_Node(root, "", None) for root in reversed(roots) if _may_hold(root)]
    for _ in range(MAX_NODES):
        if not stack:
            return
        node = stack.pop()
        if isinstance(node.value, str):
            node.words = _sentence_words(node.value)
            if node.words and not ATTRIBUTE.fullmatch(node.key):
                yield node
        elif isinstance(node.value, dict):
            items = reversed(node.value.items())
            stack += [_Node(value, str(key), node) for key, value in items if _may_hold(value)]
        else:
            stack += [_Node(value, "", node) for value in reversed(node.value) if _may_hold(value)]


def _may_hold(value: Any) -> bool:
    """Whether a value may hold sentences. Most of the values of large data are short."""
    is_text = isinstance(value, str) and len(value) >= 2 * MIN_SENTENCE
    return is_text or isinstance(value, dict | list)


def _groups(leaves: Iterable[_Node]) -> list[list[_Node]]:
    """Sentences with the same place in the data, except for numbers in lists."""
    by_shape: dict[tuple[_Node, tuple[str, ...]], list[_Node]] = {}
    for leaf in leaves:
        path = leaf.path
        keys = (DIGITS.sub("#", node.key) for node in path if node.key)
        # Trees of elements have children of children.
        shape = tuple(key for key, _ in groupby(keys))
        by_shape.setdefault((path[-1], shape), []).append(leaf)
    return list(by_shape.values())


def _sentence_words(text: str) -> int:
    """Number of words of a text that is made of sentences; 0 for labels, programs and addresses."""
    plain = unescape(text) if "&" in text and ESCAPED_TAG.search(text) else text
    plain = TAG.sub(" ", plain) if "<" in plain else plain
    size = count_words(ADDRESS.sub(" ", plain) if "://" in plain else plain)
    if size < MIN_SENTENCE or 20 * len(PROGRAM.findall(plain)) > size:
        return 0
    start = plain[:2000]
    return size if sum(map(str.isalpha, start)) + start.count(" ") > 0.7 * len(start) else 0


def _articles(
    leaves: list[_Node], min_words: int, *, is_entry: bool = False
) -> Iterator[DataProse]:
    """The articles of a group: the group, or each entry of the list that holds it."""
    if sum(leaf.words for leaf in leaves) < min_words:
        return
    inside = set(leaves[0].path)
    around = next(node for node in leaves[-1].path if node in inside)
    if len(leaves) == 1:
        yield _article(around, leaves, is_entry=is_entry)
        return
    entries: dict[_Node, list[_Node]] = {}
    for leaf in leaves:
        entries.setdefault(_child(around, leaf), []).append(leaf)
    # Most children that hold prose are stories of their own.
    stories = sum(isinstance(each.value, dict) and _is_story(each.value) for each in entries)
    if 2 * stories <= len(entries):
        yield _article(around, leaves, is_entry=is_entry)
        return
    for entry in entries.values():
        yield from _articles(entry, min_words, is_entry=True)


def _child(around: _Node, node: _Node) -> _Node:
    """The child of a node that another node is in."""
    while node.around is not around and node.around is not None:
        node = node.around
    return node


def _is_story(value: dict[str, Any]) -> bool:
    """Whether an object has a date or an author, or an address and a title, of its own."""
    has_title = has_place = False
    for key, own in value.items():
        if (DATE_KEY.fullmatch(key) or AUTHOR_KEY.fullmatch(key)) and own:
            return True
        is_text = isinstance(own, str) and bool(own)
        has_title |= is_text and TITLE_KEY.fullmatch(key) is not None
        has_place |= is_text and OWN_KEY.fullmatch(key) is not None
    return has_title and has_place


def _article(around: _Node, leaves: Sequence[_Node], *, is_entry: bool) -> DataProse:
    path = around.path
    keys = [node.key for node in path]
    title, authors, date, names = _facts([each.value for each in path if type(each.value) is dict])
    return DataProse(
        place=".".join(key for key in reversed(keys) if key) or "script",
        sentences=tuple(leaf.value for leaf in leaves),
        words=sum(leaf.words for leaf in leaves),
        title=title,
        authors=authors,
        date=date,
        names=frozenset(filter(None, keys)) | names,
        is_beside=any(map(_is_beside, keys)),
        is_entry=is_entry,
        _source=(around.value, _key(around), frozenset(map(_key, leaves))),
    )


def _is_beside(key: str) -> bool:
    if len(key) > MAX_KEY:
        return False
    return any(BESIDE.fullmatch(word.lower()) for word in KEY_WORD.findall(key))


def _key(node: _Node) -> str:
    """The key of a node; for an entry of a list, the innermost key around it."""
    return next((each.key for each in node.path if each.key), "")


def _facts(objects: Sequence[dict[str, Any]]) -> tuple[str, tuple[str, ...], str, set[str]]:
    """Title, authors, date and names of the objects around prose, the innermost first."""
    title, date, names = "", "", set[str]()
    authors: tuple[str, ...] = ()
    for key, own in chain.from_iterable(each.items() for each in objects[:MAX_LEVELS]):
        if not title and TITLE_KEY.fullmatch(key):
            title = next(_texts(own), "")
        elif not authors and AUTHOR_KEY.fullmatch(key):
            authors = tuple(_texts(own))[:10]
        elif not date and DATE_KEY.fullmatch(key) and isinstance(own, str):
            match = ISO_DATE.match(own)
            date = match[0] if match else ""
        if isinstance(own, str | int) and OWN_KEY.fullmatch(key):
            names.add(str(own)[:300])
    return title, authors, date, names


def _texts(value: Any) -> Iterator[str]:
    """Short texts of a value, of its entries, or of their names."""
    for one in value[:10] if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            one = next((v for k, v in one.items() if NAME_KEY.fullmatch(k)), None)
        if isinstance(one, str) and 1 < len(one) <= 300 and "://" not in one:
            text = collapse(unescape(TAG.sub(" ", one)))
            if LETTER.search(text):
                yield text


class _Writer:
    """Writes the content of a value as HTML.

    `out`: Parts of the HTML.
    """

    def __init__(self, keys: frozenset[str]) -> None:
        self._keys = keys
        self.out: list[str] = []
        self._line: list[str] = []
        # Elements that hold lines of text.
        self._blocks = 0
        self._raw_end = ""

    def write(self, root: Any, key: str) -> str:
        """Write a value in document order, without recursion."""
        # Entries are (value, key, element of text or of items around it), or the end of an element.
        stack: list[tuple[Any, str, str] | str] = [(root, key, "")]
        while stack:
            entry = stack.pop()
            if isinstance(entry, str):
                self._close(entry)
                continue
            value, key, around = entry
            if isinstance(value, _Markup):
                self._flush()
                self.out.append(value)
                continue
            if isinstance(value, str):
                if key in self._keys or (around and _may_be_text(key, value)):
                    item = around in LISTS
                    if item:
                        self._open("li", "")
                    self._text(value)
                    if item:
                        self._close("li")
                continue
            if not isinstance(value, dict | list):
                continue
            tag, attributes, inside = _element(value, key)
            if tag:
                self._open(tag, attributes)
                stack.append(tag)
            if tag in BLOCKS or tag in LISTS:
                around = tag
            elif tag in AROUND:
                around = ""
            stack += [(v, k, around) for k, v in reversed(inside)]
        self._flush()
        return "".join(self.out)

    def _text(self, value: str) -> None:
        text = unescape(value) if ESCAPED_TAG.search(value) else value
        if BLOCK_TAG.search(text) and not self._blocks:
            self._flush()
            self.out.append(text)
            return
        plain = text if TAG.search(text) else escape(unescape(text), quote=False)
        if self._blocks:
            self.out.append(plain)
            return
        if self._line and not (SPACE_AFTER.match(self._raw_end) or SPACE_BEFORE.match(plain)):
            self._flush()
        *whole, last = LINES.split(plain)
        for line in whole:
            self._line.append(line)
            self._flush()
        self._line.append(last)
        self._raw_end = last[-1:]

    def _flush(self) -> None:
        text = "".join(self._line).strip()
        if text:
            self.out.append(f"<p>{text}</p>")
        self._line, self._raw_end = [], ""

    def _open(self, tag: str, attributes: str) -> None:
        if tag in INLINE:
            (self.out if self._blocks else self._line).append(f"<{tag}{attributes}>")
            self._raw_end = " " if self._blocks or len(self._line) > 1 else ""
            return
        self._flush()
        self.out.append(f"<{tag}{attributes}>")
        self._blocks += tag in BLOCKS

    def _close(self, tag: str) -> None:
        if tag in INLINE:
            (self.out if self._blocks else self._line).append(f"</{tag}>")
        elif tag not in ("br", "img"):
            self._flush()
            self.out.append(f"</{tag}>")
            self._blocks -= tag in BLOCKS


def _may_be_text(key: str, value: str) -> bool:
    return not ATTRIBUTE.fullmatch(key) and not PICTURE.match(value) and bool(LETTER.search(value))


def _element(value: Any, key: str) -> tuple[str, str, list[tuple[str, Any]]]:
    """Tag and attributes of the element that a value describes, and its content; no tag if none."""
    if isinstance(value, list):
        # React writes an element as its tag, its key and its properties.
        if len(value) >= 4 and value[0] == "$" and isinstance(value[1], str):
            properties = value[3] if isinstance(value[3], dict) else {}
            return _written(value[1], properties, [("children", properties.get("children")),
                            *_raw(properties)])  # fmt: skip
        return "", "", [(key, each) for each in value]
    inside = [(k, v) for k, v in value.items() if not _is_beside(k)]
    for name in KIND_KEYS:
        kind = value.get(name)
        if not isinstance(kind, str) or len(kind) > MAX_KIND:
            continue
        if _is_beside(kind):
            return "", "", []
        properties = {
            k: v
            for part in PARTS
            if isinstance(value.get(part), dict)
            for k, v in value[part].items()
        } | value
        if tag := _tag_of(kind, properties):
            return _written(tag, properties, inside)
    return "", "", inside


def _raw(properties: dict[str, Any]) -> list[tuple[str, Any]]:
    return [
        (k, v["__html"]) for k, v in properties.items() if isinstance(v, dict) and "__html" in v
    ]


def _tag_of(kind: str, value: dict[str, Any]) -> str:
    name = kind.lower()
    if name in BLOCKS or name in AROUND or name in INLINE or name in ("img", "br"):
        return name
    for pattern, tag in KINDS:
        if match := pattern.fullmatch(kind):
            if tag != "h2":
                return tag
            level = match[1] or value.get("level")
            return f"h{level}" if str(level) in "23456" else "h2"
    return ""


def _written(
    tag: str, properties: dict[str, Any], inside: list[tuple[str, Any]]
) -> tuple[str, str, list[tuple[str, Any]]]:
    """An element with the attributes that matter; a picture is written with its caption."""
    tag = tag.lower()
    if tag in ("img", "figure"):
        return _picture(tag, properties, inside)
    if tag not in BLOCKS and tag not in AROUND and tag not in INLINE and tag != "br":
        return "", "", inside
    names = {"a": ("href", "url"), "time": ("dateTime", "datetime")}.get(tag, ())
    value = next((properties[each] for each in names if properties.get(each)), None)
    name = names[0].lower() if names else ""
    return tag, f' {name}="{escape(value)}"' if isinstance(value, str) else "", inside


def _picture(
    tag: str, properties: dict[str, Any], inside: list[tuple[str, Any]]
) -> tuple[str, str, list[tuple[str, Any]]]:
    sources = [properties, *(v for v in properties.values() if isinstance(v, dict))]
    source = next(
        (
            value
            for each in sources
            for name in ("src", "url", "source", "href")
            if isinstance(value := each.get(name), str) and PICTURE.match(value)
        ),
        None,
    )
    if source is None:
        return ("figure" if tag == "figure" else ""), "", inside
    fields = {k.lower(): v for each in reversed(sources) for k, v in each.items()
            if isinstance(v, str)}  # fmt: skip
    alt, caption = fields.get("alt", ""), fields.get("caption", "")
    picture = f'<img src="{escape(source)}" alt="{escape(alt)}">'
    if caption:
        picture += f"<figcaption>{caption if TAG.search(caption) else escape(caption)}</figcaption>"
    return "", "", [("", _Markup(f"<figure>{picture}</figure>"))]


class _Markup(str):
    """HTML that is written as it is."""
