"""The stories of newspapers: they consist of blocks and come from plain-text files."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

CONTENT = Path(__file__).parent / "content"

LINK = re.compile(r"\[([^\]]+)\]\(([^)]*)\)")
EMPHASIS = re.compile(r"\*([^*\n]+)\*")
_MARKS = {"## ": "heading", "- ": "list", "1. ": "ordered", "> ": "quote", "| ": "table"}


@dataclass(frozen=True)
class Block:
    """One block of a body; the lines keep their inline marks."""

    kind: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Comment:
    """A comment that a reader wrote below a story."""

    author: str
    date: str
    text: str


@dataclass(frozen=True)
class Story:
    """An article before any newspaper has laid it out."""

    slug: str
    title: str
    standfirst: str
    authors: tuple[str, ...]
    date: str
    section: str
    scene: str
    caption: str
    language: str
    blocks: tuple[Block, ...]
    comments: tuple[Comment, ...]

    @property
    def truth(self) -> tuple[str, ...]:
        """The paragraphs, subheadings, quotes and list items that an extraction must contain."""
        text_blocks = (block for block in self.blocks if block.kind not in {"table", "code"})
        return tuple(plain(line) for block in text_blocks for line in block.lines)

    @property
    def optional(self) -> tuple[str, ...]:
        """Texts of the article that an extraction may contain or omit."""
        cells = [
            cell
            for block in self.blocks
            if block.kind == "table"
            for line in block.lines
            for cell in row_cells(line)
        ]
        code = [line for block in self.blocks if block.kind == "code" for line in block.lines]
        return tuple(filter(None, (self.standfirst, self.caption, *cells, *code)))


def plain(text: str) -> str:
    """The text of a line without its inline marks."""
    return EMPHASIS.sub(r"\1", LINK.sub(r"\1", text))


def row_cells(line: str) -> list[str]:
    """The cells of a table line: ``Tide | High | Low``."""
    return [plain(cell.strip()) for cell in line.split("|")]


def _block(chunk: str) -> Block:
    if chunk.startswith("```"):
        return Block("code", tuple(chunk.strip("`").strip("\n").splitlines()))
    for mark, kind in _MARKS.items():
        if chunk.startswith(mark):
            lines = (re.sub(r"^(## |- |\d+\. |> |\| )", "", line) for line in chunk.splitlines())
            return Block(kind, tuple(lines))
    return Block("paragraph", (" ".join(chunk.splitlines()),))


def _comment(line: str) -> Comment:
    author, date, text = (part.strip() for part in line.removeprefix("% ").split("|", 2))
    return Comment(author, date, text)


def _story(source: str) -> Story:
    head, _, body = source.partition("\n---\n")
    slug, *fields = head.strip().splitlines()
    meta = {name: value.strip() for name, _, value in (line.partition(":") for line in fields)}
    chunks = [chunk.strip("\n") for chunk in re.split(r"\n\s*\n", body.strip())]
    remarks = [line for chunk in chunks if chunk.startswith("% ") for line in chunk.splitlines()]
    return Story(
        slug=slug.strip(),
        title=meta["title"],
        standfirst=meta.get("standfirst", ""),
        authors=tuple(filter(None, (name.strip() for name in meta.get("by", "").split(";")))),
        date=meta["date"],
        section=meta["section"],
        scene=meta.get("scene", "hills"),
        caption=meta.get("caption", ""),
        language=meta.get("language", "en-GB"),
        blocks=tuple(_block(chunk) for chunk in chunks if not chunk.startswith("% ")),
        comments=tuple(_comment(line) for line in remarks),
    )


@cache
def load(name: str) -> tuple[Story, ...]:
    """The stories of the content file `name`, in file order.

    A story starts with a line ``@@ slug``, followed by its fields, a line ``---`` and its blocks.
    """
    text = (CONTENT / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(_story(source) for source in re.split(r"^@@ ", text, flags=re.MULTILINE)[1:])
