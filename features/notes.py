"""Notes of a page and their marks: footnotes, endnotes and the links of printed articles.

A mark is a short link or number in the text. It belongs to a note that it links to, or to the note
that a numbered list or line of the same number is. A phrase may also share its name with the note
beside it.
"""

from __future__ import annotations

from bisect import bisect_left
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.page.elements import HEADINGS
from ..renderer.page.snapshot import Snapshot
from .blocks import TextBlocks
from .words import collapse

# Text of a mark: a number, a letter or a sign, with or without brackets.
MARK = lazy_re(r"(?:[\[(]\s*+)?(?:note\s++|n\s*+)?([\w*†‡§¶]{1,8})\s*+[\])]?")
HOLDERS = ("li", "div", "aside", "p", "dd", "tr", "table", "section", "span", "small")
# Elements of phrases in a text, and of the notes beside it, of which both have one name.
PHRASES, MARGINS = ("span", "em", "i", "b", "mark", "sup"), ("aside", "div", "p", "small")
MAX_UP = 4
MAX_MARKS = 20_000
MAX_LINK = 20

# Maximum number of nodes of a mark beside its note.
MAX_MARK = 8

# A line of notes without links begins with such a number, and the text has the same number.
NUMBERED = lazy_re(r"(?:[^\n\[\]]{0,60}:\s+)?\[(\d{1,3})\]\s")
NUMBER = lazy_re(r"\[(\d{1,3})\]")
MAX_NUMBERS = 5_000


def blocks_of_notes(page: TextBlocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Blocks of the notes whose marks are in the text.

    bool, shape (b,): blocks that are notes of the text, whether they are kept or not. Notes that
    notes refer to are not followed.
    """
    return _linked(page, kept) | _numbered(page, kept) | _named(page, kept) | _beside(page, kept)


def _linked(page: TextBlocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Blocks of notes that marks in the text link to."""
    snapshot, end = page.snapshot, page.snapshot.end
    notes = np.zeros(len(page), bool)
    links = local_links(snapshot)
    if not links:
        return notes
    ids = targets_by_name(snapshot)
    headings = np.append(0, np.cumsum(snapshot.with_tag(*HEADINGS)))
    leading = sorted((link, ids[name]) for link, name in links if name in ids)
    starts = [link for link, _ in leading]
    for (link, target), block in zip(leading, _blocks_around(page, starts).tolist(), strict=True):
        if block < 0 or not kept[block]:
            continue
        note = _holder(snapshot, target)
        if note is None or note <= link < end[note] or note < link:
            continue
        # A section with a heading is a part of the text, not a note.
        mark = "".join(snapshot.text[link : min(int(end[link]), link + 8)]).strip()
        if headings[end[note]] > headings[note] or not MARK.fullmatch(mark):
            continue
        place = bisect_left(starts, min(note, target))
        back = place < len(starts) and starts[place] < end[note] and leading[place][1] <= link
        if back or _is_raised(snapshot, link):
            # The number above a note is a part of it, as a term is not.
            start = note if snapshot.tag_name(target) == "dt" else min(note, target)
            inside = page.of[start : end[note]]
            notes[inside[inside >= 0]] = True
    return notes


def _blocks_around(page: TextBlocks, marks: list[int]) -> NDArray[np.int64]:
    """int64, shape (m,): the block that each mark is in; -1 for none.

    A hidden mark, such as one for print, is in the shown block before it that goes on after it.
    """
    texts, end = (page.of >= 0).nonzero()[0], page.snapshot.end
    inside = np.searchsorted(texts, end[marks]) - 1
    blocks = np.append(page.of[texts], -1)[inside].astype(np.int64)
    last_shown = np.maximum.accumulate(np.where(page.hidden, -1, np.arange(len(page))))
    for number, (mark, block) in enumerate(zip(marks, blocks.tolist(), strict=True)):
        shown = int(last_shown[block]) if block >= 0 else -1
        owner = int(page.owner[shown])
        if shown < 0 or not owner <= mark < end[owner]:
            shown = block if block >= 0 and texts[inside[number]] >= mark else -1
        blocks[number] = shown
    return blocks


def headed_by_link(page: TextBlocks) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks that are a link to themselves, as only headings are."""
    snapshot, headed = page.snapshot, np.zeros(len(page), bool)
    targets = targets_by_name(snapshot) if (links := local_links(snapshot)) else {}
    for link, name in links:
        end, target = min(int(snapshot.end[link]), link + MAX_LINK), targets.get(name, link)
        block = int(page.of[link:end].max(initial=-1))
        if block >= 0 and page.owner[block] <= target < link < snapshot.end[target]:
            text = " ".join(snapshot.text[link:end])
            headed[block] = collapse(text) == collapse(page.texts[block])
    return headed


def local_links(snapshot: Snapshot) -> list[tuple[int, str]]:
    """Links within the page, with the names of their targets."""
    here = snapshot.page.url.partition("#")[0].partition("?")[0]
    links = snapshot.with_tag("a")
    found = []
    for node, href in snapshot.attributes.with_attribute("href"):
        address, sign, name = href.strip().partition("#")
        if sign and name and links[node] and address.partition("?")[0] in ("", here):
            found.append((node, unquote(name)))
    return found[:MAX_MARKS]


def targets_by_name(snapshot: Snapshot) -> dict[str, int]:
    """Elements by the names that links within the page have for them."""
    # Word processors name both ends by `name`. The first of several elements counts.
    named = [each for name in ("id", "name") for each in snapshot.attributes.with_attribute(name)]
    return {name: node for node, name in reversed(named)}


def _holder(snapshot: Snapshot, target: int) -> int | None:
    """The element of a note that the target is, or is part of."""
    for label in (target, int(snapshot.parent[target])):
        # The number of a note may be above it.
        is_number = snapshot.tag_name(label) in HEADINGS and MARK.fullmatch(
            "".join(snapshot.text[label : min(int(snapshot.end[label]), label + 8)]).strip()
        )
        if is_number or snapshot.tag_name(label) == "dt":
            after = int(snapshot.end[label])
            holders = HOLDERS if is_number else ("dd",)
            is_text = after < len(snapshot) and snapshot.tag_name(after) in holders
            return after if is_text else None
    for _ in range(MAX_UP + 1):
        if target < 0:
            return None
        if snapshot.tags[snapshot.tag[target]] in HOLDERS:
            return target
        target = int(snapshot.parent[target])
    return None


def _is_raised(snapshot: Snapshot, link: int) -> bool:
    """Whether a link is a superior number, by its elements or its role."""
    above = int(snapshot.parent[link])
    around = (link, above, int(snapshot.parent[above]))
    inside = range(link + 1, min(int(snapshot.end[link]), link + 4))
    raised = any(snapshot.tags[snapshot.tag[node]] == "sup" for node in (*around, *inside))
    return raised or snapshot.attributes.get(link, "role") == "doc-noteref"


def _numbered(page: TextBlocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Blocks after the text that begin with the number, in brackets, of a mark in the text."""
    notes = np.zeros(len(page), bool)
    marks: dict[str, int] = {}
    for block in kept.nonzero()[0].tolist():
        text = page.texts[block]
        if "[" in text and not NUMBERED.match(text):
            for number in NUMBER.findall(text)[:MAX_NUMBERS]:
                marks.setdefault(number, block)
    if not marks:
        return notes
    last = int(kept.nonzero()[0][-1])
    for block in range(min(marks.values()) + 1, len(page)):
        begins = NUMBERED.match(page.texts[block])
        if begins and begins[1] in marks and marks[begins[1]] < block:
            notes[block] = block > last or not kept[block]
    return notes


def _named(page: TextBlocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Blocks of the only other element that has the name of a phrase in the text."""
    snapshot, notes = page.snapshot, np.zeros(len(page), bool)
    named: dict[str, list[int]] = {}
    is_holder, is_phrase = snapshot.with_tag(*MARGINS), snapshot.with_tag(*PHRASES)
    for node, value in snapshot.attributes.with_attribute("name"):
        if is_holder[node] or is_phrase[node]:
            named.setdefault(value, []).append(node)
    first, last = page.first, page.nodes[page.starts[1:] - 1]
    for nodes in named.values():
        phrase, note = (
            (nodes if is_phrase[nodes[0]] else nodes[::-1]) if len(nodes) == 2 else (0, 0)
        )
        if not (is_phrase[phrase] and is_holder[note]):
            continue
        block = int(np.searchsorted(last, phrase))
        around = np.searchsorted(first, [note, snapshot.end[note]]).tolist()
        inside = block < len(page) and first[block] < snapshot.end[phrase]
        if inside and kept[block] and not around[0] <= block < around[1]:
            notes[slice(*around)] = True
    return notes


def _beside(page: TextBlocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Blocks of the note just after a mark, which opens it or is repeated in it."""
    snapshot, notes = page.snapshot, np.zeros(len(page), bool)
    marks = snapshot.with_tag("sup") | snapshot.with_tag("label") & (snapshot.parent > 0)
    for mark in marks.nonzero()[0].tolist()[:MAX_MARKS]:
        note = _note_after(snapshot, mark)
        first, stop = np.searchsorted(page.first, [note, snapshot.end[note]]).tolist()
        if mark < note and 0 < first < stop and kept[first - 1]:
            notes[first:stop] = True
    return notes


def _note_after(snapshot: Snapshot, mark: int) -> int:
    """The element after a mark that is its note; the mark if there is none."""
    attributes, after = snapshot.attributes, int(snapshot.end[mark])
    text = collapse("".join(snapshot.text[mark : min(after, mark + MAX_MARK)]))
    opens = attributes.get(mark, "for")
    # The mark of a note in the margin is a label, and a checkbox shows the note.
    if opens and not text and after < len(snapshot) and attributes.get(after, "id") == opens:
        after = int(snapshot.end[after])
    elif opens or not MARK.fullmatch(text):
        return mark
    while after < len(snapshot) and snapshot.is_text[after] and snapshot.text[after].isspace():
        after += 1
    if after >= len(snapshot) or snapshot.parent[after] != snapshot.parent[mark]:
        return mark
    own = {pair for pair in attributes.of(mark).items() if pair[0].startswith("data-")}
    start = next(filter(str.strip, snapshot.text[after : snapshot.end[after]]), "")
    is_repeated = bool(own & attributes.of(after).items()) or collapse(start) == text
    return after if (opens or is_repeated) and not snapshot.is_text[after] else mark
