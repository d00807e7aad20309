"""Start tags of HTML source, before it is parsed."""

from __future__ import annotations

import re

__all__ = ["MAX_ATTRIBUTES", "cut_attributes"]

MAX_ATTRIBUTES = 1000
"""Attributes of one element that are read; libxml2 compares each with all before it."""

ATTRIBUTE = rb"[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>\"'][^\s>]*+)?)?+"
# It ends where the tag does or the source, so that no part of the source is tried twice.
OPENING = re.compile(rb"<!--|<([a-zA-Z][^\s/>]*+)(?:" + ATTRIBUTE + rb")*+")
KEPT = re.compile(rb"<[a-zA-Z][^\s/>]*+(?:" + ATTRIBUTE + rb"){%d}" % MAX_ATTRIBUTES)
ENDS = {
    None: re.compile(rb"-->"),
    b"script": re.compile(rb"</script", re.IGNORECASE),
    b"style": re.compile(rb"</style", re.IGNORECASE),
}
"""Where a comment ends, and the elements whose text has no tags."""


def cut_attributes(source: bytes) -> bytes:
    """The source with no more than `MAX_ATTRIBUTES` attributes in any start tag.

    >>> cut_attributes(b"<p a='>' b>text</p>")
    b"<p a='>' b>text</p>"
    >>> len(cut_attributes(b"<p" + b" a=b" * 5000 + b">"))
    4003
    """
    kept, last, place = [], 0, 0
    while opening := OPENING.search(source, place):
        start, place = opening.span()
        name = opening[1] and opening[1].lower()
        long = place - start > 2 * MAX_ATTRIBUTES
        if long and (whole := KEPT.match(source, start, place)):
            kept.append(source[last : whole.end()])
            last = place
        if name in ENDS:
            # `<!-->` is a whole comment.
            end = ENDS[name].search(source, place if name else start + 2)
            if end is None:
                break
            place = end.end()
    return b"".join([*kept, source[last:]])
