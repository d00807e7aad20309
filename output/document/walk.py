"""Links, pictures and characters of a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import document as tree


@dataclass(frozen=True)
class Link:
    """A link of the body: its text and its target."""

    text: str
    url: str


def links_of(document: tree.Document) -> Iterator[Link]:
    """Links and embeds, in document order."""
    for part in _parts(document):
        if isinstance(part, tree.Hyperlink):
            yield Link(" ".join(inline_text(part.content).split()), part.url)
        elif isinstance(part, tree.Embed):
            yield Link(part.title, part.url)


def images_of(document: tree.Document) -> Iterator[tree.Image]:
    """Pictures, in document order."""
    return (part for part in _parts(document) if isinstance(part, tree.Image))


def _parts(part: object) -> Iterator[object]:
    """A part of a document and all its descendants."""
    if isinstance(part, Sequence) and not isinstance(part, str):
        for inner in part:
            yield from _parts(inner)
    elif isinstance(part, tree.Figure):
        yield from _parts(part.parts())
    elif isinstance(part, tree.Table):
        # The caption of a table stands above it.
        yield from _parts((part.caption, part.rows))
    elif names := getattr(part, "__slots__", ()):
        yield part
        for name in names:
            yield from _parts(getattr(part, name))


def is_picture(content: Sequence[tree.Inline]) -> bool:
    """Whether inlines are nothing but pictures, which may be linked."""
    return all(
        isinstance(each, tree.Image)
        or (isinstance(each, tree.Hyperlink) and is_picture(each.content))
        for each in content
    )


def inline_text(content: Sequence[tree.Inline]) -> str:
    """The characters of inlines, without their formatting."""
    parts: list[str] = []
    for inline in content:
        match inline:
            case tree.Text(text) | tree.CodeSpan(text):
                parts.append(text)
            case tree.Phrase(_, inner) | tree.Hyperlink(_, inner):
                parts.append(inline_text(inner))
            case tree.Formula(tex):
                parts.append(tex)
            case tree.LineBreak():
                parts.append(" ")
            case tree.NoteMark(label):
                parts.append(label)
            case tree.Image():
                pass
    return "".join(parts)
