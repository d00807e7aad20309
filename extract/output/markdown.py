"""A clean tree as Markdown, in which nothing that the page says is markup.

CommonMark with the tables and the strikethrough of GFM; headings are ATX. `markdownify` knows
what each element is written as. Here is what it leaves to its users: texts, addresses and
code that would be read as Markdown or as HTML, and its steps that take squared time.
"""

from __future__ import annotations

import re
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement
from markdownify import MarkdownConverter

from .sanitise import STRUCTURE

__all__ = ["escape", "heading", "to_markdown"]

# A backslash where it would escape something; what opens emphasis, code, or a link; `<` of a
# tag and `&` of an entity, also at the end of a text, since the next one may go on with it.
# Every branch begins with a letter of its own: only so does a search skip the rest quickly.
SPECIAL = re.compile(
    r"\*|_|`|\[|\\(?=[!-/:-@\[-`{-~\s]|\Z)|<(?=[A-Za-z/!?]|\Z)|&(?=#?\w*(?:;|\Z))|~(?:(?=~)|(?<=~~))"
)

# What makes a line a heading, a quote, a list item, a fence, an underline or a table's rule.
LINE_START = re.compile(
    r"( *+)(?:(\d{1,9})(?=[.)](?:\s|$))|(?=#{1,6}(?:\s|$)|[-+](?:\s|$)|>|~~~|=+\s*$|"
    r"[-|: ]+$)(?=\S))"
)

# Of an address in parentheses; spaces and controls end it and are percent-encoded.
IN_ADDRESS = re.compile(r"[\\()`<>]|&(?=#?\w*;)")
UNFIT = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]")

LINE_END = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
CLOSING = re.compile(r"(?<![^\s#])#$")
BACKTICKS = re.compile("`+")


def to_markdown(tree: BeautifulSoup) -> str:
    """Markdown of a clean tree.

    Returns
    -------
    Lines parted by ``\\n``, none with white space at its end. Rendered, it has the elements
    of the tree that Markdown knows, the tree's own links and pictures, and no others.
    """
    lines = _Writer().convert_soup(tree).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def escape(text: str) -> str:
    """A text that Markdown reads as that text, wherever it stands but at a line's start.

    >>> escape("[a](javascript:b) <i> 1 < 2 & 3")
    '\\\\[a](javascript:b) \\\\<i> 1 < 2 & 3'
    """
    return SPECIAL.sub(r"\\\g<0>", text)


def heading(level: int, said: str) -> str:
    """An ATX heading of what is escaped already."""
    said = _one_line(said)
    # Hashes at the end would close it.
    closed = CLOSING.sub("\\\\#", said)
    return f"{'#' * min(level, 6)} {closed}" if said else ""


def _guard(text: str) -> str:
    """Lines that are text from their first character on."""
    return "\n".join(map(_guarded_line, text.split("\n")))


def _guarded_line(line: str) -> str:
    found = LINE_START.match(line)
    return f"{found[0]}\\{line[found.end() :]}" if found else line


def _destination(url: str) -> str:
    """An address as it stands between the parentheses of a link."""
    return IN_ADDRESS.sub(
        r"\\\g<0>",
        UNFIT.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), url),
    )


def _spaced_as(text: str, written: str) -> str:
    """With a space at each end where the text had white space."""
    return f"{' ' * text[:1].isspace()}{written}{' ' * text[-1:].isspace()}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


class _Writer(MarkdownConverter):
    """Writes one document."""

    def __init__(self) -> None:
        super().__init__(heading_style="atx", bullets="-", code_language="")
        self.items: dict[int, int] = {}
        self.tables: set[int] = set()

    def process_text(self, el: NavigableString, parent_tags: set[str] | None = None) -> str:
        around = parent_tags or set()
        if "pre" in around:
            return LINE_END.sub("\n", str(el))
        text: str = super().process_text(el, parent_tags=around)  # pyright: ignore[reportAttributeAccessIssue]
        # It would make a picture of the link.
        if text.endswith("!") and _name(el.next_sibling) == "a":
            return f"{text[:-1]}\\!"
        return text

    def escape(self, text: str, parent_tags: set[str]) -> str:
        text = escape(text)
        return text.replace("]", "\\]") if "a" in parent_tags else text

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        url, said = str(el.get("href") or ""), text.strip()
        if "_noformat" in parent_tags or not said or not url or "a" in parent_tags:
            return text
        if said == self.escape(url, {"a"}) and not re.search(r"[\s<>|]", url):
            return f"<{url}>"
        return _spaced_as(text, f"[{_one_line(said)}]({_destination(url)})")

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        alt = escape(_one_line(str(el.get("alt") or ""))).replace("]", "\\]")
        if "_noformat" in parent_tags:
            return ""
        if "_inline" in parent_tags:
            return alt
        return f"![{alt}]({_destination(str(el.get('src') or ''))})"

    def convert_br(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "pre" in parent_tags:
            return "\n"
        return " " if {"_inline", "_noformat"} & parent_tags else "  \n"

    def convert_code(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "_noformat" in parent_tags:
            return text
        said = _one_line(text)
        # Two pieces of code side by side are read as one, which backticks inside would end.
        marked = self.escape(said, parent_tags) if "`" in said else said and f"`{said}`"
        return _spaced_as(text, marked)

    convert_kbd = convert_samp = convert_code

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if not text.strip():
            return ""
        longest = max((len(run) for run in BACKTICKS.findall(text)), default=0)
        fence = "`" * max(3, longest + 1)
        return "\n\n{}\n{}\n{}\n\n".format(fence, text.strip("\n"), fence)

    def convert_p(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "_inline" in parent_tags:
            return f" {text.strip()} "
        text = text.strip(" \t\r\n")
        return f"\n\n{text if _structured(el) else _guard(text)}\n\n"

    def convert_hN(  # noqa: N802
        self, n: int, el: Tag, text: str, parent_tags: set[str]
    ) -> str:
        return text if "_inline" in parent_tags else f"\n\n{heading(n, text)}\n\n"

    def convert_dt(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        said = _one_line(text)
        return f" {said} " if "_inline" in parent_tags else f"\n\n{_guard(said)}\n"

    def convert_dd(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        said = text.strip()
        if "_inline" in parent_tags:
            return f" {said} "
        # To most readers a definition is a paragraph, and its further lines would be code.
        return f"\n\n{said}\n\n" if "\n" in said else f":   {said}\n"

    def convert_caption(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"{_guard(_one_line(text))}\n\n"

    def convert_figcaption(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        said = text.strip()
        return f"\n\n{said if _structured(el) else _guard(said)}\n\n"

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        parent = el.parent
        bullet = "- "
        if parent is not None and parent.name == "ol":
            before = self.items.get(id(parent), int(str(parent.get("start", "1"))) - 1)
            self.items[id(parent)] = before + 1
            bullet = f"{before + 1}. "
        said = text.strip()
        if _name(next(el.children, None)) not in STRUCTURE:
            first, end, rest = said.partition("\n")
            said = _guard(first) + end + rest
        lines = said.replace("\n", f"\n{' ' * len(bullet)}")
        return f"{bullet}{lines}\n" if said else "\n"

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if _name(el.parent) != "tr":
            return f"\n\n{_guard(text.strip())}\n\n"
        said = text.strip().replace("\n", " ").replace("|", "\\|")
        return f" {said} |{' |' * (_span(el) - 1)}"

    convert_th = convert_td

    def convert_tr(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        row = f"|{text}\n"
        table = el.find_parent("table")
        if id(table) in self.tables:
            return row
        self.tables.add(id(table))
        # What a row has beyond the first is not shown.
        width = max(map(_width, table.find_all("tr"))) if table else _width(el)
        rule = f"|{' --- |' * width}\n"
        heads = _name(el.parent) == "thead" or all(cell.name == "th" for cell in _cells(el))
        return row + rule if heads else f"|{'  |' * width}\n{rule}{row}"


def _cells(row: Tag) -> list[Tag]:
    return [cell for cell in row.children if isinstance(cell, Tag) and cell.name in ("td", "th")]


def _width(row: Tag) -> int:
    return sum(map(_span, _cells(row)))


def _span(cell: Tag) -> int:
    return int(str(cell.get("colspan", "1"))) or 1


def _structured(element: Tag) -> bool:
    """Whether lines in it may be markup of ours."""
    return any(_name(inner) in STRUCTURE for inner in element.descendants)


def _name(element: Any | PageElement | None) -> str:
    return element.name if isinstance(element, Tag) else ""
