"""Findings in byline, dateline and kicker blocks, for methods that have roles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ...features.links import absolute_url
from ...features.words import collapse
from ...patterns import lazy_re
from ...renderer.network.origins import site_of
from ...renderer.page.snapshot import Snapshot
from .dates import UPDATED, divided_at_dates, labelled_days, names_a_change, relative_date
from .finding import Finding, RoleText, Scene, captured_time, link_around, tidy
from .names import ANDS, author_names, credits_others, has_by, is_written_as_name, name_key
from .rendered import MAX_BYLINE
from .vocabulary import words_of

# Byline blocks of one article are close together; those further apart belong to other articles.
MAX_APART = 6

# No article has as many blocks of bylines or datelines.
MAX_BLOCKS = 40

# Maximum number of blocks of a role whose names are also taken alone.
MAX_ALONE = 4

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

LABEL = lazy_re(
    r"(?i:author|autor(?:in|en)?|auteur|автор)\s?:|Autorin/Autor\b|(?:作者|記者|记者)\s?[:：]"
)
"""A label of an author in other text."""

FIRST_OF_LABELS = frozenset("aа作記记")

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


def role_findings(scene: Scene) -> Iterator[Finding]:
    """Findings in byline and dateline blocks."""
    snapshot, blocks, month_first = scene.snapshot, scene.blocks, scene.month_first
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
    """Names in bylines, datelines, biographies and notes, all of a role and block by block."""
    for role, by, others in (
        ("byline", _names_by, _names),
        ("dateline", _names_by, _names_beside_date),
        ("author-bio", _full_names, _full_names),
        ("note", _labelled_names, None),
    ):
        near = _of_one_article(snapshot, blocks, role)
        for kept in (near, *([block] for block in near[:MAX_ALONE] if len(near) > 1)):
            alone = " alone" if len(kept) < len(near) else ""
            yield from _named(snapshot, _with_by(snapshot, kept), f"{role} with by{alone}", by)
            if others:
                yield from _named(snapshot, kept, f"{role}{alone}", others)
    labelled = (b for b in blocks if b.role == "boilerplate" and _has_label(snapshot, b))
    yield from _named(snapshot, list(islice(labelled, 1)), "label", _labelled_names)
    yield from _named(snapshot, _with_report(snapshot, blocks), "report", _reporters)


def _named(
    snapshot: Snapshot,
    blocks: Sequence[RoleText],
    group: str,
    names_of: Callable[[list[Part]], list[str]],
) -> Iterator[Finding]:
    names = dict.fromkeys(n for block in blocks for n in names_of(_parts(snapshot, block)))
    if names:
        source, node = f"{blocks[0].role} block", blocks[0].nodes[0]
        yield Finding("authors", _without_lone_words(tuple(names)), source, node, group)


def _has_label(snapshot: Snapshot, block: RoleText) -> bool:
    # The first letter excludes most blocks before their texts are joined.
    if snapshot.text[block.nodes[0]].lstrip()[:1].lower() not in FIRST_OF_LABELS:
        return False
    line = _line(snapshot, block)
    return len(line) <= MAX_BYLINE and LABEL.match(line) is not None


def _with_report(snapshot: Snapshot, blocks: Sequence[RoleText]) -> list[RoleText]:
    """The first block of the text that names its reporter."""
    kept = (b for b in blocks if b.role in ("byline", "dateline", "note", "paragraph"))
    return next(([b] for b in kept if any(_has_report(snapshot.text[n]) for n in b.nodes)), [])


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


def _with_by(snapshot: Snapshot, blocks: Sequence[RoleText]) -> list[RoleText]:
    return [block for block in blocks if _begins_with_by(_from_by(_parts(snapshot, block)))]


def _parts(snapshot: Snapshot, block: RoleText) -> list[Part]:
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


def _of_one_article(snapshot: Snapshot, blocks: Sequence[RoleText], role: str) -> list[RoleText]:
    """The first group of blocks of a role that are close together, without long ones."""
    cluster: list[RoleText] = []
    last = 0
    for place, block in enumerate(blocks):
        if block.role != role:
            continue
        if cluster and (place - last > MAX_APART or len(cluster) == MAX_BLOCKS):
            break
        last = place
        cluster.append(block)
    return [block for block in cluster if len(_line(snapshot, block)) <= MAX_BYLINE]


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


def _dates(
    snapshot: Snapshot, block: RoleText, line: str, month_first: bool | None
) -> Iterator[Finding]:
    is_dateline = block.role == "dateline"
    named = "dateline block" if is_dateline else "date in a byline"
    days = labelled_days(line, month_first)
    for field, day in days:
        yield Finding(field, (day,), named, block.nodes[0])
    day = None if days else relative_date(line, captured_time(snapshot))
    if day:
        field = "modified" if UPDATED.search(line) else "date"
        yield Finding(field, (day,), "relative date", block.nodes[0])


MAX_KICKER = 30
MAX_KICKER_WORDS = 3
AROUND_KICKER = " |/»›>·•:-–—#,"

# Kickers that are no sections, as keys, and parts of addresses that sections do not have.
NO_SECTION = words_of("no kicker")
OTHER_PATHS = words_of("no section in address")


def kicker_sections(scene: Scene) -> Iterator[Finding]:
    """The section in the first kicker, if the page's address or the kicker's link confirms it.

    Other kickers are topics: "Fire in a bakery".
    """
    snapshot = scene.snapshot
    kickers = (node for block in scene.blocks if block.role == "kicker" for node in block.nodes)
    for node in kickers:
        text = tidy(snapshot.text[node]).strip(AROUND_KICKER)
        key = name_key(text)
        if not key or key == "home":
            continue
        if _is_section(snapshot, node, text):
            yield Finding("section", (text,), "kicker block", node)
        return


def _is_section(snapshot: Snapshot, node: int, text: str) -> bool:
    key = name_key(text)
    if len(text) > MAX_KICKER or len(text.split()) > MAX_KICKER_WORDS or key in NO_SECTION:
        return False
    url = snapshot.page.url
    if key in _steps(url)[:-1]:
        return True
    element = link_around(snapshot, node)
    if element is None:
        return False
    link = absolute_url(snapshot, element, snapshot.attributes.get(element, "href") or "")
    steps = _steps(link) if link and site_of(link) == site_of(url) else []
    return key in steps[-1:] and OTHER_PATHS.isdisjoint(steps)


def _steps(url: str) -> list[str]:
    """Keys of the parts of an address's path."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return []
    return [name_key(unquote(step)) for step in path.split("/") if step]
