"""JSON-LD: the objects in a page's scripts, and what they state about its article.

Properties are read by their names in schema.org; contexts are not resolved. Common errors in JSON
are corrected, and scripts with other errors are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ...features.words import collapse, words
from ...patterns import lazy_re
from .finding import Finding, bare_name, declared_text, tidy

# Larger scripts are not read, nor are scripts and objects beyond these totals.
MAX_CHARS = 500_000
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

PLAIN = {
    "headline": "title",
    "name": "title",
    "datePublished": "date",
    "dateCreated": "date",
    "uploadDate": "date",
    "dateModified": "modified",
    "inLanguage": "language",
    "articleSection": "section",
    "description": "description",
    "isAccessibleForFree": "free",
    "url": "url",
}
"""Single-valued properties, each with the field that it fills."""

# Names of persons have two to four words. Publications are often declared to be persons.
PERSON = lazy_re(r"[^\W\d_]\S*(?: [^\W\d_]\S*){1,3}")
BEFORE = lazy_re(r"\A(?:https?:)?//(?:www\.|m\.|amp\.)?")
AFTER = lazy_re(r"/(?:amp|index\.\w+)\Z")


@dataclass(frozen=True, eq=False)
class Graph:
    """All objects of a page's JSON-LD.

    Attributes
    ----------
    objects
        Pairs (object, levels of lists and objects around it), in document order.
    named
        Objects with a type and further properties, by ``@id``.
    """

    objects: tuple[tuple[Object, int], ...]
    named: dict[str, Object]

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
        if len(script) > MAX_CHARS or room < 0:
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


def find_json_ld(graph: Graph, url: str, names: tuple[str, ...]) -> Iterator[Finding]:
    """Findings in JSON-LD about the article of a page.

    Parameters
    ----------
    graph
        The page's JSON-LD.
    url
        The page's address.
    names
        Text of the headline and of the title element, which identify the article among others.
    """
    for entity, _ in graph.objects:
        if "website" in types_of(entity):
            yield from _state("site_name", entity.get("name"), "JSON-LD WebSite.name")
    for entity, kind in article_objects(graph, url, names):
        for finding in _read_facts(graph, entity):
            property_ = finding.group or finding.source.partition(" ")[2].partition(".")[2]
            yield replace(finding, group=f"JSON-LD {kind}.{property_}")


def article_objects(graph: Graph, url: str, names: tuple[str, ...]) -> list[tuple[Object, str]]:
    """The objects, with their kinds, that represent the article or work and the page itself."""
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
    urls = [main.get("@id") if isinstance(main, dict) else main, entity.get("url")]
    urls += [entity.get("@id")]
    places = [_place_and_query(url) for url in urls if isinstance(url, str) and "/" in url]
    addressed = any(place == own[0] for place, _ in places)
    # On some sites, only the query distinguishes articles.
    exactly = own in places
    heading = _first_value(entity.get("headline") or entity.get("name"))
    heading_words = (
        tuple(w.casefold() for w in words(tidy(heading))) if isinstance(heading, str) else ()
    )
    # The title element contains the site's name after the headline.
    titled = bool(heading_words) and any(key[: len(heading_words)] == heading_words for key in keys)
    return 2 * (exactly + addressed) + titled


def _read_facts(graph: Graph, entity: Object) -> Iterator[Finding]:
    source = f"JSON-LD {_display_type(entity)}"
    for name, field in PLAIN.items():
        yield from _state(field, entity.get(name), f"{source}.{name}")
    yield from _lengths(entity, source)
    for name in ("author", "creator"):
        people = _names(graph, entity.get(name))
        if people:
            group = f"{name} organization" if _are_organizations(graph, entity[name]) else ""
            yield Finding("authors", people, f"{source}.{name}", group)
    yield from _state("image", _address(graph, entity.get("image")), f"{source}.image")
    publishers = _names(graph, entity.get("publisher"))[:1]
    # A person who is author and publisher is a blogger, not a publication.
    if publishers and publishers[0] not in _people(graph, entity.get("author")):
        yield Finding("site_name", publishers, f"{source}.publisher.name")
    tags = entity.get("keywords")
    keywords = _names(graph, tags.split(",") if isinstance(tags, str) else tags)
    if keywords:
        yield Finding("tags", keywords, f"{source}.keywords")


def _lengths(entity: Object, source: str) -> Iterator[Finding]:
    body, count = entity.get("articleBody"), entity.get("wordCount")
    if isinstance(body, str):
        size = str(len(collapse(body)))
        yield Finding("length", (size, "characters"), f"{source}.articleBody")
    if isinstance(count, int | str):
        yield Finding("length", (str(count).strip(), "words"), f"{source}.wordCount")


def _state(field: str, value: object, source: str) -> Iterator[Finding]:
    first = _first_value(value)
    if isinstance(first, dict):
        first = _first_value(first.get("name") or first.get("alternateName"))
    if isinstance(first, str | int | float):
        text = declared_text(str(first))
        if text:
            yield Finding(field, (text,), source)


def _first_value(value: object) -> Any:
    return next(iter(_values(value)), None)


def _values(value: object) -> list[Any]:
    """The values of a property, also those in ``@list`` and ``@value`` objects."""
    if isinstance(value, dict) and "@list" in value:
        value = value["@list"]
    values = value if isinstance(value, list) else [value]
    return [each.get("@value", each) if isinstance(each, dict) else each for each in values]


def _display_type(entity: Object) -> str:
    declared = entity.get("@type", entity.get("type"))
    first = declared[0] if isinstance(declared, list) and declared else declared
    return tidy(str(first))[:60]


def _names(graph: Graph, value: object) -> tuple[str, ...]:
    names: list[str] = []
    for one in _values(value):
        entity = graph.resolve(one)
        name = entity.get("name") if isinstance(entity, dict) else entity
        names += [each for each in _values(name) if isinstance(each, str)]
    return tuple(text for text in map(declared_text, names) if text)


def _are_organizations(graph: Graph, value: object) -> bool:
    objects = [graph.resolve(one) for one in _values(value)]
    return all(
        isinstance(one, dict) and any(kind.endswith("organization") for kind in types_of(one))
        for one in objects
    )


def _people(graph: Graph, value: object) -> tuple[str, ...]:
    """Names of the authors that are declared to be persons."""
    objects = [graph.resolve(one) for one in _values(value)]
    persons = [one for one in objects if isinstance(one, dict) and "person" in types_of(one)]
    return _names(graph, [one for one in persons if PERSON.fullmatch(str(one.get("name")))])


def _address(graph: Graph, value: object) -> object:
    first = graph.resolve(_first_value(value))
    if isinstance(first, dict):
        return first.get("url") or first.get("contentUrl") or first.get("@id")
    return first
