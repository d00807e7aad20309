"""Write the inlines of a block as Markdown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...patterns import lazy_re
from ..document import document as tree
from ..document.document import inline_text

# Characters to escape: a backslash that would escape something, also at the end of a text, where
# markup may follow; delimiters that open emphasis, code or a link; `<` of a tag and `&` of an
# entity. An underscore within a word opens nothing, and neither do brackets that no address
# follows, unless they may be a checkbox or a note. Each branch begins with a distinct literal
# character, so that the search skips other text quickly.
ANYWHERE = (
    r"\*|_(?!(?<=[^\W_]_)[^\W_])|`|\\(?=[!-/:-@\[-`{-~\s]|\Z)"
    r"|<(?=[A-Za-z/!?])|&(?=#?[0-9A-Za-z]{1,40};)|~(?:(?=~)|(?<=~~))"
)
SPECIAL = lazy_re(
    ANYWHERE + r"|\[(?!(?<!\^\[)(?:\d{1,4}\][ .,;)]|(?![ xX]\]|\^)[^\[\]\n]{1,60}\][^(\[:]))"
)
SPECIAL_IN_LINK = lazy_re(ANYWHERE + r"|\[|\]")

# Characters to escape in an address in parentheses. Spaces and control characters would end the
# address and are percent-encoded.
IN_ADDRESS = lazy_re(r"[\\`<>$]|&(?=#?\w*;)")
IN_ADDRESS_OR_PARENTHESIS = lazy_re(rf"[()]|{IN_ADDRESS.pattern}")
UNNESTED = lazy_re(r"[^()]*+(?:\([^()]*+\)[^()]*+)*+")
UNFIT = lazy_re(r"[\x00-\x20\x7f-\x9f\u2028\u2029]")
# A space within code or a formula, at which no line may be broken.
UNBROKEN = "\x00"

BACKTICKS = lazy_re("`+")

# White space has no meaning in TeX, so a space can separate what Markdown reads as tags and links.
TEX_MARKUP = lazy_re(r"(\\[\\$])|<(?=[A-Za-z/!?])|\](?=[(\[:])|\$|`|\\\Z")

DELIMITERS = {"em": "*", "cite": "*", "var": "*", "strong": "**", "del": "~~"}
ELEMENTS = {"cite": "em", "var": "em"}


@dataclass(slots=True)
class Mark:
    """One end of a phrase; `other` is the index of the other end."""

    kind: str
    is_open: bool
    other: int = -1


def escape(text: str, *, in_link: bool = False) -> str:
    """Escape a text so that Markdown reads it literally, except at the beginning of a line.

    >>> escape("[a](javascript:b) <i> 1 < 2 & 3")
    '\\\\[a](javascript:b) \\\\<i> 1 < 2 & 3'
    """
    return (SPECIAL_IN_LINK if in_link else SPECIAL).sub(r"\\\g<0>", text)


def fence_of(text: str, least: int) -> str:
    """At least `least` backticks, more than any run of backticks in a text."""
    return "`" * max(least, 1 + max(map(len, BACKTICKS.findall(text)), default=0))


def display_formula(tex: str) -> str:
    """TeX in which Markdown finds no markup, whether or not the parser supports formulas."""
    return TEX_MARKUP.sub(_separate, tex).strip()


def _separate(match: re.Match[str]) -> str:
    """Escaped characters as they are, a space after the beginning of markup, nothing for others."""
    return match[0] if match[1] else f"{match[0]} " if match[0] in "<]" else ""


def write_line(
    content: Sequence[tree.Inline], *, one_line: bool = False, in_cell: bool = False
) -> str:
    """Write inlines as Markdown; line breaks may become spaces, or ``<br>`` as cells require."""
    line_break = "<br>" if in_cell else " " if one_line else "\\\n"
    plain = inline_text(content)
    # A single dollar is literal; two may be the ends of a formula.
    dollars = plain.count("$") > 1 or ("$" in plain and _has_formula(content))
    # A parser without formulas pairs a bracket of a formula with one of the text.
    return _Line(line_break, dollars, in_link=_has_formula(content)).write(content)


def _has_formula(content: Sequence[tree.Inline]) -> bool:
    return any(
        isinstance(each, tree.Formula)
        or (isinstance(each, tree.Phrase | tree.Hyperlink) and _has_formula(each.content))
        for each in content
    )


class _Line:
    def __init__(self, line_break: str, dollars: bool, in_link: bool = False) -> None:
        self.line_break = line_break
        self.dollars = dollars
        self.in_link = in_link
        self.parts: list[str | Mark] = []
        # Text that is not escaped yet, since its meaning depends on the text that follows.
        self.pending: list[str] = []

    def write(self, content: Sequence[tree.Inline]) -> str:
        self.add(content)
        # The end of the line, so that nothing can follow brackets there.
        self.pending.append("\n")
        self.flush()
        self.resolve()
        return "".join(part for part in self.parts if isinstance(part, str)).removesuffix("\n")

    def add(self, content: Sequence[tree.Inline]) -> None:
        for inline in _set_apart(content):
            match inline:
                case tree.Text(text):
                    self.pending.append(text)
                case tree.Phrase(kind, inner):
                    self.add_phrase(kind, inner)
                case tree.CodeSpan(text):
                    self.add_code(text)
                case tree.Hyperlink(url, inner):
                    self.add_link(url, inner)
                case tree.Image(url, alt):
                    written = escape(alt, in_link=True).replace("$", "\\$")
                    self.put(f"![{written}]({destination(url)})")
                case tree.Formula(tex):
                    written = display_formula(tex)
                    self.put(f"${written}$".replace(" ", UNBROKEN) if written else "")
                case tree.LineBreak():
                    self.put(self.line_break)
                case tree.NoteMark(label):
                    self.put(f"[^{label}]")

    def put(self, written: str | Mark) -> None:
        self.flush()
        if written:
            self.parts.append(written)

    def flush(self) -> None:
        if not self.pending:
            return
        text = escape("".join(self.pending), in_link=self.in_link)
        self.pending = []
        if self.dollars:
            text = text.replace("$", "\\$")
        before = self.parts[-1] if self.parts else ""
        if isinstance(before, str) and before.startswith("[^") and text[:1] in (":", "("):
            text = f"\\{text}"
        self.parts.append(text)

    def add_phrase(self, kind: str, inner: Sequence[tree.Inline]) -> None:
        if kind in ("sub", "sup"):
            self.put(f"<{kind}>")
            self.add(inner)
            self.put(f"</{kind}>")
        elif kind == "q":
            self.add((tree.Text("“"), *inner, tree.Text("”")))
        elif kind in DELIMITERS:
            begin = Mark(kind, True)
            self.put(begin)
            place = len(self.parts) - 1
            self.add(inner)
            self.put(Mark(kind, False, place))
            begin.other = len(self.parts) - 1
        else:
            self.add(inner)

    def add_code(self, text: str) -> None:
        self.flush()
        before = self.parts[-1] if self.parts else ""
        if isinstance(before, str) and before.endswith("`"):
            # Two adjacent runs of backticks would be read as one.
            self.parts += ["<code>", escape(text).replace(" ", UNBROKEN), "</code>"]
            return
        fence = fence_of(text, 1)
        padded = f" {text} " if text[:1] == "`" or text[-1:] == "`" else text
        self.parts.append(f"{fence}{padded}{fence}".replace(" ", UNBROKEN))

    def add_link(self, url: str, inner: Sequence[tree.Inline]) -> None:
        self.flush()
        before = self.parts[-1] if self.parts else ""
        if isinstance(before, str) and before.endswith(("!", "^")):
            # The link would be read as a picture or as a footnote within the line.
            self.parts[-1] = f"{before[:-1]}\\{before[-1]}"
        if tuple(inner) == (tree.Text(url),) and not re.search(r"[\s<>|$]", url):
            self.parts.append(f"<{url}>")
            return
        text = _Line(self.line_break, self.dollars, in_link=True).write(inner)
        self.parts.append(f"[{text}]({destination(url)})" if text else "")

    def resolve(self) -> None:
        """Write the ends of phrases as delimiters if they are recognised here, else as elements."""
        parts = self.parts
        holds: dict[int, bool] = {}
        around: list[int] = []
        for place, mark in enumerate(parts):
            if isinstance(mark, Mark) and mark.is_open:
                in_run = any(_joins(parts, each, each + 1) for each in around)
                holds[place] = self.holds(place, mark.other, in_run=in_run)
                around.append(place)
            elif isinstance(mark, Mark):
                around.pop()
        for place, mark in enumerate(parts):
            if isinstance(mark, Mark):
                begin = place if mark.is_open else mark.other
                name = ELEMENTS.get(mark.kind, mark.kind)
                element = f"<{name}>" if mark.is_open else f"</{name}>"
                parts[place] = DELIMITERS[mark.kind] if holds[begin] else element

    def holds(self, begin: int, end: int, *, in_run: bool) -> bool:
        """Whether delimiters open and close a phrase here (CommonMark 0.31, 6.2).

        Delimiters in a run of three, and within it, must not be able to do both.
        """
        parts = self.parts
        # The delimiters of emphasis beside those of strong text are one run of three asterisks.
        outer_begin = begin - _joins(parts, begin - 1, begin)
        inner_begin = begin + _joins(parts, begin, begin + 1)
        inner_end = end - _joins(parts, end - 1, end)
        outer_end = end + _joins(parts, end, end + 1)
        if inner_begin - outer_begin > 1 or outer_end - inner_end > 1:
            return False
        before, first = _char(parts, outer_begin - 1, -1), _char(parts, inner_begin + 1, 0)
        last, after = _char(parts, inner_end - 1, -1), _char(parts, outer_end + 1, 0)
        if "" in (before, first, last, after) or first.isspace() or last.isspace():
            return False
        if (in_run or inner_begin > outer_begin) and _is_within(before, first):
            return False
        if (in_run or outer_end > inner_end) and _is_within(after, last):
            return False
        return (not _is_mark(first) or _parts(before)) and (not _is_mark(last) or _parts(after))


def _is_within(outside: str, inside: str) -> bool:
    """Whether a delimiter between two characters could also end a phrase of the outer one."""
    return not outside.isspace() and (not _is_mark(outside) or _parts(inside))


def _joins(parts: list[str | Mark], left: int, right: int) -> bool:
    """Whether two adjacent marks, both of beginnings or both of ends, can be one run."""
    one, other = (parts[place] if 0 <= place < len(parts) else None for place in (left, right))
    if not isinstance(one, Mark) or not isinstance(other, Mark) or one.is_open != other.is_open:
        return False
    outer, inner = (one, other) if one.is_open else (other, one)
    if {DELIMITERS[outer.kind], DELIMITERS[inner.kind]} != {"*", "**"}:
        return False
    # Two such runs around the same text are read as emphasis around strong text.
    return outer.kind != "strong" or abs(outer.other - inner.other) != 1


def _set_apart(content: Sequence[tree.Inline]) -> Iterator[tree.Inline]:
    """Inlines whose delimiters open and close phrases beside words (CommonMark 0.31, 6.2).

    A delimiter between a word and punctuation does not, so such punctuation is put outside of its
    phrase. A phrase of nothing but punctuation is plain text.
    """
    for place, inline in enumerate(content):
        if isinstance(inline, tree.Phrase) and inline.kind in DELIMITERS:
            before, after = content[max(place - 1, 0)], content[min(place + 1, len(content) - 1)]
            yield from _phrase_apart(
                inline,
                after_word=isinstance(before, tree.Text) and _is_word(before.text[-1]),
                before_word=isinstance(after, tree.Text) and _is_word(after.text[0]),
            )
        else:
            yield inline


def _phrase_apart(
    phrase: tree.Phrase, *, after_word: bool, before_word: bool
) -> Iterator[tree.Inline]:
    inner = list(phrase.content)
    if (
        len(inner) == 1
        and isinstance(inner[0], tree.Text)
        and not any(map(_is_word, inner[0].text))
    ):
        yield inner[0]
        return
    leading = trailing = ""
    if after_word and isinstance(inner[0], tree.Text):
        leading, rest = _cut_punctuation(inner[0].text)
        inner[0] = tree.Text(rest)
    if before_word and isinstance(inner[-1], tree.Text):
        trailing, rest = (each[::-1] for each in _cut_punctuation(inner[-1].text[::-1]))
        inner[-1] = tree.Text(rest)
    outside = (
        (tree.Text(leading),),
        (tree.Phrase(phrase.kind, _full(inner)),),
        (tree.Text(trailing),),
    )
    for each in outside:
        yield from _full(each)


def _cut_punctuation(text: str) -> tuple[str, str]:
    """A text's leading characters that are not of a word, and the rest."""
    place = next((place for place, each in enumerate(text) if _is_word(each)), len(text))
    return text[:place], text[place:]


def _full(inlines: Sequence[tree.Inline]) -> list[tree.Inline]:
    return [each for each in inlines if each != tree.Text("")]


def _is_word(character: str) -> bool:
    return not _parts(character)


def _char(parts: list[str | Mark], place: int, which: int) -> str:
    """A character at the edge of a part; empty for a delimiter, a space at the end of the line."""
    if not 0 <= place < len(parts):
        return " "
    part = parts[place]
    return "" if isinstance(part, Mark) else part[which] if part else ""


def _is_mark(character: str) -> bool:
    """Whether a character is punctuation or a symbol."""
    return unicodedata.category(character)[0] in "PS"


def _parts(character: str) -> bool:
    return character.isspace() or _is_mark(character)


def destination(url: str) -> str:
    """An address as it is written between the parentheses of a link."""
    fit = UNFIT.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), url)
    # Parentheses may stay if they are closed and not nested.
    special = IN_ADDRESS if UNNESTED.fullmatch(url) else IN_ADDRESS_OR_PARENTHESIS
    return special.sub(r"\\\g<0>", fit)
