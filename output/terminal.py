"""Texts of a page at a terminal: none moves its cursor, sets its colours or reorders a line."""

from __future__ import annotations

import re

__all__ = ["printable", "printable_line", "printable_rows"]

# What moves a terminal's cursor or sets its colours: C0 but tab and line ends, DEL, C1.
CONTROLS = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")

# Marks that make the rest of a line read in another order than it is written.
REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")

REPLACEMENT = "\ufffd"


def printable(text: str) -> str:
    """A text whose control characters are U+FFFD, so that it can be shown at a terminal.

    >>> printable("\\x1b[2Jgone\\n")
    '\ufffd[2Jgone\\n'
    """
    return CONTROLS.sub(REPLACEMENT, text)


def printable_rows(text: str) -> str:
    """The same read in the order it is written in, for tables that line up by spaces.

    >>> printable_rows("   3 \\u202eegap")
    '   3 \ufffdegap'
    """
    return REORDERING.sub(REPLACEMENT, printable(text))


def printable_line(text: str) -> str:
    """The same on one line, white space collapsed, read in the order it is written in.

    >>> printable_line("done\\r\\nmiolo: all well \\u202egnp.")
    'done miolo: all well \ufffdgnp.'
    """
    return printable_rows(" ".join(text.split()))
