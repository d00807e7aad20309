"""Bylines and datelines that the page shows: in blocks with roles, marked elements and lines.

Each source of authors gives lines of text nodes, and one reader reads all of them: what follows
"by", names in the text nodes of one kind, and the names of the whole line. Days are those of
datelines, of ``time`` elements and of lines near the headline. The rankers choose among them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, takewhile
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from ...features.words import collapse
from ...patterns import lazy_re
from .dates import (
    DIGIT,
    PUBLISHED,
    UPDATED,
    divided_at_dates,
    iso_date,
    labelled_days,
    names_a_change,
    relative_date,
)
from .finding import MAX_DATELINE, Finding, RoleText, Scene, link_around, subtree_text, tidy
from .names import (
    ANDS,
    BY_LABEL,
    COLONS,
    REPORTER,
    author_names,
    credits_others,
    has_by,
    is_full_name,
    is_written_as_name,
    without_by,
)
from .posts import quoted
from .vocabulary import alternatives

MAX_BYLINE = 160

# Byline blocks of one article are close together; those further apart belong to other articles.
MAX_APART = 6

# No article has as many blocks of bylines or datelines.
MAX_BLOCKS = 40

MAX_MARKED = 50
MAX_BESIDE = 16
MAX_ABOVE = 3
MAX_TIMES = 20
MAX_LABEL = 40

# Attributes that may be a time in seconds, and those whose days are parts of addresses and names.
OF_TIME = lazy_re("time|date|epoch")
OF_PLACES = ("href", "id", "class", "style")

IN_TEXT = ("table", "list-item", "subheading")
"""Roles of parts of a text, whose days are those of what the text is about."""

# Links that mkdocs resolves have the class "autorefs".
AUTHOR = lazy_re(
    "author|byline|by-line|creator|autor(?!ef)|auteur|(?<![a-z])writer|vcard|"
    "avtor|forfatter|penulis|podpis|skribent|verfasser|yazar"
)
NOT_AUTHOR = lazy_re(r"bio\b|avatar|image|img|photo|pic|about|social|comment|related|follow|"
                        r"date|time|title|desc|role|job|brand|icon|authori[sz]")  # fmt: skip
BY = lazy_re(
    r"(?<![^\W\d_])(?:(?i:(?:posted|written|published|submitted) by)|B[yY]|^by|(?<=[^\w\s] )by|"
    r"(?<=\d )by|(?<= ago )by|by$|"
    r"(?:^|(?<=[|/•·] ))(?P<before>[A-Za-z][a-z]++ [a-z]++ )by(?= [A-Z]))(?![^\W\d_])"
)
"""The word "by" before an author; between words in lower case, it may be part of a name,
except in a segment such as "Guest post by Jane Doe"."""

OF_OTHERS = lazy_re(rf"(?:{alternatives('others before by')})\s*$", re.IGNORECASE)
"""Text before "by" if it names an editor or illustrator, or the author of another post."""

REPORTED = lazy_re(
    r"(?:記者|记者|[(（]\s?文\s?[／/])\s*+(?![从從在就昨今近现現综綜])([一-鿿]{2,3})\s*+"
    r"(?:[)）]|[／/]?(?:[一-鿿]{1,3}\s*+)?(?:報導|报道))|"
    r"[(（]([一-鿿]{3})報導[)）]|(?<![一-鿿])([一-鿿]{3})\s+報導\s*$"
)
"""The reporter in a Chinese article, as in 記者林宜靜台北報導, but not 記者在台北報導."""

REPORT_SIGNS = ("記", "记", "文", "報")
"""Characters of which `REPORTED` needs at least one."""

AMONG = lazy_re(rf"\s*[,;]([^,;]+)\s(?:{ANDS})\s*", re.IGNORECASE)
"""A text node between two names, such as ", Jane Doe and "."""

REMARK = lazy_re(r"^\s*(?:\([^()]*\)|（[^（）]*）)")
"""What a name did, or with whom, in brackets after it: "(text)"."""

OPENING = lazy_re(r"([^\W\d_][^!?]{6,70}?\d{4}\)?)\s?(?:/[^/]{2,40}/\s?)?(?:[–—]|--?)\s")
"""A place and a day before the first sentence of a report, perhaps with an agency."""

# Numbers and signs after a name are those of affiliations.
CONNECTOR = lazy_re(rf"(?:[\s,;&+•·*†‡§¶]|\d\d?(?!\d))*+(?:({ANDS})\s*)?", re.IGNORECASE)


class Part(NamedTuple):
    """Text of a byline, whether it is in a link, also to a tag, and its element's class or tag."""

    text: str
    is_linked: bool
    is_tag: bool
    look: str


def shown_authors(scene: Scene) -> Iterator[Finding]:
    """Findings of names in blocks with roles, in marked elements and beside "by" or addresses."""
    marked = chain.from_iterable(_marked(scene, *part) for part in (scene.head, scene.foot))
    lines = chain(_after_by(scene), _before_address(scene), _signed(scene))
    sources = chain(_in_blocks(scene), marked, lines)
    for source, group, lines in sources:
        readings: dict[str, list[str]] = {}
        for line in lines:
            for reading, names in _readings(_parts(scene, line)):
                if len(lines) > 1:
                    readings.setdefault(f"{reading} first".strip(), names)
                readings.setdefault(reading, []).extend(names)
        for reading, names in readings.items():
            if group in ("note", "author-bio"):
                # Sentences, such as "Written by hand".
                names = [each for each in names if is_written_as_name(each) or not each.isascii()]
            elif group == "dateline" and not reading:
                # Not labels, such as "Made 4 March". The first of several datelines, as those of
                # posts, may name an account.
                names = [each for each in names if is_full_name(each)]
            if names:
                name = f"{group} {reading}".strip()
                yield Finding("authors", tuple(names), source, lines[0][0], name)
    yield from _reports(scene)


def line_of(scene: Scene, block: RoleText) -> str:
    """The text of a block, with spaces between its text nodes."""
    return tidy(" ".join([scene.snapshot.text[node] for node in block.nodes]))


Source = tuple[str, str, list[Sequence[int]]]
"""Where lines are, in words; the kind of the source for the rankers; and the lines."""


def _in_blocks(scene: Scene) -> Iterator[Source]:
    """Lines of bylines, datelines, biographies and notes."""
    for role in ("byline", "dateline", "author-bio", "note"):
        places = [place for place, block in enumerate(scene.blocks) if block.role == role]
        apart = (n for n, (one, other) in enumerate(pairwise(places), 1) if other - one > MAX_APART)
        near = [scene.blocks[place] for place in places[: min(next(apart, MAX_BLOCKS), MAX_BLOCKS)]]
        texts = [(line_of(scene, block), block.nodes) for block in near]
        lines = [nodes for text, nodes in texts if len(text) <= MAX_BYLINE]
        if role == "dateline":
            lines = [nodes for nodes in lines if _may_name_author(_parts(scene, nodes))]
        if lines:
            yield f"{role} block", role, lines


def _may_name_author(parts: list[Part]) -> bool:
    """Whether a dateline has a date, and not several links; others name places and sections."""
    return DIGIT.search(_joined(parts)) is not None and _count_links(parts) <= 1


def _count_links(parts: list[Part]) -> int:
    """Number of links that may name somebody."""
    return sum(part.is_linked and author_names([part.text]) != () for part in parts)


def _marked(scene: Scene, low: int, high: int) -> Iterator[Source]:
    """Lines of elements that are marked as those of authors, by their relation, class or id.

    Links that are close together, and innermost elements within the same outermost element, name
    the authors of one article.
    """
    end = scene.snapshot.end
    linked = scene.with_attribute("rel", low, high, lambda rel: "author" in rel.lower().split())
    groups: list[list[int]] = []
    for node, _ in linked[:MAX_MARKED]:
        if not groups or node - groups[-1][-1] > MAX_BESIDE:
            groups.append([])
        groups[-1].append(node)
    for group in groups:
        yield from _lines(scene, group, "rel=author", "rel=author")
    marks = {
        node: (name, f"{name} {value[:60]!r}")
        for name in ("id", "class")
        for node, value in scene.with_attribute(name, low, high, _names_author)
    }
    nodes = [node for node in sorted(marks) if not scene.furniture[node]]
    groups = []
    outer, name, source = -1, "", ""
    for node, following in zip(nodes, [*nodes, len(end)][1:], strict=True):
        if not groups or node >= end[outer]:
            groups.append([])
            outer = node
            name, source = marks[node]
        if following >= end[node]:
            groups[-1].append(node)
        if following >= end[outer]:
            yield from _lines(scene, groups[-1], source, name)


def _signed(scene: Scene) -> Iterator[Source]:
    """The lines of the page's signature, which has a day; others are addresses and notices."""
    low, high = scene.signature
    text = subtree_text(scene, low) if low < high else ""
    if len(text) <= MAX_BYLINE and labelled_days(text, scene.month_first):
        yield from _lines(scene, [low], "address element", "signature")


def _lines(scene: Scene, nodes: Sequence[int], source: str, group: str) -> Iterator[Source]:
    """The lines in elements that are not empty, long or about a quotation or another page."""
    page = scene.snapshot
    signatures = set(page.end[page.with_tag("blockquote")].tolist())
    lines: list[Sequence[int]] = [
        [n for n in range(node, int(page.end[node])) if page.is_text[n]]
        for node in nodes
        if 0 < len(subtree_text(scene, node)) <= MAX_BYLINE
        and not (quoted(page)[node] or node in signatures or _is_in_teaser(scene, node))
    ]
    if lines:
        yield source, group, lines


def _is_in_teaser(scene: Scene, node: int) -> bool:
    """Whether an element is a part of a link, of which most is other text."""
    link = link_around(scene.snapshot, node)
    texts = [subtree_text(scene, each) for each in (node, link or node)]
    return len(texts[1]) > 2 * len(texts[0])


def _before_address(scene: Scene) -> Iterator[Source]:
    """Names just before a link to write to somebody, as in archives of mailing lists."""
    for part in (scene.head, scene.foot):
        links = scene.with_attribute("href", *part, _is_mail)
        lines = scene.lines_between(*part) if links else []
        for link, _ in links:
            place = bisect_left(lines, link, key=itemgetter(0)) - 1
            node, text = lines[place] if place >= 0 else (-1, "")
            # Two capitals, unlike "Write to us".
            if is_full_name(text) and sum(word[0].isupper() for word in text.split()) > 1:
                yield "byline", "line", [[node]]


def _is_mail(address: str) -> bool:
    return address.lstrip().lower().startswith("mailto:")


def _after_by(scene: Scene) -> Iterator[Source]:
    """Lines near the headline that begin with "by", or end in "reporter" as Korean ones do."""
    for node, text in (*scene.head_lines, *scene.lines_between(*scene.foot)):
        names_author = has_by(text) or REPORTER.search(text) or BY_LABEL.search(text)
        if len(text) > MAX_BYLINE or not names_author:
            continue
        if not _is_of_change(scene, node):
            line = [node] if author_names([text]) else _line_after_by(scene, node)
            yield "byline", "line", [line]


def _is_of_change(scene: Scene, node: int) -> bool:
    """Whether a text ends a line such as "Last updated on 3 May 2021 by Jane Doe"."""
    page, above = scene.snapshot, int(scene.snapshot.parent[node])
    while above >= 0 and not scene.block_level[above]:
        above = int(page.parent[above])
    first = max(above, node - MAX_BESIDE, 0)
    breaks = page.with_tag("br")[first:node].nonzero()[0]
    first += int(breaks[-1]) if len(breaks) else 0
    before = "".join(page.text[first:node])
    # After both a day of publication and one of change, "by" names the author.
    names_change = UPDATED.search(before) is not None and not PUBLISHED.search(before)
    return names_change and len(before) <= MAX_LABEL


def _reports(scene: Scene) -> Iterator[Finding]:
    """The reporter whom the first paragraph with a report names."""
    for block in scene.blocks:
        if block.role in ("byline", "dateline", "note", "paragraph"):
            for node in block.nodes:
                text = scene.snapshot.text[node]
                # Searching for single characters takes a fraction of the time of the pattern.
                may_be = any(sign in text for sign in REPORT_SIGNS)
                if may_be and (match := REPORTED.search(text)):
                    name = match[match.lastindex or 0]
                    yield Finding("authors", (name,), f"{block.role} block", node, "report")
                    return


def _parts(scene: Scene, nodes: Sequence[int]) -> list[Part]:
    """The texts of a line, without superior numbers, which lead to affiliations, and without
    buttons whose labels are not written as names.
    """
    page, parts, last = scene.snapshot, list[Part](), 0
    raised, buttons, breaks = (page.with_tag(tag) for tag in ("sup", "button", "br"))
    for node in nodes:
        above, text = int(page.parent[node]), collapse(page.text[node])
        is_label = buttons[above] and not is_written_as_name(text.strip())
        if raised[above] or is_label or not text.strip():
            continue
        # A line break separates the name from a role or a place.
        continues = parts and above == page.parent[last] and not breaks[last:node].any()
        last = node
        if continues:
            parts[-1] = parts[-1]._replace(text=f"{parts[-1].text} {text}")
            continue
        link = link_around(page, node)
        relation = (page.attributes.get(link, "rel") or "") if link is not None else ""
        look = page.attributes.get(above, "class") or f"<{page.tag_name(above)}>"
        parts.append(Part(text, link is not None, "tag" in relation.lower().split(), look))
    return parts


def _readings(parts: list[Part]) -> Iterator[tuple[str, list[str]]]:
    """The names that a line gives: those after "by", or else those before a label."""
    signed = _after(parts)
    if signed is not None:
        yield "with by", _names_in_a_row(signed, may_begin_late=False)
    elif not credits_others(_joined(parts)):
        # Some sites have a tag for each author, but few without "by".
        parts = [part for part in parts if not part.is_tag]
        parts = list(takewhile(lambda part: not part.text.rstrip().endswith(COLONS), parts))
        names = [name for name in _names_in_a_row(parts) if not DIGIT.search(name)]
        yield "linked" if _count_links(parts) > 1 else "", names


def _joined(parts: list[Part]) -> str:
    return " ".join(part.text for part in parts)


def _after(parts: list[Part]) -> list[Part] | None:
    """The part of a line such as "News | 3 May | By Jane Doe" after "by"; None without "by"."""
    whole = _joined(parts)
    stop = len(whole) - len(without_by(whole)) if has_by(whole) else 0
    start = 0
    for place, part in enumerate(parts):
        end = start + len(part.text)
        if not stop and (by := BY.search(part.text)):
            before = whole[: start + by.start()] + (by["before"] or "")
            if "(" in before or OF_OTHERS.search(before):
                return None
            stop = start + by.end()
        elif not stop and has_by(part.text):
            stop = end - len(without_by(part.text))
        elif not stop and (by := BY_LABEL.search(part.text)):
            stop = start + by.end()
        elif not stop and parts[place + 1 :] and has_by(part.text.strip().rpartition(" ")[2]):
            stop = end
        if stop and end > stop:
            first = part._replace(text=part.text[max(stop - start, 0) :])
            return [first, *parts[place + 1 :]]
        start = end + 1
    return [] if stop else None


def _names_in_a_row(parts: list[Part], may_begin_late: bool = True) -> list[str]:
    """Names from the first text node with one to the first that is neither name nor connector.

    After the first, plain names follow an "and", links follow a link, a comma or an "and", and all
    follow what has the same class.
    """
    names: list[str] = []
    plain_follows = link_follows = True
    look = ""
    for part in parts:
        if names:
            part = part._replace(text=REMARK.sub("", part.text))
        if not part.text.strip():
            continue
        # Elements without a class may also hold what is beside a name.
        is_alike = part.look == look and (link_follows or not look.startswith("<"))
        among = AMONG.fullmatch(part.text)
        follows = is_alike or among or (link_follows if part.is_linked else plain_follows)
        more = author_names([among[1] if among else part.text]) if follows else ()
        connector = CONNECTOR.fullmatch(part.text)
        if more:
            look = look or part.look
            names += more
            plain_follows, link_follows = False, part.is_linked or among is not None
        elif connector:
            plain_follows |= connector[1] is not None
            link_follows |= part.text.strip() != ""
        elif names or not may_begin_late:
            break
    return names


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


def shown_dates(scene: Scene) -> Iterator[Finding]:
    """Findings of dates in blocks with roles, in ``time`` elements and in lines."""
    yield from _dates_in_blocks(scene)
    yield from _dates_in_times(scene)
    yield from _dates_in_lines(scene)
    yield from _dates_in_openings(scene)


def _dates_in_blocks(scene: Scene) -> Iterator[Finding]:
    page = scene.snapshot.page
    # The age of HTML that was not fetched is unknown.
    captured = page.time if page.status is not None else ""
    before = ""
    for block in scene.blocks:
        line = line_of(scene, block) if block.role in ("dateline", "byline") else ""
        if line and len(line) <= MAX_BYLINE:
            named = "dateline block" if block.role == "dateline" else "date in a byline"
            days = labelled_days(f"{before} {line}", scene.month_first)
            if not days and (day := _day_in_attributes(scene, block.nodes)):
                days = [("modified" if UPDATED.search(f"{before} {line}") else "date", day)]
            day = None if days else relative_date(f"{before} {line}", captured)
            if day:
                named = "relative date"
                days = [("modified" if UPDATED.search(f"{before} {line}") else "date", day)]
            yield from (Finding(field, (day,), named, block.nodes[0]) for field, day in days)
        before = line if block.role == "dateline" and names_a_change(line) else ""


def _day_in_attributes(scene: Scene, nodes: Sequence[int]) -> str | None:
    """The day that an attribute has in full, such as the title of "2 months ago"."""
    page = scene.snapshot
    for node in dict.fromkeys(int(page.parent[node]) for node in nodes):
        for name, value in page.attributes.of(node).items():
            # Other numbers are those of articles.
            is_time = OF_TIME.search(name) if value.isdecimal() else DIGIT.search(value)
            if is_time and name not in OF_PLACES and len(value) <= MAX_DATELINE:
                day = iso_date(value, page.page.time, month_first=scene.month_first)
                if day:
                    return day
    return None


def _dates_in_times(scene: Scene) -> Iterator[Finding]:
    page, (low, ahead) = scene.snapshot, scene.head
    is_time = page.with_tag("time")
    times = scene.with_attribute("datetime", low, max(ahead, scene.stop))
    is_time &= ~quoted(page)
    for node, value in [pair for pair in times if is_time[pair[0]]][:MAX_TIMES]:
        around = _words_around(scene, node)
        field, group = "date", "time element"
        if UPDATED.search(around):
            field, group = "modified", "time element updated"
        elif PUBLISHED.search(around) or page.attributes.get(node, "pubdate") is not None:
            group = "time element published"
        yield Finding(field, (value,), "time element", node, group)


def _words_around(scene: Scene, node: int) -> str:
    """Class, id and itemprop of an element and its parent, and the text before it and in it."""
    page, above = scene.snapshot, int(scene.snapshot.parent[node])
    parts: list[str] = []
    for place in (node, above) if above >= 0 else (node,):
        own = page.attributes.of(place)
        parts += [own.get(name, "")[:100] for name in ("class", "id", "itemprop")]
    if above >= 0:
        parts += [text[-40:] for text in page.text[max(above, node - 4) : node]]
        parts += [text[:40] for text in page.text[node : min(int(page.end[node]), node + 6)]]
    return " ".join(parts)


def _dates_in_lines(scene: Scene) -> Iterator[Finding]:
    """Days in lines around headline and start of the body, and in the page's signature."""
    before = ""
    in_text = {n for block in scene.blocks if block.role in IN_TEXT for n in block.nodes}
    for node, text in (*scene.head_lines, *scene.lines_between(*scene.signature)):
        if node in in_text:
            continue
        if len(text) <= MAX_DATELINE and DIGIT.search(text) and not quoted(scene.snapshot)[node]:
            line = f"{before} {text}" if names_a_change(before) else text
            for field, day in labelled_days(line, scene.month_first):
                yield Finding(field, (day,), "written date", node)
        before = text if len(text) <= MAX_LABEL else ""


def _dates_in_openings(scene: Scene) -> Iterator[Finding]:
    """The day after the place with which the text opens: "SAN RYE, May 3, 2021 – The bakers"."""
    first = next((block for block in scene.blocks if block.role == "paragraph"), None)
    opening = OPENING.match(line_of(scene, first)) if first else None
    if first and opening:
        place, *rest = divided_at_dates(opening[1])
        is_place = place.rstrip().endswith((",", "(")) or place.isupper()
        if len(rest) == 1 and is_place and is_written_as_name(place.strip(" ,(")):
            for field, day in labelled_days(opening[1], scene.month_first):
                yield Finding(field, (day,), "dateline in the text", first.nodes[0])
