"""Texts that make a regular expression backtrack, derived from the expression itself.

A text consists of a prefix, a unit that is repeated, and an end at which a match fails. Prefixes
and units come from the parsed expression: each of its repetitions is a unit, and so is each of its
beginnings, which makes a search start again at every position. Characters that are frequent on
pages are always used as units.
"""

import itertools
import re
import re._constants as ops  # pyright: ignore
import re._parser as parser  # pyright: ignore
from collections.abc import Iterator, Sequence
from typing import Any

UNITS = (
    " ", "\n", "\t", "\r\n", "/", "\\", "0", "a", "A", "_", "-", ".", ",", ":", ";", "'", '"', "[",
    "]", "(", "<", ">", "{", "%", "&", "#", "=", "*", "|", "`", "$", "é", "中", "\u0301", " a",
    "a/", "1.", "1/", "1 ", "a-", "<a ", "<!--", "//", '"a":', "aA", "a1", "\\\\\"",
)  # fmt: skip
ENDS = ("", "\x01", "\n!", " a")
SAMPLES = " a1A/.-\n,:;\"'<>[]{}()é中\x01"
MOST_UNITS = 40

Parsed = Sequence[tuple[Any, Any]]


def pump(pattern: str | bytes, flags: int, sizes: Sequence[int]) -> Iterator[tuple[str, list[str]]]:
    """Texts of about the given numbers of characters.

    Yields
    ------
    description, texts
        Texts of the same parts, one of each size.
    """
    for before, unit, after in parts(pattern, flags):
        texts = [before + unit * max(size // len(unit), 1) + after for size in sizes]
        yield f"{before[:40]!r} + {unit[:40]!r} * n + {after!r}", texts


def parts(pattern: str | bytes, flags: int) -> list[tuple[str, str, str]]:
    """Prefix, unit and end of each text."""
    source = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
    tree = parser.parse(source, flags & ~re.UNICODE if isinstance(pattern, bytes) else flags)
    own = list(dict.fromkeys(_repetitions(tree.data, "")))
    whole = dict.fromkeys(_sample(tree.data[:k], pick) for k in range(1, 9) for pick in range(3))
    units = [("", unit) for unit in (*UNITS, *itertools.islice(filter(None, whole), MOST_UNITS))]
    own = [(before, unit) for before, unit in own[: 2 * MOST_UNITS] if unit]
    triples = [(before, unit, end) for before, unit in (*own, *units) for end in ENDS]
    return [one for one in dict.fromkeys(triples) if _is_for(pattern, "".join(one))]


def _is_for(pattern: str | bytes, text: str) -> bool:
    return isinstance(pattern, str) or all(ord(c) < 256 for c in text)


def _repetitions(items: Parsed, before: str) -> Iterator[tuple[str, str]]:
    """The prefix of each repetition, and what it repeats."""
    for op, value in items:
        for inner in _inner(op, value):
            if op in REPEATS and (value[1] is ops.MAXREPEAT or value[1] > 8):
                for pick in range(4):
                    yield before, _sample(inner, pick)
            yield from _repetitions(inner, before)
        before += _sample([(op, value)], 0)


def _inner(op: Any, value: Any) -> list[Parsed]:
    if op in REPEATS:
        return [value[2].data]
    if op is ops.BRANCH:
        return [branch.data for branch in value[1]]
    if op is ops.SUBPATTERN:
        return [value[3].data]
    if op is ops.ATOMIC_GROUP:
        return [value.data]
    if op in (ops.ASSERT, ops.ASSERT_NOT):
        return [value[1].data]
    return []


REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)


def _sample(items: Parsed, pick: int) -> str:
    """A text that approximately matches the items; a different `pick` gives a different text."""
    text = ""
    for op, value in items:
        if op is ops.LITERAL:
            text += chr(value)
        elif op in (ops.IN, ops.NOT_LITERAL, ops.ANY):
            text += _character(op, value, pick)
        elif op in REPEATS:
            text += _sample(value[2].data, pick) * max(value[0], 1)
        elif op is ops.BRANCH:
            branches = value[1]
            text += _sample(branches[pick % len(branches)].data, pick // len(branches))
        elif op in (ops.SUBPATTERN, ops.ATOMIC_GROUP, ops.ASSERT):
            text += "".join(_sample(inner, pick) for inner in _inner(op, value))
    return text


def _character(op: Any, value: Any, pick: int) -> str:
    if op is ops.ANY:
        return SAMPLES[pick % len(SAMPLES)]
    if op is ops.NOT_LITERAL:
        fit = [c for c in SAMPLES if ord(c) != value]
    else:
        own = [chr(v if kind is ops.LITERAL else v[0]) for kind, v in value
               if kind in (ops.LITERAL, ops.RANGE)]  # fmt: skip
        fit = [c for c in (*SAMPLES, *own) if _is_in(value, c)]
    return fit[pick % len(fit)] if fit else "x"


def _is_in(members: Parsed, character: str) -> bool:
    negated = bool(members) and members[0][0] is ops.NEGATE
    code = ord(character)
    for kind, value in members:
        inside = (
            (kind is ops.LITERAL and code == value)
            or (kind is ops.RANGE and value[0] <= code <= value[1])
            or (kind is ops.CATEGORY and re.fullmatch(CATEGORIES[value], character) is not None)
        )
        if inside:
            return not negated
    return negated


CATEGORIES = {
    ops.CATEGORY_DIGIT: r"\d", ops.CATEGORY_NOT_DIGIT: r"\D", ops.CATEGORY_SPACE: r"\s",
    ops.CATEGORY_NOT_SPACE: r"\S", ops.CATEGORY_WORD: r"\w", ops.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip
