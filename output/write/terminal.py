"""Make text safe for a terminal, so that it moves no cursor, sets no colour, reorders no line."""

from __future__ import annotations

from ...patterns import lazy_re

# Characters that move a terminal's cursor or set its colours: C0 except tab and line ends, DEL and
# C1. Lone surrogates are replaced too.
CONTROLS = lazy_re("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")

# Bidirectional controls, which change the order in which the rest of a line is displayed.
REORDERING = lazy_re("[\u202a-\u202e\u2066-\u2069]")

REPLACEMENT = "\ufffd"


def printable(text: str) -> str:
    """Replace control characters by U+FFFD, so that a text can be shown in a terminal.

    >>> printable("\\x1b[2Jgone\\n")
    '\ufffd[2Jgone\\n'
    """
    return CONTROLS.sub(REPLACEMENT, text)


def printable_rows(text: str) -> str:
    """`printable`, with bidirectional controls replaced too, for tables aligned by spaces.

    >>> printable_rows("   3 \\u202eegap")
    '   3 \ufffdegap'
    """
    return REORDERING.sub(REPLACEMENT, printable(text))


def printable_line(text: str) -> str:
    """`printable_rows` on one line, with white space collapsed.

    >>> printable_line("done\\r\\nmiolo: all well \\u202egnp.")
    'done miolo: all well \ufffdgnp.'
    """
    return printable_rows(" ".join(text.split()))
