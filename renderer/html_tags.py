"""Start tags of HTML source, before it is parsed."""

from __future__ import annotations

import re

__all__ = ["MAX_ATTRIBUTES", "cut_attributes"]

MAX_ATTRIBUTES = 1000
"""Attributes of one element that are read; libxml2 compares each with all before it."""

ATTRIBUTE = rb"[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>\"'][^\s>]*+)?)?+"
# It ends where the tag does or the source, so that no part of the source is tried twice.
TAG = re.compile(rb"<[a-zA-Z][^\s/>]*+(?:" + ATTRIBUTE + rb")*+")
KEPT = re.compile(rb"<[a-zA-Z][^\s/>]*+(?:" + ATTRIBUTE + rb"){%d}" % MAX_ATTRIBUTES)


def cut_attributes(source: bytes) -> bytes:
    """The source with no more than `MAX_ATTRIBUTES` attributes in any start tag.

    >>> cut_attributes(b"<p a='>' b>text</p>")
    b"<p a='>' b>text</p>"
    >>> len(cut_attributes(b"<p" + b" a=b" * 5000 + b">"))
    4003
    """
    kept, last = [], 0
    for tag in TAG.finditer(source):
        if tag.end() - tag.start() <= 2 * MAX_ATTRIBUTES:
            continue
        if whole := KEPT.match(source, tag.start(), tag.end()):
            kept.append(source[last : whole.end()])
            last = tag.end()
    return b"".join([*kept, source[last:]])
