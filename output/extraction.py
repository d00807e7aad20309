"""`Extraction`: the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..renderer.snapshot import PageWarning
from .body import Body, WrittenBody, parse_body
from .boxes import draw_boxes
from .chunks import Chunk, chunk_document
from .html import escape
from .parts import Block, LazyItem, Post, TemplateField, read_value
from .record_table import RecordTable
from .schema import FIELDS, SCHEMA_VERSION, plain_values, reading
from .walk import Link

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

    from ..models.templates.model import TemplateScores

__all__ = ["Block", "Extraction", "LazyItem", "Post", "TemplateField"]

WRITTEN = ("text", "html", "markdown", "links")
"""What an extraction writes from its body."""


@dataclass(frozen=True, eq=False, repr=False)
class Extraction:
    """What was taken out of one page. Empty beats a guess.

    Attributes
    ----------
    title
        Headline without the site's name, or the empty string: the one that most sources of the
        page agree on; the method's own headline is one of them.
    body
        What `text`, `html`, `markdown` and `links` are written from at their first use; it holds
        nothing of the page beyond the body.
    blocks
        All text blocks of the page in document order, kept or not.
    comments
        Texts of the comment area.
    language, declared_language
        As the text is written, and as the page declares; see `miolo.extract.metadata.Metadata`.
    authors, date, modified, site_name, image, tags, section, description
        As far as the page states them; see `miolo.extract.metadata.Metadata`.
    canonical_url
        The article's own address, as the page gives it.
    paywalled, truncated
        Whether the article is behind a paywall by the page's declaration, and whether the body is
        clearly shorter than the declared length; None without a declaration.
    kind, kind_probability
        What kind of page it is, such as ``"article"``, ``"forum"`` or ``"blocked"``, and the
        probability of that; see `miolo.models.kinds`.
    url, method
        Where it comes from, and the source of each value.
    scores
        float32, shape (n,): score of every node of the snapshot.
    reason, reasons
        int32, shape (n,), and the sentences that it indexes: why, for every node.
    marks
        Single nodes of note, by name.
    provenance
        For each filled field, where it was found.
    warnings
        Of the rendering and of the extraction.
    passages
        All that varies over the pages of the template, where the method knows it.
    posts
        On a forum's thread, who wrote which part of the text, and when; see
        `miolo.extract.metadata.posts`.
    records
        The list that the page is for, where the method looks for one; without rows if there
        is none.
    template
        Scores of a template detector before and after smoothing, where the method is one.
    """

    title: str
    body: Body = field(repr=False)
    blocks: tuple[Block, ...]
    comments: tuple[str, ...]
    url: str
    method: str
    language: str = ""
    declared_language: str = ""
    kind: str = ""
    kind_probability: float = 0.0
    authors: tuple[str, ...] = ()
    date: str | None = None
    modified: str | None = None
    site_name: str | None = None
    image: str | None = None
    tags: tuple[str, ...] = ()
    section: str | None = None
    description: str | None = None
    canonical_url: str | None = None
    paywalled: bool | None = None
    truncated: bool | None = None
    provenance: dict[str, str] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)
    passages: tuple[TemplateField, ...] = ()
    posts: tuple[Post, ...] = ()
    records: RecordTable | None = None
    warnings: tuple[PageWarning, ...] = ()
    scores: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32), repr=False)
    reason: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32), repr=False)
    reasons: Sequence[str] = field(default=(), repr=False)
    template: TemplateScores | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """Body as plain text, paragraphs parted by an empty line; without the headline."""
        return self.body.text

    @property
    def html(self) -> str:
        """Body with its structure: headings, lists, quotes, code, tables, pictures, links."""
        return self.body.html

    @property
    def soup(self) -> BeautifulSoup:
        """`html` as a tree to edit, made at each call; `replace_body` writes it."""
        return self.body.soup

    def replace_body(self, html: str | Tag) -> Extraction:
        """The same article with another body, which all formats are written from.

        Parameters
        ----------
        html
            The body, such as an edited `soup`. Its elements are those of `html`: what is not among
            them is its text. `blocks` stay those of the page, and chunks have none.
        """
        return replace(self, body=parse_body(str(html), self.url))

    @property
    def markdown(self) -> str:
        """Body with its structure, as Markdown."""
        return self.body.markdown

    @property
    def links(self) -> tuple[Link, ...]:
        """Links of the body."""
        return self.body.links

    def chunks(
        self, size: int = 2000, *, count: Callable[[str], int] = len, overlap: int = 0
    ) -> tuple[Chunk, ...]:
        """The text in passages for a language model, none of which crosses a heading.

        Parameters
        ----------
        size
            What a chunk measures at most.
        count
            Measure of a text; by default its characters. That of a tokenizer is
            ``lambda text: len(tokenizer.encode(text))``.
        overlap
            What of the chunk before under the same heading is repeated at most.

        Raises
        ------
        ValueError
            The overlap is not less than the size.
        """
        if not 0 <= overlap < size:
            raise ValueError("size is at least 1, and overlap is less")
        blocks = () if self.body.is_edited else self.blocks
        kept = [number for number, block in enumerate(blocks) if block.kept]
        chunks: list[Chunk] = []
        for text, repeated, headings, places in chunk_document(
            self.body.document(), size, count=count, overlap=overlap, title=self.title
        ):
            blocks = tuple(kept[place] for place in places if place < len(kept))
            boxes = tuple(self.blocks[number].box for number in blocks)
            chunks.append(Chunk(text, repeated, headings, blocks, boxes, self.url))
        return tuple(chunks)

    def _repr_html_(self) -> str:
        """Title, where and when it was published, the page's boxes, and the text, for notebooks."""
        facts = (*self.authors, self.date, self.site_name, self.url)
        line = " · ".join(escape(fact) for fact in facts if fact)
        boxes = draw_boxes([(block.box, block.kept) for block in self.blocks])
        return f"<article><h1>{escape(self.title)}</h1><p>{line}</p>{boxes}{self.html}</article>"

    def to_dict(self, *, blocks: bool = True) -> dict[str, Any]:
        """The extraction as plain values, as ``docs/schema.json`` describes them.

        Parameters
        ----------
        blocks
            Whether the page's text blocks are in it; without them they are null.
        """
        values = {name: getattr(self, name) for name in (*OWN, *WRITTEN)}
        values |= {"schema_version": SCHEMA_VERSION, "requested_url": self.url}
        return plain_values(values if blocks else values | {"blocks": None})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Extraction:
        """The extraction that `to_dict` gave these values for, from JSON or a row of Parquet.

        Arrays that are as long as the page are not among the values, and are empty.

        Raises
        ------
        ArchiveError
            The values are of another version of the schema, or damaged.
        """
        with reading(values):
            own = {name: read_value(name, values[name]) for name in OWN}
            links = tuple(Link(**link) for link in values["links"])
            written = (values["text"], values["html"], values["markdown"])
            return cls(**own, body=WrittenBody(values["url"], *written, links))

    def __repr__(self) -> str:
        kept = sum(block.kept for block in self.blocks)
        facts = [f"{kept} of {len(self.blocks)} blocks"]
        facts += [f"warnings: {len(self.warnings)}"] if self.warnings else []
        title = self.title if len(self.title) <= 60 else f"{self.title[:59]}…"
        return f"<Extraction {title!r} of {self.url!r} by {self.method!r}: {', '.join(facts)}>"

    def why(self, node: int) -> str:
        """The reason given for a node."""
        return self.reasons[int(self.reason[node])]


# What an extraction has as its result has it.
OWN = tuple(each.name for each in fields(Extraction) if each.name in FIELDS)
