"""JSON-LD: the objects in a page's scripts.

Objects are read by the names of schema.org; contexts are not resolved. Common errors in JSON are
corrected, and scripts with other errors are skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .finding import bare_name

__all__ = ["Graph", "read_graph", "types_of"]

# Larger scripts, and more scripts or objects than this, are not read.
MAX_CHARS = 500_000
MAX_IN_ALL = 2_000_000
MAX_OBJECTS = 20_000

OPENING = re.compile(r"\A\s*+(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)")
TRAILING_COMMA = re.compile(r",(\s*[}\]])")

Object = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Graph:
    """All objects of a page's JSON-LD.

    Attributes
    ----------
    objects
        Pairs (object, levels of lists and objects around it), in document order.
    named
        Objects with a type and more than that, by ``@id``.
    """

    objects: tuple[tuple[Object, int], ...]
    named: dict[str, Object]

    def resolved(self, value: object) -> object:
        """The target of a reference such as ``{"@id": "#author"}``; other objects unchanged."""
        if isinstance(value, dict) and ("@type" not in value or set(value) <= {"@id", "@type"}):
            return self.named.get(str(value.get("@id")), value)
        return value


def read_graph(scripts: tuple[str, ...]) -> Graph:
    """Read the scripts of a page. Scripts that cannot be read are skipped.

    >>> graph = read_graph(('{"@graph": [{"@type": "Article", "headline": "Bread"},]}',))
    >>> [types_of(found) for found, _ in graph.objects]
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
    for found, _ in objects:
        if isinstance(found.get("@id"), str) and set(found) > {"@id", "@type"}:
            named.setdefault(found["@id"], found)
    return Graph(tuple(objects), named)


def types_of(found: Object) -> tuple[str, ...]:
    """Types of an object in lower case, without their vocabulary's address."""
    declared = found.get("@type", found.get("type"))
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
    """Objects in document order; no recursion."""
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
