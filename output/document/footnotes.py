"""Footnotes of a page: marks and notes that link to each other.

Hugo, kramdown, Sphinx, WordPress, Ghost, Substack and MediaWiki name their elements differently.
In all of them, a mark links to a note, and the note links back to its mark or belongs to a list
whose class declares footnotes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

from ...features.notes import MARK
from ...patterns import lazy_re
from ...renderer.page.elements import HEADINGS
from .nodes import Nodes

LABEL = lazy_re(r"[A-Za-z0-9]{1,8}")
HOLDERS = frozenset("li div aside p dd tr table section".split())
# Classes of lists whose items need no back link, such as those of our own HTML.
LISTS = frozenset(("footnotes",))
# Ids of headings for screen readers, which GitHub's and Astro's Markdown puts before the notes.
HIDDEN_HEADINGS = ("footnote-label", "user-content-footnote-label")
# Classes of marks, by which a mark is recognised if its note is not in the body.
MARKS = frozenset("footnote-ref footnote-anchor footnote-reference footnote".split())
# Names of notes, by which a mark is recognised in pages of Word, LibreOffice and Substack.
NOTE_NAME = lazy_re(r"_(?:ftn|edn)\d+|sd(?:foot|end)note\d+sym|footnote-\d.*+")
# Texts between the number of a note and the note.
BETWEEN = frozenset((":", ".", "：", "–", "—", "-"))
# Maximum number of elements between a link and the element whose id the other end names.
MAX_UP = 4
MAX_BEFORE = 3
MAX_MARKS = 20_000
MAX_BACK = 64


@dataclass
class Footnotes:
    """Footnotes of a page, by node: labels of marks, and of elements of notes.

    `back` are links from notes to their marks, and invisible headings; `without_note` are marks of
    notes which are not in the body.
    """

    marks: dict[int, str] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)
    back: set[int] = field(default_factory=set)
    without_note: set[int] = field(default_factory=set)


def find_footnotes(nodes: Nodes, used: set[str]) -> Footnotes:
    """The footnotes of a page; labels used on earlier pages are not reused, and own ones added."""
    footnotes = Footnotes()
    links = [(link, name) for link, name in nodes.local_links.items() if name][:MAX_MARKS]
    if not links:
        return footnotes
    # Word processors name both ends by `name`. The first of several elements counts.
    named = [*nodes.with_attribute("id"), *nodes.with_attribute("name")]
    ids = {name: node for node, name in reversed(named)}
    parents, lists = nodes.parents, nodes.with_class(LISTS)
    # Links by the element that they lead to.
    leading: dict[int, list[int]] = {}
    for link, name in links:
        if name in ids:
            leading.setdefault(ids[name], []).append(link)
    for link, name in links:
        target = ids.get(name)
        mark = MARK.fullmatch(nodes.text_of(link, 40).strip())
        if mark is None:
            continue
        note = None if target is None else _holder(nodes, target)
        if target is None or (note is not None and nodes.blocks[note][0] < 0):
            if _looks_like_mark(nodes, link, name):
                footnotes.without_note.add(link)
            continue
        if note is None or link in footnotes.back:
            continue
        # A link to an element around it is a permalink.
        if any(end <= link < int(nodes.end[end]) for end in (note, target)):
            continue
        # A section with a heading, whose link leads back to a table of contents, is no note.
        if any(nodes.first(note, tag) is not None for tag in HEADINGS):
            continue
        back = [
            other
            # The link and the elements around and just before it, any of which may have its id.
            for place in (*range(max(link - MAX_BEFORE, 0), link + 1), *nodes.around(link, MAX_UP))
            for other in leading.get(place, ())[:MAX_BACK]
            # In a definition list, the id may be that of the term before the note.
            if min(note, target) <= other < int(nodes.end[note])
        ]
        listed = parents[note] in lists or parents[parents[note]] in lists
        if not (back or listed) or note < link:
            continue
        if note not in footnotes.notes:
            footnotes.notes[note] = _label(mark[1], used)
        footnotes.marks[_whole_mark(nodes, link)] = footnotes.notes[note]
        footnotes.back.update(back)
        between = (_mark_after(nodes, other, nodes.ends[note]) for other in back)
        footnotes.back.update(text for text in between if text >= 0)
    footnotes.back.update(ids[name] for name in HIDDEN_HEADINGS if footnotes.notes and name in ids)
    return footnotes


def _mark_after(nodes: Nodes, link: int, stop: int) -> int:
    """The text after a link, before `stop`, if it is only a mark between a number and its note; -1
    otherwise.
    """
    after = range(nodes.ends[link], min(nodes.ends[link] + MAX_UP, stop))
    text = next((node for node in after if nodes.tags[node] == "#text"), -1)
    return text if text >= 0 and nodes.texts[text].strip() in BETWEEN else -1


def _looks_like_mark(nodes: Nodes, link: int, name: str) -> bool:
    if NOTE_NAME.fullmatch(name) or not MARKS.isdisjoint(nodes.classes(link)):
        return True
    return nodes.first(link, "sup") is not None or any(
        nodes.tags[node] == "sup" or nodes.get(node, "role") == "doc-noteref"
        for node in (link, *nodes.around(link, MAX_UP))
    )


def _whole_mark(nodes: Nodes, link: int) -> int:
    """The superior element around a link if it adds only brackets, or else the link."""
    above = nodes.parents[link]
    is_mark = nodes.tags[above] == "sup" and MARK.fullmatch(nodes.text_of(above, 40).strip())
    return above if is_mark else link


def _holder(nodes: Nodes, target: int) -> int | None:
    """The element of a note that the target is, or is part of."""
    for label in (target, *nodes.around(target, 1)):
        # The number of a note may be above it.
        is_number = nodes.tags[label] in HEADINGS and MARK.fullmatch(nodes.text_of(label, 40))
        if nodes.tags[label] == "dt" or is_number:
            after = nodes.ends[label]
            holders = HOLDERS if is_number else ("dd",)
            return after if after < len(nodes) and nodes.tags[after] in holders else None
    around = (target, *nodes.around(target, MAX_UP))
    return next((each for each in around if nodes.tags[each] in HOLDERS), None)


def _label(mark: str, used: set[str]) -> str:
    label = mark if LABEL.fullmatch(mark) and mark not in used else None
    if label is None:
        label = next(name for name in map(str, count(1)) if name not in used)
    used.add(label)
    return label
