"""Findings of byline and dateline blocks, for methods that know roles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...features.words import collapse
from ...renderer.snapshot import Snapshot
from .datelines import UPDATED, labelled_days, names_a_change
from .finding import Finding, RoleText, tidy
from .names import author_names, has_by, is_written_as_name
from .relative_dates import relative_date
from .rendered import MAX_BYLINE

__all__ = ["role_findings"]

# Byline blocks of one article are close together; those further apart belong to other articles.
MAX_APART = 6

# Elements between a text and the link around it.
MAX_LEVELS = 5

AUTHORS, WITH_BY, BY_IN_DATELINE, BESIDE_DATE = 5.6, 5.7, 5.5, 2.0
"""Weights of names in bylines, in those with "by", in datelines with "by", and in datelines.

All but the last are higher than those of other rendered evidence, and lower than that of declared
authors.
"""

DATELINE, BYLINE, RELATIVE = 5.6, 4.0, 2.5
"""Weights of a written date in a dateline, of one in a byline, and of a relative date.

The first is higher than that of a `time` element that nothing marks as the day of publication: such
elements are clocks and dates of other articles, too.
"""

CONNECTOR = re.compile(r"[\s,;&+•·|/]*+(?:(?:and|und|et|y|og|och|en|и|e)\s*)?", re.IGNORECASE)


def role_findings(
    snapshot: Snapshot, blocks: Sequence[RoleText], month_first: bool | None
) -> Iterator[Finding]:
    """Findings of the blocks of bylines and datelines.

    Parameters
    ----------
    snapshot
        The page.
    blocks
        Its blocks in document order.
    month_first
        Whether 3/4/2021 is a day in March; None if that is uncertain.
    """
    yield from _authors(snapshot, blocks)
    before = ""
    for block in blocks:
        line = ""
        if block.role in ("dateline", "byline"):
            line = _line(snapshot, block)
            if len(line) <= MAX_BYLINE:
                yield from _dates(snapshot, block, f"{before} {line}", month_first)
        before = line if block.role == "dateline" and names_a_change(line) else ""


def _line(snapshot: Snapshot, block: RoleText) -> str:
    """The text of a block, with spaces between its text nodes."""
    return tidy(" ".join([snapshot.text[node] for node in block.nodes]))


def _authors(snapshot: Snapshot, blocks: Sequence[RoleText]) -> Iterator[Finding]:
    bylines = _of_one_article(snapshot, blocks, "byline")
    # "By Jane Doe, 3 May" and "Jane Doe • 3 May" are datelines, too.
    datelines = _of_one_article(snapshot, blocks, "dateline")
    for kept, weight, names_of in (
        (_with_by(snapshot, bylines), WITH_BY, _names),
        (bylines, AUTHORS, _names),
        (_with_by(snapshot, datelines), BY_IN_DATELINE, _names),
        (datelines, BESIDE_DATE, _full_names),
    ):
        names: dict[str, None] = {}
        for block in kept:
            names |= dict.fromkeys(names_of(snapshot, block))
        if names:
            source = f"{kept[0].role} block, node {kept[0].nodes[0]}"
            yield Finding("authors", tuple(names), source, weight)


def _with_by(snapshot: Snapshot, blocks: Sequence[RoleText]) -> list[RoleText]:
    return [block for block in blocks if has_by(_line(snapshot, block))]


def _of_one_article(snapshot: Snapshot, blocks: Sequence[RoleText], role: str) -> list[RoleText]:
    """The first blocks of a role that stand close together, without long ones."""
    cluster: list[RoleText] = []
    last = 0
    for place, block in enumerate(blocks):
        if block.role != role:
            continue
        if cluster and place - last > MAX_APART:
            break
        last = place
        cluster.append(block)
    return [block for block in cluster if len(_line(snapshot, block)) <= MAX_BYLINE]


def _names(snapshot: Snapshot, block: RoleText) -> list[str]:
    names = _before_links(snapshot, block) or _linked_names(snapshot, block)
    return names or _plain(snapshot, block)


def _before_links(snapshot: Snapshot, block: RoleText) -> list[str]:
    """Full names after "by" in the first text node, as in "By Jane Doe, <a>Agency</a>"."""
    text = collapse(snapshot.text[block.nodes[0]])
    if _is_linked(snapshot, block.nodes[0]) or not has_by(text):
        return []
    return [name for name in _byline_names(text) if " " in name]


def _linked_names(snapshot: Snapshot, block: RoleText) -> list[str]:
    """Names in links, from the first one until more than "and" is between them."""
    names: list[str] = []
    for node in block.nodes:
        text = collapse(snapshot.text[node])
        node_names = _byline_names(text) if _is_linked(snapshot, node) else []
        if names and not node_names and not CONNECTOR.fullmatch(text):
            break
        names += node_names
    return names


def _plain(snapshot: Snapshot, block: RoleText) -> list[str]:
    """Names in the first text node that contains some."""
    for node in block.nodes:
        if names := _byline_names(collapse(snapshot.text[node])):
            return names
    return []


def _full_names(snapshot: Snapshot, block: RoleText) -> list[str]:
    """Names of two words and more, each with a capital: other words of a dateline have one."""
    words = [(name, name.split()) for name in _plain(snapshot, block)]
    return [name for name, parts in words if len(parts) > 1 and all(p[0].isupper() for p in parts)]


def _byline_names(text: str) -> list[str]:
    return [name for name in author_names([text]) if _is_name(name)]


def _is_name(name: str) -> bool:
    if any(map(str.isdecimal, name)):
        return False
    # Names in scripts without capitals may have two characters.
    return is_written_as_name(name) or not any(map(str.isascii, name))


def _is_linked(snapshot: Snapshot, node: int) -> bool:
    for _ in range(MAX_LEVELS):
        node = int(snapshot.parent[node])
        if node < 0:
            return False
        if snapshot.tag_name(node) == "a":
            return True
    return False


def _dates(
    snapshot: Snapshot, block: RoleText, line: str, month_first: bool | None
) -> Iterator[Finding]:
    is_dateline = block.role == "dateline"
    named, weight = ("dateline block", DATELINE) if is_dateline else ("date in a byline", BYLINE)
    days = labelled_days(line, month_first)
    for field, day in days:
        yield Finding(field, (day,), f"{named}, node {block.nodes[0]}", weight)
    day = None if days or not is_dateline else relative_date(line, snapshot.page.time)
    if day:
        field = "modified" if UPDATED.search(line) else "date"
        yield Finding(field, (day,), f"relative date, node {block.nodes[0]}", RELATIVE)
