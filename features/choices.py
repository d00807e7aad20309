"""Lines that offer a choice of buttons, such as a question about the page with "Yes" and "No".

Links that lead nowhere are buttons, too: scripts act on them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.elements import HEADINGS
from ..renderer.page.tree import subtree_mask
from .blocks import TextBlocks
from .links import NOWHERE

MIN_BUTTONS = 2

MAX_CHARS = 120
"""Maximum number of characters of such a line. A paragraph may have buttons for its terms."""

MAX_ROW = 40
"""Maximum number of characters of a line of nothing but links that lead nowhere."""

NO_LINES = (*HEADINGS, "li", "dt", "dd", "td", "th", "pre", "code")
"""Elements whose buttons act on their own text."""


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
    is_line = ~subtree_mask(snapshot.with_tag(*NO_LINES), snapshot.end)[page.owner]
    asks = (last >= 0) & (chars <= MAX_CHARS)
    is_row = (np.bincount(of_text[~linked], minlength=count) == 0) & (chars <= MAX_ROW)
    return (asks | is_row) & (ends >= MIN_BUTTONS) & is_line
