"""Write a document as Markdown in which no text of the page is read as markup.

The dialect is CommonMark with the tables, task lists and strikethrough of GFM, footnotes,
definition lists and formulas between dollars. A phrase without Markdown delimiters, or whose
delimiters would not be recognised between the adjacent characters, is written as one of a few HTML
elements without attributes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...patterns import lazy_re
from ..document import document as tree
from .markdown_line import UNBROKEN, display_formula, escape, fence_of, write_line

__all__ = ["escape", "heading", "to_markdown"]

LINE_END = lazy_re("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
CLOSING = lazy_re(r"(?<![^\s#])#$")

# Beginnings of lines that are read as a heading, a quote, a list item, a definition, a fence, the
# underline of a heading or the delimiter row of a table.
LINE_START = lazy_re(
    r"( *+)(?:(\d{1,9})(?=[.)](?:\s|$))"
    r"|(?=#{1,6}(?:\s|$)|[-+:~](?:\s|$)|>|~~~|=+\s*$|[-|: ]+$)(?=\S))"
)
# The first line of a note that parsers without notes would read as the address of a link.
REFERENCE = lazy_re(r"(?=[^\x00-\x20]*[:/\\])[^\x00-\x20]+(?:[\x00-\x20]*\\?$|[\x00-\x20]+[\"'(])")
RULES = {"left": ":---", "right": "---:", "center": ":---:", "": "---"}


def to_markdown(document: tree.Document, *, wrap: int = 0) -> str:
    """Write a document as Markdown, with lines of paragraphs wrapped at `wrap` characters unless 0.

    Only lines of code may end in white space. When rendered, the text has the blocks, links and
    pictures of the document, and no others.
    """
    return "\n".join(_Writer(wrap).blocks(document.content)).replace(UNBROKEN, " ")


def heading(level: int, written: str) -> str:
    """An ATX heading of text that is already escaped."""
    written = " ".join(written.split())
    # Hashes at the end would be read as the closing sequence of the heading.
    closed = CLOSING.sub("\\\\#", written)
    return f"{'#' * min(level, 6)} {closed}" if written else ""


def _guard(line: str) -> str:
    """Escape the beginning of a line that would be read as markup."""
    match = LINE_START.match(line)
    return f"{match[0]}\\{line[match.end() :]}" if match else line


def _indent(lines: list[str], first: str) -> list[str]:
    """Lines after a list marker: all but the first are indented by the marker's width."""
    margin = " " * len(first)
    return [(first + lines[0]).rstrip(), *(margin + line if line else "" for line in lines[1:])]


class _Writer:
    def __init__(self, wrap: int) -> None:
        self.wrap = wrap

    def blocks(self, content: tuple[tree.Block, ...], *, tight: bool = False) -> list[str]:
        lines: list[str] = []
        before: tree.Block | None = None
        other = False
        for block in content:
            if isinstance(block, tree.ItemList):
                # Consecutive lists are separate only if their markers differ.
                same = isinstance(before, tree.ItemList) and (before.start is None) == (
                    block.start is None
                )
                other = same and not other
                written = self.items(block, other)
            else:
                written = self.block(block)
            if lines and written and not tight:
                lines.append("")
            lines += written
            before = block if written else before
        return lines

    def block(self, block: tree.Block) -> list[str]:
        match block:
            case tree.Heading(level, content):
                return [heading(level, write_line(content, one_line=True))]
            case tree.Paragraph((tree.Formula(tex, True),)):
                return ["$$", display_formula(tex), "$$"]
            case tree.Paragraph(content):
                return self.paragraph(content)
            case tree.Quote(content):
                return [f"> {line}" if line else ">" for line in self.blocks(content)]
            case tree.CodeBlock(text, language):
                text = LINE_END.sub("\n", text)
                fence = fence_of(text, 3)
                return [fence + language, *text.split("\n"), fence]
            case tree.Table():
                return self.table(block)
            case tree.Figure():
                return self.blocks(block.parts())
            case tree.DefinitionList(entries):
                return self.definitions(entries)
            case tree.Notes(notes):
                return [line for note in notes for line in self.note(note.label, note.content)]
            case tree.Embed(url, title):
                return self.paragraph((tree.Hyperlink(url, (tree.Text(title),)),))
            case tree.Rule():
                return ["***"]
            case tree.ItemList():
                return self.items(block, False)

    def paragraph(self, content: Sequence[tree.Inline]) -> list[str]:
        lines = write_line(content).split("\n")
        if self.wrap:
            lines = [part for line in lines for part in self._fill(line)]
        return [_guard(line) for line in lines]

    def _fill(self, line: str) -> list[str]:
        """Wrap a line between words, never before a word that would be markup there."""
        lines: list[str] = []
        for word in line.split(" "):
            fits = lines and len(lines[-1]) + 1 + len(word) <= self.wrap
            if lines and (fits or _guard(f"{word} ") != f"{word} " or LINE_START.match(word)):
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        return lines

    def items(self, block: tree.ItemList, other: bool) -> list[str]:
        tight = all(_is_tight(item) for item in block.items)
        lines: list[str] = []
        for number, item in enumerate(block.items, block.start or 0):
            if block.start is None:
                mark = "* " if other else "- "
            else:
                mark = f"{min(number, 999_999_999)}{')' if other else '.'} "
            content = self.blocks(item.content, tight=tight) or [""]
            if item.done is not None:
                # A checkbox can only stand directly before text.
                begins = item.content and isinstance(item.content[0], tree.Paragraph)
                content = content if begins else ["", *content]
                content[0] = f"[{'x' if item.done else ' '}] {content[0]}"
            if lines and not tight:
                lines.append("")
            lines += _indent(content, mark)
        return lines

    def definitions(self, entries: tuple[tree.Term | tree.Definition, ...]) -> list[str]:
        lines: list[str] = []
        before: tree.Term | None = None
        for entry in entries:
            if lines and (isinstance(entry, tree.Term) or before is None):
                lines.append("")
            if isinstance(entry, tree.Term):
                # A term is a single line.
                lines.append(_guard(write_line(entry.content, one_line=True)))
                before = entry
            elif before is None:
                lines += self.blocks(entry.content)
            else:
                lines += _indent(self.blocks(entry.content) or [""], ": ")
        return lines

    def note(self, label: str, content: tuple[tree.Block, ...]) -> list[str]:
        lines = self.blocks(content) or [""]
        if not content or not isinstance(content[0], tree.Paragraph | tree.Heading):
            lines = ["", *lines]
        if REFERENCE.match(lines[0]):
            lines[0] = "&nbsp; " + ("\\" if lines[0][0] in "\"'(" else "") + lines[0]
        return [
            f"[^{label}]: {lines[0]}".rstrip(),
            *(f"    {line}" if line else "" for line in lines[1:]),
        ]

    def table(self, table: tree.Table) -> list[str]:
        lines = [*self.paragraph(table.caption), ""] if table.caption else []
        aligned = table.alignments or ("",) * table.columns
        rule = f"| {' | '.join(RULES[each] for each in aligned)} |"
        rows = list(table.rows)
        # A GFM table has exactly one header row, with as many cells as the delimiter row.
        head = _row(rows.pop(0) if table.header_rows else (), table.columns)
        return [*lines, head, rule, *map(_row, rows)]


def _row(cells: tuple[tree.Cell, ...], columns: int = 1) -> str:
    """A row up to its last cell, but of at least `columns` cells: parsers add missing cells."""
    written = [""] * max(columns, cells[-1].column + 1 if cells else 1)
    for cell in cells:
        written[cell.column] = "<br>".join(_cell_lines(cell.content)).replace("|", "\\|")
    return "".join(f"| {text} " if text else "| " for text in written) + "|"


def _is_tight(item: tree.Item) -> bool:
    """Whether an item holds at most one paragraph, followed only by lists."""
    match item.content:
        case (tree.Paragraph(), *lists):
            # Without an empty line, a list can only follow a paragraph if it starts at 1.
            return all(
                isinstance(each, tree.ItemList) and each.start in (None, 1) for each in lists
            )
        case lists:
            return all(isinstance(each, tree.ItemList) for each in lists)


def _cell_lines(content: tuple[tree.Block, ...]) -> list[str]:
    """Blocks as the lines of a cell, which can only hold inlines."""
    lines: list[str] = []
    for block in content:
        match block:
            case tree.Heading(_, inner) | tree.Paragraph(inner):
                lines.append(write_line(inner, in_cell=True))
            case tree.ItemList(items, start):
                for number, item in enumerate(items, start or 0):
                    mark = "-" if start is None else f"{number}."
                    box = "" if item.done is None else f"[{'x' if item.done else ' '}] "
                    lines.append(f"{mark} {box}{'<br>'.join(_cell_lines(item.content))}")
            case tree.Quote(inner):
                lines += _cell_lines(inner)
            case tree.CodeBlock(text):
                lines += [_code_line(line) for line in LINE_END.sub("\n", text).split("\n")]
            case tree.Table(rows):
                lines += [write_line(block.caption, in_cell=True)] if block.caption else []
                lines += [
                    " ".join("<br>".join(_cell_lines(c.content)) for c in row) for row in rows
                ]
            case tree.Figure():
                lines += _cell_lines(block.parts())
            case tree.DefinitionList(entries):
                for entry in entries:
                    inner = (
                        entry.content
                        if isinstance(entry, tree.Definition)
                        else (tree.Paragraph(entry.content),)
                    )
                    lines += _cell_lines(inner)
            case tree.Notes(notes):
                for note in notes:
                    lines += _cell_lines(note.content)
            case tree.Embed(url, title):
                lines.append(write_line((tree.Hyperlink(url, (tree.Text(title),)),), in_cell=True))
            case tree.Rule():
                pass
    return [line for line in lines if line]


def _code_line(line: str) -> str:
    fence = fence_of(line, 1)
    inner = line.strip()
    padded = f" {inner} " if inner[:1] == "`" or inner[-1:] == "`" else inner
    return f"{fence}{padded}{fence}" if inner else ""
