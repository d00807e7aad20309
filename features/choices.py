"""Lines that are no text: choices such as a question with "Yes" and "No", actions on entries, and
links to other stories.

Links that lead nowhere are buttons, too: scripts act on them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.network.origins import site_of
from ..renderer.page.elements import HEADINGS
from ..renderer.page.tree import innermost, subtree_mask
from .blocks import TextBlocks
from .links import NOWHERE, absolute_url, link_mask
from .words import count_words

MIN_BUTTONS = 2

MAX_CHARS = 120
"""Maximum number of characters of such a line. A paragraph may have buttons for its terms."""

MAX_ROW = 40
"""Maximum number of characters of a line of nothing but links that lead nowhere."""

NO_LINES = (*HEADINGS, "li", "dt", "dd", "td", "th", "pre", "code")
"""Elements whose buttons and links belong to their own text."""

MIN_ACTIONS = 3
"""Minimum number of buttons with the same text, or of places that links with it lead to."""

MAX_ACTION = 60
"""Maximum number of characters of such a text."""

MAX_RUN = 3
FIGURES = lazy_re(r"\d+")


LABEL = lazy_re(r"[^\W\d_](?:[^\s:：]*\s){0,3}[^\s:：]{0,30}\s?[:：]\s*")
"""A label of at most four words before a link."""

STORY_WORDS = 4
"""Minimum number of words of a link that is the headline of a story."""


def action_mask(page: TextBlocks, controls: Sequence[str] = ()) -> NDArray[np.bool_]:
    """Blocks that consist of actions, as in the entries of a shop: bool, shape (b,).

    An action is one of several buttons with the same text, but for its figures, or of several links
    with the same text that lead to different places: the text says what they do, and not where they
    lead. More than `MAX_RUN` in a row are rather variants, such as colours. `controls` are tags of
    elements that are always actions.
    """
    snapshot = page.snapshot
    # Each button is a place of its own.
    buttons = [(node, node) for node in snapshot.with_tag("button").nonzero()[0].tolist()]
    places: defaultdict[str, dict[str | int, list[int]]] = defaultdict(dict)
    for node, place in (*buttons, *snapshot.attributes.with_attribute("href")):
        nodes = page.nodes[slice(*np.searchsorted(page.nodes, [node, snapshot.end[node]]))]
        text = "".join(snapshot.text[each] for each in nodes[:MIN_ACTIONS].tolist()).strip()
        named = text if isinstance(place, str) else FIGURES.sub("", text)
        if text and len(text) <= MAX_ACTION and not any(map(str.isdecimal, named)):
            places[named].setdefault(place, []).append(node)
    several = [of_text for of_text in places.values() if len(of_text) >= MIN_ACTIONS]
    acts = np.zeros(len(snapshot), bool)
    acts[[node for of_text in several for nodes in of_text.values() for node in nodes]] = True
    is_action = _consists_of(page, acts)
    run = np.cumsum(~is_action)
    is_action &= np.bincount(run, is_action)[run] <= MAX_RUN
    return is_action | _consists_of(page, snapshot.with_tag(*controls))


def _consists_of(page: TextBlocks, elements: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks whose whole text is in some elements."""
    snapshot = page.snapshot
    rest = page.nodes[~subtree_mask(elements, snapshot.end)[page.nodes]]
    others = [node for node in rest.tolist() if not snapshot.text[node].isspace()]
    return np.bincount(page.of[others], minlength=len(page)) == 0


def choice_mask(page: TextBlocks) -> NDArray[np.bool_]:
    """Short blocks that end with several buttons or consist of them: bool, shape (b,)."""
    snapshot = page.snapshot
    links = np.zeros(len(snapshot), bool)
    nodes, targets = snapshot.attributes.nodes_with("href")
    distinct = [(code, snapshot.attributes.strings[code]) for code in set(targets.tolist())]
    links[nodes[np.isin(targets, [code for code, to in distinct if NOWHERE.fullmatch(to)])]] = True
    buttons = snapshot.with_tag("button") | links
    count = len(page)
    if not buttons.any() or not count:
        return np.zeros(count, bool)
    nodes = np.array([n for n in page.nodes.tolist() if not snapshot.text[n].isspace()], np.intp)
    pressed = subtree_mask(buttons, snapshot.end)[nodes]
    linked = subtree_mask(links, snapshot.end)[nodes]
    of_text = page.of[nodes]
    # Text nodes are in document order: the last one outside of buttons is before all that end it.
    places = np.arange(len(of_text))
    last = np.full(count, -1)
    np.maximum.at(last, of_text[~pressed], places[~pressed])
    ends = np.bincount(of_text[pressed & (places > last[of_text])], minlength=count)
    chars = np.bincount(of_text, page.chars[nodes], count)
    is_line = ~snapshot.in_tag(*NO_LINES)[page.owner]
    asks = (last >= 0) & (chars <= MAX_CHARS)
    is_row = (np.bincount(of_text[~linked], minlength=count) == 0) & (chars <= MAX_ROW)
    return (asks | is_row) & (ends >= MIN_BUTTONS) & is_line


def story_lines(page: TextBlocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool, shape (b,): lines within a text that consist of a label and the link to another story
    of the site, such as "Read also: The bakers of San Rye".
    """
    snapshot, lines = page.snapshot, np.zeros(len(page), bool)
    places = [
        place
        for place in kept.nonzero()[0][1:-1].tolist()
        if (label := LABEL.match(page.texts[place]))
        and count_words(page.texts[place][label.end() :]) >= STORY_WORDS
    ]
    if not places:
        return lines
    link, apart = innermost(snapshot.parent, link_mask(snapshot)), snapshot.in_tag(*NO_LINES)
    own = snapshot.page.url
    for place in places:
        nodes = page.nodes[page.starts[place] : page.starts[place + 1]].tolist()
        texts = [(int(link[node]), snapshot.text[node].strip()) for node in nodes]
        links = {number for number, text in texts if text and number >= 0}
        before = "".join(text for number, text in texts if number < 0)
        if (
            len(links) != 1
            or apart[page.owner[place]]
            or not (LABEL.fullmatch(before) or not before)
        ):
            continue
        (number,) = links
        url = absolute_url(snapshot, number, snapshot.attributes.get(number, "href") or "") or ""
        is_other = url.partition("#")[0] != own.partition("#")[0]
        lines[place] = is_other and site_of(url) == site_of(own)
    return lines
