"""Limits on the markup of HTML source, so that parsing takes no more than linear time.

A parser that follows the HTML standard takes quadratic time for attributes of one tag, open
elements, distinct names, unclosed formatting elements and options.
"""

from __future__ import annotations

import re
from collections import Counter

from ...patterns import lazy_re

MAX_ATTRIBUTES = 1000  # maximum number of attributes of one element that are read

MAX_DEPTH = 512
"""Maximum nesting depth of elements in a page with many tags: the same as in Chromium."""

MANY_TAGS = 8192  # number of tags up to which quadratic time is acceptable

MAX_COPIES = 1_000_000
"""Maximum number of elements that a parser may create by reopening formatting elements."""

LARGE = 1 << 20  # number of bytes of a source up to which it may have any number of distinct names

MAX_NAMES = 10_000
"""Maximum number of distinct names of elements, and of attributes, in a larger source."""

MAX_ROOTS = 100  # number of start tags of ``html`` and ``body`` up to which they are parsed

MAX_OPTIONS = 1000
"""Number of options of a page up to which a parser may determine which one is selected."""

FOREIGN = frozenset((b"svg", b"math"))
RAW = rb"script|style|textarea|title|xmp|iframe|noembed|noframes"
NAME = rb"[^\s/>][^\s/>=]*+"
VALUE = rb"(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>\"'][^\s>]*+)?)?+"
ATTRIBUTE = rb"[\s/]*+" + NAME + VALUE
# Start tags with few attributes, without their "<". Nearly all start tags are plain in this sense.
# Those of elements whose text contains no tags are not, nor are those of `FOREIGN`, inside which
# every element may contain tags.
PLAIN = (
    rb"(?!(?i:svg|math|" + RAW + rb")[ />])[a-zA-Z][a-zA-Z0-9-]*+"
    rb"(?: [a-zA-Z0-9:._-]++(?:=\"[^\"]*+\")?+){0,64}+ ?/?>"
)
# Everything up to and including the next start of a comment or start tag that is not plain, which
# is group 1. It ends with the tag or the source, so that no part of the source is scanned twice.
OPENING = lazy_re(
    rb"(?:[^<]*+<(?:(?![!a-zA-Z])|!(?!--)|" + PLAIN + rb"))*+[^<]*+"
    rb"(<!--|<([a-zA-Z][^\s/>]*+)(?:" + ATTRIBUTE + rb")*+)"
)
NAMES = lazy_re(rb"(" + NAME + rb")" + VALUE)
KEPT = lazy_re(rb"<[a-zA-Z][^\s/>]*+(?:" + ATTRIBUTE + rb"){%d}" % MAX_ATTRIBUTES)
# A pattern whose first character has no case is searched for much faster.
ENDS = {name: lazy_re(rb"</(?i:" + name + rb")") for name in (*RAW.split(b"|"), *FOREIGN)}
"""Patterns of the ends of the elements in `RAW` and `FOREIGN`."""
# Also ended by `--!>`; `<!-->` and `<!--->` are complete.
COMMENT = rb"<!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>)?)"
WHOLE_COMMENT = lazy_re(COMMENT)

# The HTML standard's formatting elements (13.2.4.3), except those that close one another.
# Group 2 is set if the match is certainly the whole tag, wherever it occurs.
FORMATTING = lazy_re(
    rb"<((?i:big|b|code|em|font|i|strike|strong|small|s|tt|u))(?=[\s/>])"
    rb"((?:\s++[\w:.-]++(?:=(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>=`]++))?+)*+\s*+/?>)?"
)
IDENTICAL = 3
"""Maximum number of formatting elements with equal names and attributes that are reopened."""

OPTION = lazy_re(rb"<(?i:option)")
SELECT = lazy_re(rb"<(?i:select)(?=[\s/>])")

# Elements that never nest directly within one another: they close one another, or are void.
FLAT = frozenset(
    b"a area base basefont bgsound body br caption col colgroup dd dt embed form frame head hr "
    b"html image img input keygen li link meta nobr option optgroup p param source tbody td tfoot "
    b"th thead tr track wbr".split()
)
# Elements that form a scope: an end tag inside them closes no element outside.
SCOPES = frozenset(
    b"applet button marquee object select table template svg math foreignobject desc".split()
)
# Elements inside which the end tag of an ordinary element, such as `span`, closes none outside.
SPECIAL = SCOPES | frozenset(
    b"address article aside blockquote center details dialog dir div dl fieldset figcaption figure "
    b"footer frameset h1 h2 h3 h4 h5 h6 header hgroup listing main menu nav ol pre search section "
    b"summary ul".split()
)
ROOT = lazy_re(rb"<(?i:html|body)(?=[\s/>])(?:" + ATTRIBUTE + rb")*+[\s/]*+>?")
ANY_TAG = rb"<(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*+)(?:" + ATTRIBUTE + rb")*+(?P<close>[\s/]*+)>?"
TAG = lazy_re(COMMENT + rb"|" + ANY_TAG)
"""Tags and comments inside `FOREIGN`, where even styles and titles may contain tags."""
TOKEN = lazy_re(
    COMMENT + rb"|<(?i:(?P<raw>" + RAW + rb"))(?=[\s/>])(?:" + ATTRIBUTE + rb")*+[\s/]*+>?"
    rb"(?:[^<]++|<(?!/(?i:(?P=raw))))*+(?:</[^>]*+>?)?"
    rb"|" + ANY_TAG
)


def limit_markup(source: bytes) -> bytes:
    """Limit attributes, options, formatting and depth; most pages are returned unchanged."""
    source = limit_options(limit_names(cut_attributes(limit_roots(source))))
    tags = source.count(b"<")
    source = limit_formatting(source, tags)
    # Few pages have so many tags that end tags have to be counted separately.
    if tags <= MANY_TAGS or tags - source.count(b"</") <= MANY_TAGS:
        return source
    return flatten(source)


def limit_roots(source: bytes) -> bytes:
    """Remove all but the first `MAX_ROOTS` start tags of ``html`` and ``body``."""
    for number, tag in enumerate(ROOT.finditer(source)):
        if number == MAX_ROOTS:
            return source[: tag.start()] + ROOT.sub(b"", source[tag.start() :])
    return source


def cut_attributes(source: bytes) -> bytes:
    """The source with no more than `MAX_ATTRIBUTES` attributes in any start tag.

    >>> len(cut_attributes(b"<p" + b" a=b" * 5000 + b">"))
    4003
    """
    kept, last, place, foreign = [], 0, 0, 0
    while opening := OPENING.match(source, place):
        start, place = opening.span(1)
        name = opening[2] and opening[2].lower()
        long = place - start > 2 * MAX_ATTRIBUTES
        if long and (whole := KEPT.match(source, start, place)):
            kept.append(source[last : whole.end()])
            last = place
        if name is None:
            end = WHOLE_COMMENT.match(source, start)
        elif name in ENDS and start >= foreign:
            end = ENDS[name].search(source, place)
        else:
            continue
        stop = end.end() if end else len(source)
        if name in FOREIGN:
            foreign = stop
        else:
            place = stop
    return b"".join([*kept, source[last:]])


def limit_names(source: bytes) -> bytes:
    """Limit the number of distinct names of elements and of attributes in a large source.

    Elements with further names are renamed to ``span``, and tags with further names of attributes
    lose their attributes. Tags are matched anywhere in the source, even in scripts.
    """
    if len(source) <= LARGE:
        return source
    elements: set[bytes] = set()
    attributes: set[bytes] = set()

    def limit(tag: re.Match[bytes]) -> bytes:
        if not tag["name"]:
            return tag[0]  # a comment
        start, end = tag.span("name")
        name = tag["name"] if _has_room(elements, {tag["name"].lower()}) else b"span"
        rest = source[end : tag.end()]
        if not _has_room(attributes, set(NAMES.findall(rest.lower()))):
            rest = b">"
        return source[tag.start() : start] + name + rest

    return TAG.sub(limit, source)


def _has_room(known: set[bytes], names: set[bytes]) -> bool:
    """Add names to those that are known, unless that would be more than `MAX_NAMES`."""
    new = names - known
    if len(known) + len(new) > MAX_NAMES:
        return False
    known |= new
    return True


def limit_options(source: bytes) -> bytes:
    """Make all lists of a source with many options accept multiple selected options.

    In such a list, whether an option is selected does not depend on the others. Options and lists
    are matched anywhere in the source, even in scripts.

    >>> limit_options(b"<select id=s>" + b"<option>" * 2000)[:24]
    b'<select multiple id=s><o'
    """
    if len(OPTION.findall(source)) <= MAX_OPTIONS:
        return source
    return SELECT.sub(rb"\g<0> multiple", source)


def limit_formatting(source: bytes, tags: int) -> bytes:
    """Limit the number of distinct formatting tags, since a parser may reopen them at every tag.

    Further ones are renamed to ``span``. Tags are counted anywhere in the source, even in comments.
    """
    if tags * tags <= 4 * MAX_COPIES:
        return source
    counts = Counter(FORMATTING.findall(source))
    distinct = [tag for tag in counts if tag[1]]
    others = sum(count for tag, count in counts.items() if not tag[1])
    if IDENTICAL * (len(distinct) + others) * tags <= MAX_COPIES:
        return source
    most = max(MAX_COPIES // (IDENTICAL * tags), 4)
    kept = frozenset(distinct[:most])

    def rename(tag: re.Match[bytes]) -> bytes:
        return tag[0] if tag.groups() in kept else b"<span" + (tag[2] or b"")

    return FORMATTING.sub(rename, source)


def flatten(source: bytes) -> bytes:
    """Limit the nesting depth to `MAX_DEPTH`: deeper elements are closed where they begin.

    Levels are counted without building the tree, and the count errs on the high side.

    >>> flatten(b"<div>" * MAX_DEPTH + b"<div>a</div>b")[-13:]
    b'<div></div>ab'
    """
    levels, parts, place = _Levels(), [], 0
    while token := (TAG if levels.is_foreign else TOKEN).search(source, place):
        parts += source[place : token.start()], levels.replace(token)
        place = token.end()
    return b"".join([*parts, source[place:]])


class _Levels:
    """Stack of the names of open elements, updated as tags are read in order."""

    def __init__(self) -> None:
        self._open: list[bytes] = []
        # Whether the next tag would be inside `FOREIGN`, at each level.
        self._foreign = [False]
        self._beyond = 0

    @property
    def is_foreign(self) -> bool:
        """Whether the next tag is inside ``svg`` or ``math``."""
        return self._foreign[-1]

    def replace(self, token: re.Match[bytes]) -> bytes:
        name = token["name"] and token["name"].lower()
        if not name or name in FLAT:
            return token[0]
        if token["end"]:
            return self._end(name, token[0])
        if b"/" in token["close"] and self.is_foreign and name not in SPECIAL:
            return token[0]
        if len(self._open) < MAX_DEPTH:
            self._open.append(name)
            self._foreign.append(name in FOREIGN if name in SPECIAL else self.is_foreign)
            return token[0]
        self._beyond += 1
        return token[0] + b"</" + name + b">"

    def _end(self, name: bytes, tag: bytes) -> bytes:
        if self._beyond:
            self._beyond -= 1
            return b""
        for level in range(len(self._open) - 1, -1, -1):
            around = self._open[level]
            if around == name:
                del self._open[level:], self._foreign[level + 1 :]
                break
            if around in (SCOPES if name in SPECIAL else SPECIAL):
                break
        return tag
