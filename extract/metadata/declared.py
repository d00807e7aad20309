"""What a page declares about itself: JSON-LD, meta elements, microdata and RDFa Lite.

`KEYS` names the sources of each field in the order of their weight, and `PROPERTIES` the field of
each property of schema.org, which JSON-LD, microdata and RDFa share. Contexts, ``itemref`` and
other vocabularies are not resolved. Common errors in JSON are corrected, and scripts with other
errors are skipped. Unlike with `extruct`, the page is not parsed a second time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Any

import numpy as np

from ...features.words import collapse, words
from ...patterns import lazy_re
from ...renderer.page.tree import nearest_marked
from .finding import Finding, Scene, bare_name, declared_text, subtree_text, tidy
from .names import has_by

JSON_LD, MICRODATA = "JSON-LD", "itemprop"
CARDS = ("twitter:label", "twitter:data")
MAX_KEY = 60

PREFIX = r"(?:[^\W_]+[.:_-]){0,3}"
KEYS: dict[str, tuple[str, ...]] = {
    "site_name": (
        "og:site_name", JSON_LD, "application-name", "(?:dc.)?publisher|citation_journal_title",
        "apple-mobile-web-app-title",
    ),
    "title": (rf"{PREFIX}title|headline",),
    "authors": (rf"{PREFIX}(?:authors?|creator|contributor|author_name)|byl",),
    "modified": (
        JSON_LD, rf"{PREFIX}(?:date)?modif\w*", MICRODATA, rf"{PREFIX}updated\w*|last-?mod\w*",
    ),
    "date": (
        rf"{PREFIX}(?:(?>[^\W_]*?publi)(?:c|sh(?!er))[^\W_]*(?:[_-]\w+)?|pub-?date|issued|date|"
        r"(?>[^\W_]*?created))",
    ),
    "image": (
        "og:image(?::(?:secure_)?url)?", JSON_LD,
        rf"{PREFIX}image(?:[.:-](?:src|url|full))?|thumbnail(?:url)?",
    ),
    "tags": (
        "article:tag", JSON_LD, "og:article:tag", rf"{PREFIX}(?:tags?|keywords|subject)", MICRODATA,
    ),
    "section": ("article:section", JSON_LD, rf"{PREFIX}section|category", MICRODATA),
    "description": ("og:description", "description", JSON_LD, rf"{PREFIX}description"),
    "language": (
        "html", JSON_LD, MICRODATA, "content-language", "dc.language", "language", "og:locale",
    ),
    "tier": ("article:content_tier",),
    "free": (JSON_LD, MICRODATA),
    "url": ("link", "og:url", JSON_LD),
}  # fmt: skip
"""Names of meta elements, as patterns, and other sources by field, the most specific first.

The first usable source of a field counts, except for title, authors and date, which are ranked.
"""


PATTERNS = {
    field: tuple(lazy_re(rf"\A(?:{key})\Z") for key in keys) for field, keys in KEYS.items()
}


@lru_cache(maxsize=1 << 10)
def _place_among(field: str, name: str) -> int:
    """Place of the first of a field's sources that a name matches; their number if none does."""
    patterns = PATTERNS.get(field, ())
    return next((n for n, each in enumerate(patterns) if each.match(name)), len(patterns))


def _field_of(name: str) -> str | None:
    """The field of a meta element."""
    named = (field for field, keys in KEYS.items() if _place_among(field, name) < len(keys))
    return next(named, None)


MANY = frozenset(("authors", "tags"))

PROPERTIES = {
    "headline": "title",
    "name": "title",
    "author": "authors",
    "creator": "authors",
    "datePublished": "date",
    "dateCreated": "date",
    "issued": "date",
    "uploadDate": "date",
    "dateModified": "modified",
    "inLanguage": "language",
    "articleSection": "section",
    "keywords": "tags",
    "isAccessibleForFree": "free",
    "description": "description",
    "image": "image",
    "url": "url",
}
"""Properties of schema.org, each with the field that it fills."""

ONLY_JSON = frozenset(("name", "uploadDate", "description", "image", "url"))
"""Properties that parts of a page have, too, which only JSON-LD assigns to the article."""

# Larger scripts are not read, nor are scripts and objects beyond these totals.
MAX_SCRIPT = 500_000
MAX_IN_ALL = 2_000_000
MAX_OBJECTS = 20_000

OPENING = lazy_re(r"\A\s*+(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)")
TRAILING_COMMA = lazy_re(r",(\s*[}\]])")

Object = dict[str, Any]

WORKS = frozenset(("creativework", "howto", "recipe", "report", "review", "podcastepisode"))
PAGES = frozenset(("webpage", "itempage", "aboutpage", "medicalwebpage"))

# A page that declares at least this many articles, but none that matches it, is a list.
LIST = 3

KINDS = ("article", "work", "page")
"""Kinds of objects, the most specific first."""

# Names of persons have two to four words. Publications are often declared to be persons.
PERSON = lazy_re(r"[^\W\d_]\S*(?: [^\W\d_]\S*){1,3}")
BEFORE = lazy_re(r"\A(?:https?:)?//(?:www\.|m\.|amp\.)?")
AFTER = lazy_re(r"/(?:amp|index\.\w+)\Z")


@dataclass(frozen=True, eq=False)
class Graph:
    """All objects of a page's JSON-LD."""

    objects: tuple[tuple[Object, int], ...]
    """Pairs (object, levels of lists and objects around it), in document order."""
    named: dict[str, Object]
    """Objects with a type and further properties, by ``@id``."""

    def resolve(self, value: object) -> object:
        """Resolve a reference such as ``{"@id": "#author"}``; return other values unchanged."""
        if isinstance(value, dict) and ("@type" not in value or set(value) <= {"@id", "@type"}):
            return self.named.get(str(value.get("@id")), value)
        return value


def read_graph(scripts: tuple[str, ...]) -> Graph:
    """Parse the JSON-LD scripts of a page. Scripts that cannot be parsed are skipped.

    >>> graph = read_graph(('{"@graph": [{"@type": "Article", "headline": "Bread"},]}',))
    >>> [types_of(entity) for entity, _ in graph.objects]
    [(), ('article',)]
    """
    objects: list[tuple[Object, int]] = []
    room = MAX_IN_ALL
    for script in scripts:
        room -= len(script)
        if len(script) > MAX_SCRIPT or room < 0:
            continue
        objects += _objects(_parse(script), MAX_OBJECTS - len(objects))
    named = {}
    for entity, _ in objects:
        if isinstance(entity.get("@id"), str) and set(entity) > {"@id", "@type"}:
            named.setdefault(entity["@id"], entity)
    return Graph(tuple(objects), named)


def types_of(entity: Object) -> tuple[str, ...]:
    """Types of an object in lower case, without the address of their vocabulary."""
    declared = entity.get("@type", entity.get("type"))
    names = declared if isinstance(declared, list) else [declared]
    return tuple([bare_name(name) for name in names if isinstance(name, str)])


def _parse(script: str) -> object:
    try:
        return json.loads(script, strict=False)
    except RecursionError:
        return None
    except ValueError:
        return _repair(script)


def _repair(script: str) -> object:
    """Parse again without surrounding markup, trailing commas and text after the first value."""
    text = TRAILING_COMMA.sub(r"\1", OPENING.sub("", script)).lstrip()
    try:
        return json.JSONDecoder(strict=False).raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _objects(root: object, room: int) -> Iterator[tuple[Object, int]]:
    """Objects and their levels in document order, without recursion."""
    stack = [(root, 0)]
    while stack and room > 0:
        value, level = stack.pop()
        if isinstance(value, dict):
            room -= 1
            yield value, level
            inside = list(value.values())
        else:
            inside = value if isinstance(value, list) else []
        stack += [(v, level + 1) for v in reversed(inside) if isinstance(v, dict | list)]


def declared_findings(scene: Scene) -> Iterator[Finding]:
    """Findings in the head of the page and in its microdata."""
    page = scene.snapshot.page
    graph = read_graph(page.json_ld)
    for entity, _ in graph.objects:
        if "website" in types_of(entity):
            for name in islice(_texts(graph, entity.get("name")), 1):
                yield Finding("site_name", (name,), "JSON-LD WebSite.name")
    for entity, kind in _article_objects(graph, page.url, (scene.headline, page.title)):
        yield from _read_facts(graph, entity, kind)
    yield from _meta_findings(scene)
    yield from _microdata(scene)


def precedence(finding: Finding) -> int:
    """Place of a finding's source among those of its field; unknown sources are last."""
    kind, _, name = finding.source.partition(" ")
    key = name if kind == "meta" else MICRODATA if kind == "property" else kind
    return _place_among(finding.field, key)


def _article_objects(graph: Graph, url: str, names: tuple[str, ...]) -> list[tuple[Object, str]]:
    """The objects, with their kinds, that represent the article or work and the page itself.

    The article is identified by the address and by the texts of headline and title element.
    """
    keys = {tuple(word.casefold() for word in words(name)) for name in names} - {()}
    own = _place_and_query(url)
    best: dict[str, tuple[tuple[int, int], Object]] = {}
    rivals = 0
    reviews = _reviews(graph)
    for entity, level in graph.objects:
        kind = _kind(entity)
        if kind is None or (kind == "work" and id(entity) in reviews):
            continue
        match = _match(entity, own, keys)
        rivals += kind == "article" and not match
        rank = (match, -level)
        if kind not in best or rank > best[kind][0]:
            best[kind] = (rank, entity)
    if "article" in best and not best["article"][0][0] and rivals >= LIST:
        del best["article"]
    # A recipe or a review beside an article is one of its parts.
    if "article" in best:
        best.pop("work", None)
    return [(best[kind][1], kind) for kind in KINDS if kind in best]


def _reviews(graph: Graph) -> set[int]:
    """Identities of the reviews of other objects, such as those by the buyers of a product."""
    values = [
        each
        for entity, _ in graph.objects
        for name in ("review", "reviews")
        for each in _values(entity.get(name))
    ]
    return {id(graph.resolve(each)) for each in values if isinstance(each, dict)}


def _place_and_query(url: str) -> tuple[str, str]:
    """An address without scheme, fragment, ``www.`` and the like, and ``/amp``; and its query."""
    address, _, query = url.strip().partition("#")[0].partition("?")
    return AFTER.sub("", BEFORE.sub("", address.lower()).rstrip("/")), query


def _kind(entity: Object) -> str | None:
    names = types_of(entity)
    if any(n.endswith("article") or (n.endswith("posting") and n != "jobposting") for n in names):
        return "article"
    return "work" if WORKS.intersection(names) else "page" if PAGES.intersection(names) else None


def _match(entity: Object, own: tuple[str, str], keys: set[tuple[str, ...]]) -> int:
    main = entity.get("mainEntityOfPage")
    main = main.get("@id") if isinstance(main, dict) else main
    urls = (main, entity.get("url"), entity.get("@id"))
    places = [_place_and_query(url) for url in urls if isinstance(url, str) and "/" in url]
    addressed = any(place == own[0] for place, _ in places)
    # On some sites, only the query distinguishes articles.
    exactly = own in places
    heading = next(iter(_values(entity.get("headline") or entity.get("name"))), None)
    heading_words = (
        tuple(w.casefold() for w in words(tidy(heading))) if isinstance(heading, str) else ()
    )
    # The title element contains the site's name after the headline.
    titled = bool(heading_words) and any(key[: len(heading_words)] == heading_words for key in keys)
    return 2 * (exactly + addressed) + titled


def _read_facts(graph: Graph, entity: Object, kind: str) -> Iterator[Finding]:
    declared = entity.get("@type", entity.get("type"))
    type_ = tidy(str(declared[0] if isinstance(declared, list) and declared else declared))[:60]

    def state(field: str, values: Sequence[str], name: str, group: str = "") -> Iterator[Finding]:
        if values:
            kept = tuple(values if field in MANY or field == "length" else values[:1])
            group = f"JSON-LD {kind}.{group or name}"
            yield Finding(field, kept, f"JSON-LD {type_}.{name}", group=group)

    for name, field in PROPERTIES.items():
        value = entity.get(name)
        if field == "tags" and isinstance(value, str):
            value = value.split(",")
        keys = PLACES if field == "image" else NAMES
        group = f"{name} organization" if field == "authors" and _is_staff(graph, value) else ""
        yield from state(field, list(_texts(graph, value, keys)), name, group)
    body, count = entity.get("articleBody"), entity.get("wordCount")
    if isinstance(body, str):
        yield from state("length", (str(len(collapse(body))), "characters"), "articleBody")
    if isinstance(count, int | str):
        yield from state("length", (str(count).strip(), "words"), "wordCount")
    publisher = list(_texts(graph, entity.get("publisher")))[:1]
    persons = [one for one in _objects_of(graph, entity.get("author")) if "person" in types_of(one)]
    # A person who is author and publisher is a blogger, not a publication.
    if not set(publisher) & {text for text in _texts(graph, persons) if PERSON.fullmatch(text)}:
        yield from state("site_name", publisher, "publisher.name")


NAMES = ("name", "alternateName")
PLACES = ("url", "contentUrl", "@id")
"""Properties of an object that give its value as a text."""


def _values(value: object) -> list[Any]:
    """The values of a property, also those in ``@list`` and ``@value`` objects."""
    if isinstance(value, dict) and "@list" in value:
        value = value["@list"]
    values = value if isinstance(value, list) else [value]
    return [each.get("@value", each) if isinstance(each, dict) else each for each in values]


def _texts(graph: Graph, value: object, keys: Sequence[str] = NAMES) -> Iterator[str]:
    """The texts of a property's values, which may be objects with names or addresses."""
    for one in _values(value):
        entity = graph.resolve(one)
        if isinstance(entity, dict):
            entity = next(filter(None, map(entity.get, keys)), None)
        for each in _values(entity):
            text = declared_text(str(each)) if isinstance(each, str | int | float) else ""
            if text:
                yield text


def _objects_of(graph: Graph, value: object) -> list[Object]:
    """The objects among a property's values; empty objects stand for other values."""
    resolved = map(graph.resolve, _values(value))
    return [each if isinstance(each, dict) else {} for each in resolved]


def _is_staff(graph: Graph, value: object) -> bool:
    """Whether all authors are declared to be organizations."""
    kinds = map(types_of, _objects_of(graph, value))
    return all(any(kind.endswith("organization") for kind in each) for each in kinds)


def _meta_findings(scene: Scene) -> Iterator[Finding]:
    """Findings in meta elements, in the page's order, and in ``<link rel="canonical">``."""
    contents: dict[str, list[str]] = {}
    for name, content in scene.snapshot.page.meta:
        key = name.strip().lower()
        if len(key) <= MAX_KEY and (_field_of(key) or key.startswith(CARDS)):
            text = declared_text(content)
            if text:
                contents.setdefault(key, []).append(text)
    for key, values in contents.items():
        field = _field_of(key)
        if field == "tags":
            values = [tag.strip() for value in values for tag in value.split(",") if tag.strip()]
        if field and values:
            yield Finding(field, tuple(values if field in MANY else values[:1]), f"meta {key}")
    yield from _cards(contents)
    for node, rel in scene.with_attribute("rel"):
        href = scene.snapshot.attributes.get(node, "href")
        if href and rel.strip().lower() == "canonical":
            yield Finding("url", (tidy(href),), "link rel=canonical")
            return


def _cards(contents: dict[str, list[str]]) -> Iterator[Finding]:
    """Authors in the labels and values of Twitter cards, such as "Written by", "Jane Doe"."""
    for number in "1234":
        labels, data = contents.get(f"twitter:label{number}"), contents.get(f"twitter:data{number}")
        if labels and data and has_by(labels[0].rstrip(": ")):
            yield Finding("authors", (data[0],), f"meta twitter:data{number}")


IN_MARKUP = {name.lower(): field for name, field in PROPERTIES.items() if name not in ONLY_JSON}
MAX_PROPERTIES = 500

VALUES = ("content", "datetime")
ARTICLE = lazy_re(r"(?:Article|Posting|CreativeWork|Report|Recipe|Review|WebPage)$")
NO_ARTICLE = lazy_re(r"(?:JobPosting|/Comment|UserComments)$")


def _microdata(scene: Scene) -> Iterator[Finding]:
    """Findings in ``itemprop`` and ``property`` of items that are articles.

    Items that do not contain the first node of the body are last. A property
    outside of all items describes the page. If an item has several values of a property, all of
    them are used for authors and tags, and only the first for other fields.
    """
    page = scene.snapshot
    items = _items(scene)
    groups: dict[tuple[str, int, str], list[str]] = {}
    properties = _properties(scene)[:MAX_PROPERTIES]
    is_item = np.zeros(len(page), bool)
    is_item[list(items)] = True
    owners = nearest_marked(page.parent, is_item)[[node for node, _, _ in properties]].tolist()
    for (node, name, attribute), owner in zip(properties, owners, strict=True):
        if _is_article(items, owner) and not scene.is_of_entry(IN_MARKUP[name], owner):
            value = _value(scene, node, attribute)
            groups.setdefault((name, owner, f"{attribute} {name}"), []).append(value)
    found: list[tuple[bool, Finding]] = []
    for (name, owner, source), values in groups.items():
        field = IN_MARKUP[name]
        distinct = tuple(dict.fromkeys(value for value in values if value))
        if distinct:
            holds = owner >= 0 and owner <= scene.start < int(page.end[owner])
            kept = distinct if field in MANY else distinct[:1]
            group = source if holds else f"{source} outside" if owner < 0 else f"{source} beside"
            found.append((not holds and owner >= 0, Finding(field, kept, source, group=group)))
    # Items beside the body are other articles.
    yield from (finding for _, finding in sorted(found, key=itemgetter(0)))


def _properties(scene: Scene) -> list[tuple[int, str, str]]:
    """(node, property, attribute) of each property that fills a field, in document order."""
    page = scene.snapshot
    return sorted(
        (node, name, attribute)
        for attribute in ("itemprop", "property")
        for node, value in scene.with_attribute(attribute)
        for name in _property_names(value)
        # OpenGraph meta elements are read by `_meta_findings`.
        if name in IN_MARKUP and not (attribute == "property" and page.tag_name(node) == "meta")
    )


def _items(scene: Scene) -> dict[int, str]:
    """Nodes that are items, and their types."""
    items = dict.fromkeys((node for node, _ in scene.with_attribute("itemscope")), "")
    items |= {node: kind for node, kind in scene.with_attribute("itemtype") if node in items}
    return items | dict(scene.with_attribute("typeof"))


def _is_article(items: dict[int, str], owner: int) -> bool:
    if owner < 0:
        return True
    kinds = items[owner].split()
    return any(ARTICLE.search(kind) and not NO_ARTICLE.search(kind) for kind in kinds)


def _property_names(value: str) -> list[str]:
    """Property names in an attribute, in lower case and without the prefix of a vocabulary."""
    return [bare_name(name) for name in value[:200].split()]


def _value(scene: Scene, node: int, attribute: str) -> str:
    page = scene.snapshot
    own = page.attributes.of(node)
    for name in VALUES:
        if own.get(name, "").strip():
            return tidy(own[name])
    # If the value is an item, its name is inside it.
    for inner in range(node + 1, min(int(page.end[node]), node + 50)):
        if not page.is_text[inner] and "name" in _property_names(
            page.attributes.get(inner, attribute) or ""
        ):
            content = page.attributes.get(inner, "content")
            return tidy(content) if content else subtree_text(scene, inner)
    return subtree_text(scene, node)[:300]
