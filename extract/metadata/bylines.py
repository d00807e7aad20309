"""Bylines that the page shows: blocks with roles, marked elements, lines that begin with "by".

A byline is read by one grammar over its text nodes: names after "by", in links, or in plain text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

import numpy as np

from ...features.words import collapse
from ...patterns import lazy_re
from .dates import divided_at_dates
from .finding import Finding, RoleText, Scene, link_around, subtree_text, tidy
from .names import ANDS, author_names, credits_others, has_by, is_written_as_name

MAX_BYLINE = 160

# Byline blocks of one article are close together; those further apart belong to other articles.
MAX_APART = 6

# No article has as many blocks of bylines or datelines.
MAX_BLOCKS = 40

MAX_MARKED = 50
MAX_BESIDE = 16
MAX_ABOVE = 3

# Links that mkdocs resolves have the class "autorefs".
AUTHOR = lazy_re("author|byline|by-line|creator|autor(?!ef)|auteur|writer|vcard")
NOT_AUTHOR = lazy_re(r"bio\b|avatar|image|img|photo|pic|about|social|comment|related|follow|"
                        r"date|time|title|desc|role|job|brand|icon|authori[sz]")  # fmt: skip
BY = lazy_re(
    r"(?<![^\W\d_])(?:(?i:(?:posted|written|published|submitted) by)|B[yY]|^by|(?<=[^\w\s] )by|"
    r"(?<=\d )by|(?<= ago )by|by$)(?![^\W\d_])"
)
"""The word "by" before an author; between words in lower case, it may be part of a name."""

OF_OTHERS = lazy_re(
    r"(?:ed|(?<!writt)en|ing|photos?|photography|images?|art|videos?|graphics?|illustrations?|translation|"
    r"makeup|hair|originally|last|(?:last|latest) (?:post|reply))\s*$",
    re.IGNORECASE,
)
"""Text before "by" if it names an editor or illustrator, or the author of another post."""

CHINESE_NAME = lazy_re("[一-鿿]{2,4}")

REPORTED = lazy_re(
    r"(?:記者|记者|[(（]\s?文\s?[／/])\s*+(?![从從在就昨今近现現综綜])([一-鿿]{2,3})\s*+"
    r"(?:[)）]|[／/]?(?:[一-鿿]{1,3}\s*+)?(?:報導|报道))|"
    r"[(（]([一-鿿]{3})報導[)）]|(?<![一-鿿])([一-鿿]{3})\s+報導\s*$"
)
"""The reporter in a Chinese article, as in 記者林宜靜台北報導, but not 記者在台北報導."""

REPORT_SIGNS = ("記", "记", "文", "報")
"""Characters of which `REPORTED` needs at least one."""

CONNECTOR = lazy_re(rf"[\s,;&+•·]*+(?:({ANDS})\s*)?", re.IGNORECASE)

LONE_WORD = lazy_re(r"(?!Reuters|Bloomberg)[A-Z][^\W\d_A-Z]+|[A-Z]{8,}")
"""A capitalized word such as "Politics" or "WASHINGTON", except agencies."""


class Part(NamedTuple):
    """A text node of a byline, whether it is inside a link, and the class of its element."""

    text: str
    is_linked: bool
    look: str = ""


def shown_authors(scene: Scene) -> Iterator[Finding]:
    """Findings of names in blocks with roles, in marked elements and in lines after "by"."""
    yield from _in_blocks(scene)
    low, high = scene.head
    yield from _linked_bylines(scene, low, high)
    yield from _named_bylines(scene, low, high)
    for node, text in scene.head_lines:
        if len(text) <= MAX_BYLINE and has_by(text):
            if author_names([text]):
                yield Finding("authors", (text,), "byline", node)
            else:
                line = RoleText("byline", _line_after_by(scene, node))
                yield from _named(scene, [line], "byline", _names_by)


def line_of(scene: Scene, block: RoleText) -> str:
    """The text of a block, with spaces between its text nodes."""
    return tidy(" ".join([scene.snapshot.text[node] for node in block.nodes]))


def _in_blocks(scene: Scene) -> Iterator[Finding]:
    """Names in bylines, datelines, biographies and notes."""
    for role, by, others in (
        ("byline", _names_by, _names),
        ("dateline", _names_by, _names_beside_date),
        ("author-bio", _full_names, _full_names),
        ("note", _labelled_names, None),
    ):
        places = [place for place, block in enumerate(scene.blocks) if block.role == role]
        apart = (n for n, (one, other) in enumerate(pairwise(places), 1) if other - one > MAX_APART)
        near = [scene.blocks[place] for place in places[: min(next(apart, MAX_BLOCKS), MAX_BLOCKS)]]
        kept = [block for block in near if len(line_of(scene, block)) <= MAX_BYLINE]
        yield from _named(scene, _with_by(scene, kept), f"{role} with by", by)
        if others:
            yield from _named(scene, kept, role, others)
    yield from _named(scene, _with_report(scene), "report", _reporters)


def _named(
    scene: Scene,
    blocks: Sequence[RoleText],
    group: str,
    names_of: Callable[[list[Part]], list[str]],
) -> Iterator[Finding]:
    names = dict.fromkeys(n for block in blocks for n in names_of(_parts(scene, block)))
    if names:
        source, node = f"{blocks[0].role} block", blocks[0].nodes[0]
        yield Finding("authors", _without_lone_words(tuple(names)), source, node, group)


def _with_report(scene: Scene) -> list[RoleText]:
    """The first block of the text that names its reporter."""
    kept = (b for b in scene.blocks if b.role in ("byline", "dateline", "note", "paragraph"))
    return next(
        ([b] for b in kept if any(_has_report(scene.snapshot.text[n]) for n in b.nodes)), []
    )


def _has_report(text: str) -> bool:
    # Searching for single characters takes a fraction of the time of the pattern.
    return any(sign in text for sign in REPORT_SIGNS) and REPORTED.search(text) is not None


def _reporters(parts: list[Part]) -> list[str]:
    """The first reporter named in a block, who is its author."""
    matches = filter(None, (REPORTED.search(part.text) for part in parts))
    return [match[match.lastindex or 0] for match in matches][:1]


def _labelled_names(parts: list[Part]) -> list[str]:
    """Full names, or Chinese ones, after a label."""
    return _full_names(parts) or [name for name in _plain(parts) if CHINESE_NAME.fullmatch(name)]


def _without_lone_words(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names without the single words after a full name, which are places and sections."""
    if " " not in names[0]:
        return names
    return tuple(name for name in names if not LONE_WORD.fullmatch(name))


def _with_by(scene: Scene, blocks: Sequence[RoleText]) -> list[RoleText]:
    return [block for block in blocks if _begins_with_by(_from_by(_parts(scene, block)))]


def _parts(scene: Scene, block: RoleText) -> list[Part]:
    snapshot = scene.snapshot
    return [
        Part(
            collapse(snapshot.text[n]),
            link_around(snapshot, n) is not None,
            snapshot.attributes.get(int(snapshot.parent[n]), "class") or "",
        )
        for n in block.nodes
    ]


def _begins_with_by(parts: list[Part]) -> bool:
    """Whether a line begins with "by" and a name, or with a text node that is only "by"."""
    first = next((part.text for part in parts if part.text.strip()), "")
    return has_by(first) or has_by(_joined(parts))


def _joined(parts: list[Part]) -> str:
    return " ".join(part.text for part in parts)


def _from_by(parts: list[Part]) -> list[Part]:
    """The part of a line such as "News | 3 May | By Jane Doe" from "by" on, or the whole line."""
    before = ""
    for place, part in enumerate(parts):
        by = BY.search(part.text)
        if by:
            before += part.text[: by.start()]
            if not before.strip() or "(" in before or OF_OTHERS.search(before):
                return parts
            return [part._replace(text=part.text[by.start() :]), *parts[place + 1 :]]
        before += f"{part.text} "
    return parts


def _names(parts: list[Part]) -> list[str]:
    if credits_others(_joined(parts)) or _has_other_label(parts):
        return []
    if _begins_with_by(_from_by(parts)):
        return _names_by(parts)
    return _linked_names(parts) or _plain(parts)


def _names_by(parts: list[Part]) -> list[str]:
    """Names after "by"."""
    parts = _from_by(parts)
    after = _after_by(parts)
    if after:
        # Links after an account or "in" are sections or tags, and those after text are agencies.
        if not _byline_names(after.text):
            return []
        if not after.is_linked:
            return _names_in_a_row(parts[parts.index(after) :])
    if has_by(parts[0].text) and author_names([parts[0].text]):
        # "By Jane Doe, <a>Agency</a>"
        return _byline_names(parts[0].text)
    return _linked_names(parts) or _plain(parts)


def _has_other_label(parts: list[Part]) -> bool:
    """Whether a line begins with a label such as "Category:"."""
    first = next((part.text.strip() for part in parts if part.text.strip()), "")
    return first.endswith((":", "：")) and not (BY.search(first) or has_by(first.split("|")[-1]))


def _after_by(parts: list[Part]) -> Part | None:
    """The text node after one that is only "by", or None."""
    first, *others = [part for part in parts if any(map(str.isalnum, part.text))]
    return others[0] if others and has_by(first.text) and not author_names([first.text]) else None


def _linked_names(parts: list[Part]) -> list[str]:
    """Names in links, from the first one on."""
    places = (n for n, part in enumerate(parts) if part.is_linked and _byline_names(part.text))
    return _names_in_a_row(parts[next(places, len(parts)) :])


def _names_in_a_row(parts: list[Part]) -> list[str]:
    """Names from the first text node to the first that is neither a name nor a connector.

    After the first, plain names follow an "and", and links follow a link, a comma or an "and".
    """
    names: list[str] = []
    plain_follows = link_follows = True
    look = ""
    for part in parts:
        # Elements of the class of the first name are names, too.
        is_alike = bool(look) and part.look == look
        follows = is_alike or (link_follows if part.is_linked else plain_follows)
        more = _byline_names(part.text) if follows else []
        connector = CONNECTOR.fullmatch(part.text)
        if more:
            look = look or part.look
            names += more
            plain_follows, link_follows = False, part.is_linked
        elif connector:
            plain_follows |= connector[1] is not None
            link_follows |= part.text.strip() != ""
        elif names:
            break
    return names


def _plain(parts: list[Part]) -> list[str]:
    """Names in the first text node that contains some."""
    return next(filter(None, (_byline_names(part.text) for part in parts)), [])


def _names_beside_date(parts: list[Part]) -> list[str]:
    """Full names in a line with a date, unless they are one of several links, as sections are."""
    signed = [part for part in _around_dates(parts) if has_by(part.text)]
    if signed:
        return _full_names(signed)
    links = [part for part in parts if part.is_linked and _is_name(part.text.strip())]
    if not any(map(str.isdecimal, _joined(parts))) or len(links) > 1:
        return []
    # Text after a label such as "Towns:" is something else.
    return _full_names(list(takewhile(lambda part: not part.text.strip().endswith(":"), parts)))


def _around_dates(parts: list[Part]) -> list[Part]:
    """The texts around the dates of a line: "par Jane" in "Publié le 3 mars 2021 par Jane"."""
    return [Part(text.strip(), False) for part in parts for text in divided_at_dates(part.text)]


def _full_names(parts: list[Part]) -> list[str]:
    """Names of at least two capitalized words, since single ones in a dateline are other words.

    "Political News" is a section.
    """
    words = [(name, name.split()) for name in _plain(parts)]
    return [
        name
        for name, each in words
        if len(each) > 1 and all(w[0].isupper() for w in each) and each[-1] != "News"
    ]


def _byline_names(text: str) -> list[str]:
    return [name for name in author_names([text]) if _is_name(name)]


def _is_name(name: str) -> bool:
    if any(map(str.isdecimal, name)):
        return False
    # Names in scripts without capitals may have two characters.
    return is_written_as_name(name) or not any(map(str.isascii, name))


def _linked_bylines(scene: Scene, low: int, high: int) -> Iterator[Finding]:
    """Findings in links to authors; those that are close together name those of one article."""
    marked = scene.with_attribute("rel", low, high, lambda rel: "author" in rel.lower().split())
    groups: list[list[tuple[int, str]]] = []
    for node, _ in marked[:MAX_MARKED]:
        text = subtree_text(scene, node)
        if 0 < len(text) <= MAX_BYLINE:
            if not groups or node - groups[-1][-1][0] > MAX_BESIDE:
                groups.append([])
            groups[-1].append((node, text))
    for group in groups:
        yield Finding("authors", tuple(text for _, text in group), "rel=author", group[0][0])


def _named_bylines(scene: Scene, low: int, high: int) -> Iterator[Finding]:
    """Findings in the innermost elements whose class or id refers to authors.

    Innermost elements within the same outermost element contain the names of several authors.
    """
    end = scene.snapshot.end
    marks = {
        node: f"{name} {value[:60]!r}"
        for name in ("id", "class")
        for node, value in scene.with_attribute(name, low, high, _names_author)
    }
    nodes = sorted(marks)
    groups: list[tuple[int, list[str]]] = []
    for node, following in zip(nodes, [*nodes, len(end)][1:], strict=True):
        if not groups or node >= end[groups[-1][0]]:
            groups.append((node, []))
        text = subtree_text(scene, node) if following >= end[node] else ""
        if 0 < len(text) <= MAX_BYLINE and is_written_as_name(
            "".join(divided_at_dates(text)).strip()
        ):
            groups[-1][1].append(text)
    for node, texts in groups:
        if texts:
            yield Finding("authors", tuple(texts), marks[node], node)


def _names_author(value: str) -> bool:
    low = value.lower()
    return AUTHOR.search(low) is not None and not NOT_AUTHOR.search(low)


def _line_after_by(scene: Scene, node: int) -> list[int]:
    """Text nodes of the longest line that begins with "by" at a node, or this and the next one."""
    page, above, line = scene.snapshot, node, [node]
    for _ in range(MAX_ABOVE):
        above = int(page.parent[above])
        # What holds the body is no line.
        if above < 0 or above <= scene.start < int(page.end[above]):
            break
        text = subtree_text(scene, above)
        if len(text) > MAX_BYLINE or not has_by(text):
            break
        line = [n for n in range(above, int(page.end[above])) if page.is_text[n]]
    after = int(np.searchsorted(scene.texts, node)) + 1
    if len(line) == 1 and after < len(scene.texts):
        # "by" is within a line, which is no text of the body.
        place = int(scene.texts[after])
        line += [] if scene.start <= place < scene.stop else [place]
    return line
