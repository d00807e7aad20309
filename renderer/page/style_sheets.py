"""Elements that the style sheets within a static page hide.

Rules are read if they apply to a wide screen, and if their selectors consist of tags, classes, ids,
attributes, and descendant and child combinators. Rules with other selectors are ignored, as are
linked style sheets, which a static page does not contain.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...patterns import lazy_re
from .arrays import SnapshotArrays
from .attributes import Attributes

COMMENT = lazy_re(r"/\*.*?(?:\*/|$)", re.DOTALL)
NAME = lazy_re(r"[.#][\w\u0080-\U0010ffff-]+")
CONDITION = lazy_re(r"\[[^\[\]]*+\]")
"""An attribute in a selector."""
COMPOUND = lazy_re(rf"([a-zA-Z][\w-]*|\*)?((?:{NAME.pattern}|{CONDITION.pattern})*)")
COMBINATOR = lazy_re(r"\s*(>)\s*|\s+")

HIDDEN_CLIP = lazy_re(
    r"clip\s*:\s*rect\(\s*(?:0|1px)[^)]*\)|clip-path\s*:\s*inset\(\s*(?:50|100)%"
    r"|(?:left|top|text-indent)\s*:\s*-\d{4,}|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:!|;|$)"
)
"""Declarations that leave nothing of an element on the screen."""
CLOSED = lazy_re(r"(?<![\w-])(?:max-)?height\s*:\s*0(?:px|em|rem|%)?\s*(?:!|;|$)")
CLIPPING = lazy_re(r"(?<![\w-])overflow(?:-y)?\s*:\s*(?:hidden|clip)")
CLEAR = lazy_re(r"(?<![\w-])opacity\s*:\s*+0?(?:\.0++)?\s*+(?:!|;|$)")
OVER = lazy_re(r"(?<![\w-])position\s*:\s*(?:absolute|fixed)")
FAR = lazy_re(r"-\d{4}")

# With blocks within blocks, to a depth that style sheets of conditions and layers do not exceed.
AT_BLOCK = lazy_re(
    reduce(lambda inner, _: rf"[^{{}}]*+(?:\{{{inner}\}}[^{{}}]*+)*+", range(5), "[^{}]*+").join(
        (r"@[^{};@]*+\{", r"\}")
    )
)

MEDIA = lazy_re(r"(?:only\s+)?(?:screen|all)(?:\s+and\s+\(.*)?|\(.*", re.DOTALL)
WIDTH = lazy_re(r"\(\s*(min|max)-width\s*:\s*([\d.]{1,9})\s*(px|r?em)\s*\)")
ALWAYS = lazy_re(r"@(?:layer|supports(?!\s+not))\b")

SCREEN_WIDTH, EM = 1280, 16
"""Width of the screen that rules are for, and of an em, in pixels."""

PROPERTY = lazy_re(r"(?:^|;)\s*(display|visibility)\s*:\s*([a-z-]+)\s*(!important)?")

MAX_CHARS = 2_000_000  # maximum number of characters of the style sheets of a page that are read
MAX_RULES = 2_000  # maximum number of selectors with a declaration that hides or shows

MAX_MATCHES = 1_000_000
"""Maximum number of pairs of an element and a part of a selector that are compared, for each
property and effect."""

NONE = np.zeros(0, np.intp)
SIGNS = ((".", "class"), ("#", "id"))


@dataclass(frozen=True)
class _Compound:
    """Part of a selector for one element; `child` if the part before it selects its parent."""

    names: tuple[str, ...]  # ids and classes with their signs, attributes in brackets, and a tag
    child: bool


@dataclass(frozen=True)
class _Rule:
    """A selector, the property that its rule sets, and whether this hides elements."""

    compounds: tuple[_Compound, ...]
    name: str
    hides: bool
    rank: tuple[bool, int, int, int, int]


def hidden_by_styles(styles: Sequence[str], page: SnapshotArrays) -> NDArray[np.bool_]:
    """Mask of the nodes of a page that its style sheets hide, given their texts."""
    hidden = np.zeros(len(page), bool)
    effects: defaultdict[tuple[str, bool], list[tuple[int, _Rule]]] = defaultdict(list)
    rules = list(_rules("\n".join(styles)[:MAX_CHARS], _names(page.attributes)))
    nodes_of = _nodes_of(page, {n for rule in rules for part in rule.compounds for n in part.names})
    for place, rule in enumerate(sorted(rules, key=lambda rule: rule.rank), start=1):
        effects[rule.name, rule.hides].append((place, rule))
    for name in sorted({name for name, hides in effects if hides}):
        last = _last_rules(page, nodes_of, effects[name, True])
        # Rules that show elements matter only where others hide some.
        if last.any():
            hidden |= last > _last_rules(page, nodes_of, effects[name, False])
    return hidden


def _last_rules(
    page: SnapshotArrays,
    nodes_of: Mapping[str, NDArray[np.intp]],
    rules: Sequence[tuple[int, _Rule]],
) -> NDArray[np.int32]:
    """int32, shape (n,): place of the last of some rules that selects each node, 0 for none."""
    last = np.zeros(len(page), np.int32)
    budget = MAX_MATCHES
    for place, rule in rules:
        # Elements with all names of each part; none for a part without names.
        named = [[nodes_of.get(name, NONE) for name in part.names] for part in rule.compounds]
        parts = [reduce(partial(np.intersect1d, assume_unique=True), nodes or [NONE])
                 for nodes in named]  # fmt: skip
        budget -= sum(map(len, parts))
        if budget < 0:
            break
        if all(map(len, parts)):
            last[_selected(page, rule.compounds, parts)] = place
    return last


def _names(attributes: Attributes) -> frozenset[str]:
    """Every class and id of a page, with its sign."""
    names: set[str] = set()
    for sign, attribute in SIGNS:
        codes = set(attributes.nodes_with(attribute)[1].tolist())
        values = [attributes.strings[code] for code in codes]
        names.update(map(sign.__add__, " ".join(values).split() if sign == "." else values))
    return frozenset(names)


def _rules(text: str, known: frozenset[str]) -> Iterator[_Rule]:
    """Rules for screens that hide or show elements with known classes and ids."""
    number = 0
    for prelude, declarations in _blocks(COMMENT.sub(" ", text)):
        settings = dict(_settings(declarations))
        for selector in prelude.split(",") if settings else ():
            # Most style sheets are for many pages, of which this is one.
            is_of_page = known.issuperset(NAME.findall(selector))
            compounds = _compounds(selector.strip()) if is_of_page else ()
            if not compounds:
                continue
            signs = [name[0] for part in compounds for name in part.names]
            ids, classes = signs.count("#"), signs.count(".") + signs.count("[")
            for name, (hides, important) in settings.items():
                number += 1
                if number > MAX_RULES:
                    return
                rank = (important, ids, classes, len(signs) - ids - classes, number)
                yield _Rule(compounds, name, hides, rank)


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Preludes and lower-case contents of the blocks that apply to a screen.

    An ``@`` block that is not closed, or nested too deeply, extends to the end.
    """
    prelude = ""
    for part in AT_BLOCK.sub(_content, text).split("}")[:-1]:
        before, brace, content = part.partition("{")
        prelude += before
        if not brace:
            prelude += "}"
            continue
        if "@" in prelude and _selectors(prelude).startswith("@"):
            return
        yield _selectors(prelude), content.lower()
        prelude = ""


def _content(block: re.Match[str]) -> str:
    """The rules within an ``@`` block, or none if they need not apply to the screen."""
    prelude, _, content = block[0].partition("{")
    applies = ALWAYS.match(prelude) or _applies(prelude)
    return f";{AT_BLOCK.sub(_content, content[:-1])}" if applies else ";"


def _applies(prelude: str) -> bool:
    """Whether one of the queries of a ``@media`` block is known to apply to the screen."""
    return any(map(_is_of_screen, prelude.removeprefix("@media").split(",")))


def _is_of_screen(query: str) -> bool:
    bounds = WIDTH.findall(query)
    is_known = MEDIA.fullmatch(query.strip()) and query.count("(") == len(bounds)
    pixels = [float(size) * (1 if unit == "px" else EM) for _, size, unit in bounds]
    room = (
        SCREEN_WIDTH - width if bound == "min" else width - SCREEN_WIDTH
        for (bound, _, _), width in zip(bounds, pixels, strict=True)
    )
    return bool(is_known) and min(room, default=0) >= 0


def _selectors(prelude: str) -> str:
    return prelude.rpartition(";")[2].strip().lstrip("}").strip()


def _settings(declarations: str) -> Iterator[tuple[str, tuple[bool, bool]]]:
    if "display" in declarations or "visibility" in declarations:
        for name, value, important in PROPERTY.findall(declarations):
            hides = value == "none" if name == "display" else value in ("hidden", "collapse")
            yield name, (hides, bool(important))
    if leaves_nothing(declarations):
        yield "clip", (True, False)


def leaves_nothing(declarations: str) -> bool:
    """Whether declarations, in lower case, leave nothing of an element that is displayed.

    What is transparent within the text may be faded in; what lies over it is shown on demand.
    """
    # Looking for a part of each first is faster than the whole patterns.
    has_part = "clip" in declarations or "font-size" in declarations or FAR.search(declarations)
    is_away = has_part and HIDDEN_CLIP.search(declarations)
    has_part = "overflow" in declarations and CLIPPING.search(declarations)
    is_closed = has_part and CLOSED.search(declarations)
    has_part = "opacity" in declarations and CLEAR.search(declarations)
    return bool(is_away or is_closed or (has_part and OVER.search(declarations)))


def _compounds(selector: str) -> tuple[_Compound, ...]:
    """Parts of a selector; empty for a selector of another form."""
    compounds: list[_Compound] = []
    place, child = 0, False
    while place < len(selector):
        part = COMPOUND.match(selector, place)
        if part is None or part.end() == place:
            return ()
        tag = () if part[1] in (None, "*") else (part[1].lower(),)
        conditions = CONDITION.findall(part[2])
        names = NAME.findall(CONDITION.sub("", part[2]))
        compounds.append(_Compound((*names, *conditions, *tag), child))
        if part.end() == len(selector):
            return tuple(compounds)
        between = COMBINATOR.match(selector, part.end())
        if between is None:
            return ()
        place, child = between.end(), between[1] is not None
    return ()


def _selected(
    page: SnapshotArrays, compounds: Sequence[_Compound], parts: Sequence[NDArray[np.intp]]
) -> NDArray[np.intp]:
    """Elements that a selector selects, from those that fit each of its parts."""
    nodes = parts[0]
    for part, inside in zip(compounds[1:], parts[1:], strict=True):
        if not len(nodes):
            break
        if part.child:
            # All nodes are in document order.
            nearest = page.parent[inside]
            place = np.searchsorted(nodes, nearest).clip(max=len(nodes) - 1)
            nodes = inside[nodes[place] == nearest]
        else:
            # Subtrees are nested or disjoint: one that began before and ends later is around.
            ends = np.append(0, np.maximum.accumulate(page.end[nodes]))
            nodes = inside[ends[np.searchsorted(nodes, inside)] > inside]
    return nodes


def _nodes_of(page: SnapshotArrays, names: set[str]) -> dict[str, NDArray[np.intp]]:
    """Elements with each of some tags, classes, ids and attributes, as they are in selectors."""
    nodes_of: defaultdict[str, list[NDArray[np.intp]]] = defaultdict(list)
    for name in names:
        if name[0] == "[":
            nodes_of[name].append(_with_attribute(page, name))
        elif name[0] not in ".#":
            nodes_of[name].append(page.with_tag(name).nonzero()[0])
    for sign, attribute in SIGNS:
        nodes, values = page.attributes.nodes_with(attribute)
        order = np.argsort(values, kind="stable")
        starts = np.diff(values[order], prepend=-1).nonzero()[0].tolist()
        for start, stop in pairwise([*starts, len(order)]):
            text = page.attributes.strings[values[order[start]]]
            for name in map(sign.__add__, set(text.split()) if sign == "." else (text,)):
                if name in names:
                    nodes_of[name].append(nodes[order[start:stop]])
    return {name: np.sort(np.concatenate(nodes)) for name, nodes in nodes_of.items()}


def _with_attribute(page: SnapshotArrays, condition: str) -> NDArray[np.intp]:
    """Elements whose attribute is as a condition in brackets says."""
    name, is_compared, given = condition[1:-1].partition("=")
    sign = name[-1:] if name.endswith(("~", "^", "$", "*")) else ""
    name, given = name.removesuffix(sign).strip().lower(), given.strip().strip("\"'")
    holds: dict[str, Callable[[str], bool]] = {
        "": given.__eq__,
        "~": lambda value: given in value.split(),
        "^": lambda value: bool(given) and value.startswith(given),
        "$": lambda value: bool(given) and value.endswith(given),
        "*": lambda value: bool(given) and given in value,
    }
    pairs = page.attributes.with_attribute(name, holds[sign] if is_compared else None)
    return np.array([node for node, _ in pairs], np.intp)
