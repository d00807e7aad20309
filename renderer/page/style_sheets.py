"""Elements that the style sheets within a static page hide.

Only what a page declares for every medium is read: the rules outside of ``@`` blocks whose
selectors consist of tags, classes, ids, and descendant and child combinators. Rules with other
selectors are ignored, as are linked style sheets, which a static page does not contain.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .attributes import Attributes

__all__ = ["hidden_by_styles"]

COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
COMPOUND = re.compile(r"([a-zA-Z][\w-]*|\*)?((?:[.#](?:[\w-]|[^\x00-\x7f])+)*)")
NAME = re.compile(r"([.#])([^.#]+)")
COMBINATOR = re.compile(r"\s*(>)\s*|\s+")

HIDDEN_CLIP = re.compile(
    r"clip\s*:\s*rect\(\s*(?:0|1px)[^)]*\)|clip-path\s*:\s*inset\(\s*(?:50|100)%"
    r"|(?:left|top|text-indent)\s*:\s*-\d{4,}|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:!|;|$)"
)
"""Declarations that leave nothing of an element on the screen."""

PROPERTY = re.compile(r"(?:^|;)\s*(display|visibility)\s*:\s*([a-z-]+)\s*(!important)?")

MAX_CHARS = 2_000_000
"""Maximum number of characters of the style sheets of a page that are read."""

MAX_RULES = 2_000
"""Maximum number of selectors with a declaration that hides or shows."""

MAX_MATCHES = 200_000
"""Maximum number of pairs of an element and a selector that are compared."""

MAX_UP = 32
"""Maximum number of ancestors that are compared with a part of a selector."""


@dataclass(frozen=True)
class _Compound:
    """Part of a selector for one element; `child` if the part before it selects its parent."""

    tag: str
    ids: tuple[str, ...]
    classes: tuple[str, ...]
    child: bool


@dataclass(frozen=True)
class _Rule:
    """A selector, the property that its rule sets, and whether this hides elements."""

    compounds: tuple[_Compound, ...]
    name: str
    hides: bool
    rank: tuple[bool, int, int, int, int]


def hidden_by_styles(
    styles: Sequence[str],
    tags: Sequence[str],
    parent: NDArray[np.int32],
    attributes: Attributes,
) -> NDArray[np.bool_]:
    """Mask of the nodes that style sheets hide.

    Parameters
    ----------
    styles
        Texts of the style sheets.
    tags
        n tags, one for each node.
    parent
        int32, shape (n,).
    attributes
        Attributes of all nodes.
    """
    hidden = np.zeros(len(tags), bool)
    rules = list(_rules("\n".join(styles)[:MAX_CHARS]))
    if not any(rule.hides for rule in rules):
        return hidden
    elements = _Elements(tags, parent.tolist(), attributes)
    best: dict[tuple[int, str], _Rule] = {}
    budget = MAX_MATCHES
    for rule in sorted(rules, key=lambda rule: rule.rank):
        candidates = elements.candidates(rule.compounds[-1])
        budget -= len(candidates)
        if budget < 0:
            break
        for node in candidates:
            if elements.matches(node, rule.compounds):
                best[node, rule.name] = rule
    hidden[[node for (node, _), rule in best.items() if rule.hides]] = True
    return hidden


def _rules(text: str) -> Iterator[_Rule]:
    """Rules outside of ``@`` blocks that hide or show elements."""
    number = 0
    for prelude, declarations in _blocks(COMMENT.sub(" ", text)):
        settings = dict(_settings(declarations.lower()))
        for selector in prelude.split(",") if settings else ():
            compounds = _compounds(selector.strip())
            if not compounds:
                continue
            ids = sum(len(part.ids) for part in compounds)
            classes = sum(len(part.classes) for part in compounds)
            named = sum(part.tag != "" for part in compounds)
            for name, (hides, important) in settings.items():
                number += 1
                if number > MAX_RULES:
                    return
                rank = (important, ids, classes, named, number)
                yield _Rule(compounds, name, hides, rank)


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Preludes and contents of the blocks of a style sheet, except those of ``@`` rules."""
    place = 0
    while (start := text.find("{", place)) >= 0:
        prelude = text[place:start].rpartition(";")[2].strip().lstrip("}").strip()
        end = text.find("}", start)
        if prelude.startswith("@"):
            end = _closing(text, start)
        if end < 0:
            return
        if not prelude.startswith("@"):
            yield prelude, text[start + 1 : end]
        place = end + 1


BRACE = re.compile("[{}]")


def _closing(text: str, start: int) -> int:
    """Place of the brace that closes the block that starts here, -1 for none."""
    depth = 0
    for brace in BRACE.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return -1


def _settings(declarations: str) -> Iterator[tuple[str, tuple[bool, bool]]]:
    for name, value, important in PROPERTY.findall(declarations):
        hides = value == "none" if name == "display" else value in ("hidden", "collapse")
        yield name, (hides, bool(important))
    if HIDDEN_CLIP.search(declarations):
        yield "clip", (True, False)


def _compounds(selector: str) -> tuple[_Compound, ...]:
    """Parts of a selector; empty for a selector of another form."""
    compounds: list[_Compound] = []
    place, child = 0, False
    while place < len(selector):
        part = COMPOUND.match(selector, place)
        if part is None or part.end() == place:
            return ()
        names = NAME.findall(part[2])
        ids = tuple(name for sign, name in names if sign == "#")
        classes = tuple(name for sign, name in names if sign == ".")
        tag = "" if part[1] in (None, "*") else part[1].lower()
        compounds.append(_Compound(tag, ids, classes, child))
        if part.end() == len(selector):
            return tuple(compounds)
        between = COMBINATOR.match(selector, part.end())
        if between is None:
            return ()
        place, child = between.end(), between[1] is not None
    return ()


@dataclass(frozen=True)
class _Elements:
    """The elements of a page, by tag, class and id."""

    tags: Sequence[str]
    parents: list[int]
    attributes: Attributes

    @cached_property
    def _classes(self) -> Mapping[int, frozenset[str]]:
        pairs = self.attributes.with_attribute("class")
        return {node: frozenset(value.split()) for node, value in pairs}

    @cached_property
    def _ids(self) -> Mapping[int, str]:
        return dict(self.attributes.with_attribute("id"))

    @cached_property
    def _by_name(self) -> Mapping[str, list[int]]:
        by_name: defaultdict[str, list[int]] = defaultdict(list)
        for node, tag in enumerate(self.tags):
            by_name[tag].append(node)
        for node, names in self._classes.items():
            for name in names:
                by_name["." + name].append(node)
        for node, name in self._ids.items():
            by_name["#" + name].append(node)
        return by_name

    def candidates(self, part: _Compound) -> list[int]:
        """Elements with one of the names of a part; none for a part without names."""
        names = ["#" + name for name in part.ids] or ["." + name for name in part.classes]
        names = names or ([part.tag] if part.tag else [])
        return min((self._by_name.get(name, []) for name in names), key=len, default=[])

    def matches(self, node: int, compounds: Sequence[_Compound]) -> bool:
        """Whether an element matches a selector; each part takes the nearest fitting ancestor."""
        if not self._fits(node, compounds[-1]):
            return False
        child = compounds[-1].child
        for part in reversed(compounds[:-1]):
            node = self.parents[node]
            for _ in range(0 if child else MAX_UP):
                if node < 0 or self._fits(node, part):
                    break
                node = self.parents[node]
            if node < 0 or not self._fits(node, part):
                return False
            child = part.child
        return True

    def _fits(self, node: int, part: _Compound) -> bool:
        if part.tag and self.tags[node] != part.tag:
            return False
        if part.ids and any(self._ids.get(node) != name for name in part.ids):
            return False
        return not part.classes or self._classes.get(node, frozenset()).issuperset(part.classes)
