"""The last wall between a page and the reader of an answer: markup, and terminals.

Clean HTML is built from nothing (`miolo.extract.output.clean`), so it holds what was put into it
and no more. It is still read again the way a browser reads it, by ammonia (`nh3`): so a fault of
ours in building it does not become a script at our reader's.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nh3 import Cleaner

__all__ = ["ATTRIBUTES", "SCHEMES", "TAGS", "printable", "printable_line", "sanitise"]

STRUCTURE = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre table thead tbody tfoot tr td th "
    "caption figure figcaption".split()
)
PHRASES = frozenset("a em strong b i code kbd samp var sub sup cite q del ins mark abbr".split())
EMPTY = frozenset(("br", "hr", "img"))

TAGS = STRUCTURE | PHRASES | EMPTY
"""Elements of clean HTML. None of them runs, loads a document, or changes how others read."""

ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "ol": {"start"},
}
"""Attributes of clean HTML, by element."""

SCHEMES = frozenset(("http", "https", "mailto"))
"""Where links and pictures lead, always with their scheme; ``data:`` is none of them."""

# What moves a terminal's cursor or sets its colours: C0 but tab and line ends, DEL, C1.
CONTROLS = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")

# Marks that make the rest of a line read in another order than it is written.
REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")

LINE_END = re.compile("\r\n?")

REPLACEMENT = "\ufffd"


def sanitise(markup: str) -> str:
    """Markup with `TAGS`, `ATTRIBUTES` and `SCHEMES` alone, as a browser reads it.

    Parameters
    ----------
    markup
        HTML of any kind; lone surrogates become U+FFFD.

    Returns
    -------
    A fragment of HTML. None of its elements makes a parser read what follows in another way,
    so its text stays text however often it is parsed and written.
    """
    written = _cleaner().clean(markup.encode("utf-8", "replace").decode())
    # A parser reads CR as LF, and drops the first line end in `pre`: the next one is to find
    # what this one has made of them.
    return LINE_END.sub("\n", written).replace("<pre>\n", "<pre>\n\n")


@cache
def _cleaner() -> Cleaner:
    import nh3

    return nh3.Cleaner(
        tags=set(TAGS),
        # Without a word on all elements, `title` and `lang` would stay.
        attributes={**ATTRIBUTES, "*": set()},
        url_schemes=set(SCHEMES),
        url_relative="deny",
        link_rel=None,
        clean_content_tags={"script", "style"},
    )


def printable(text: str) -> str:
    """A text whose control characters are U+FFFD, so that it can be shown at a terminal.

    >>> printable("\\x1b[2Jgone\\n")
    '\ufffd[2Jgone\\n'
    """
    return CONTROLS.sub(REPLACEMENT, text)


def printable_line(text: str) -> str:
    """The same on one line, white space collapsed, read in the order it is written in.

    >>> printable_line("done\\r\\nmiolo: all well \\u202egnp.")
    'done miolo: all well \ufffdgnp.'
    """
    return REORDERING.sub(REPLACEMENT, printable(" ".join(text.split())))
