"""`Extraction`: the article of a page, with its metadata, blocks and warnings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ..errors import PageWarning
from .body import Body, WrittenBody, parse_body
from .document.document import Link
from .extraction_parts import Block, Post, RecordTable, TemplateField, read_value
from .metadata import Deferred, Metadata, known
from .write.html import escape

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

    from ..models.templates.model import TemplateScores
    from .write.chunks import Chunk

__all__ = ["Block", "Extraction", "Post", "TemplateField"]

T = TypeVar("T")

MAX_CHUNK_URL = 4096
"""Maximum number of characters of the address in each chunk; scripts can set much longer ones."""

WRITTEN = ("text", "html", "markdown", "links")
"""Values that an extraction writes from its body."""


class _Of(Generic[T]):
    """A field of an extraction's metadata as an attribute of the extraction."""

    def __init__(self, read: Callable[[Metadata], T]) -> None:
        self._read = read

    @overload
    def __get__(self, extraction: None, owner: type) -> Self: ...
    @overload
    def __get__(self, extraction: Extraction, owner: type) -> T: ...
    def __get__(self, extraction: Extraction | None, owner: type) -> Self | T:
        return self if extraction is None else self._read(extraction.metadata)


@dataclass(frozen=True, eq=False, repr=False)
class Extraction:
    """The content extracted from one page. Unknown values are left empty rather than guessed."""

    deferred_metadata: Deferred[Metadata] = field(repr=False)
    """Source of `metadata`."""
    body: Body = field(repr=False)
    """Body that `text`, `html`, `markdown` and `links` are written from when they are first used.
    It holds nothing of the page beyond the body."""
    blocks: tuple[Block, ...]
    """All text blocks of the page in document order, kept or not."""
    comments: tuple[str, ...]
    """Texts of the comment area."""
    url: str
    method: str
    kind: str = ""
    kind_probability: float = 0.0
    """Kind of the page, such as ``"article"``, ``"forum"`` or ``"blocked"``, and its probability;
    see `miolo.models.kinds`."""
    deferred_confidence: Deferred[float | None] = field(default=known(None), repr=False)
    """Source of `confidence`."""
    deferred_limits: Deferred[tuple[bool, bool]] = field(default=known((False, False)), repr=False)
    """Whether the page declares a paywall, and a longer body, which is known sooner than the rest
    of the metadata."""
    marks: dict[str, int] = field(default_factory=dict)
    """Single nodes of interest, by name."""
    passages: tuple[TemplateField, ...] = ()
    """All content that varies across the pages of the template, if the method determines it."""
    posts: tuple[Post, ...] = ()
    """Posts of a forum thread: who wrote which part of the text, and when."""
    records: RecordTable | None = None
    """The list that is the main content of the page, if the method looks for one. It has no rows if
    there is none."""
    warnings: tuple[PageWarning, ...] = ()
    scores: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32), repr=False)
    """float32, shape (n,): score of each node of the snapshot."""
    reason: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32), repr=False)
    reasons: Sequence[str] = field(default=(), repr=False)
    """Reason for each node: int32, shape (n,), and the sentences that it indexes."""
    template: TemplateScores | None = field(default=None, repr=False)
    """Scores of a template detector before and after smoothing, if the method is one."""
    has_blocks: bool = True
    """Whether the blocks are known. They are not if the extraction was read from values in which
    they are null."""

    @property
    def metadata(self) -> Metadata:
        """Title, authors, dates and what else the page says of its article, read when it is first
        used. Each field is also an attribute of the extraction, as in ``extraction.title``.
        """
        return self.deferred_metadata.value

    @property
    def confidence(self) -> float | None:
        """Probability that the F1 of the text against the text that a person would choose is at
        least .9; 0 without a text. None for a method without roles, which states no probabilities.
        """
        return self.deferred_confidence.value

    def compute_deferred(self) -> None:
        """Compute what is otherwise computed when it is first used, for which the page is kept."""
        for deferred in (self.deferred_metadata, self.deferred_confidence, self.deferred_limits):
            _ = deferred.value

    @property
    def title(self) -> str:
        """Headline; it is known sooner than the other metadata."""
        return self.deferred_metadata.part("title")

    authors = _Of(lambda metadata: metadata.authors)
    date = _Of(lambda metadata: metadata.date)
    modified = _Of(lambda metadata: metadata.modified)
    language = _Of(lambda metadata: metadata.language)
    declared_language = _Of(lambda metadata: metadata.declared_language)
    site_name = _Of(lambda metadata: metadata.site_name)
    image = _Of(lambda metadata: metadata.image)
    tags = _Of(lambda metadata: metadata.tags)
    section = _Of(lambda metadata: metadata.section)
    description = _Of(lambda metadata: metadata.description)
    canonical_url = _Of(lambda metadata: metadata.canonical_url)
    paywalled = _Of(lambda metadata: metadata.paywalled)
    truncated = _Of(lambda metadata: metadata.truncated)
    provenance = _Of(lambda metadata: metadata.provenance)
    field_confidence = _Of(lambda metadata: metadata.field_confidence)

    @property
    def text(self) -> str:
        """Body as plain text without the headline; an empty line separates paragraphs."""
        return self.body.text

    @property
    def html(self) -> str:
        """Body with its structure: headings, lists, quotes, code, tables, pictures, links."""
        return self.body.html

    @property
    def soup(self) -> BeautifulSoup:
        """`html` as a new tree that can be edited; `replace_body` takes the edited tree."""
        return self.body.soup

    def replace_body(self, html: str | Tag) -> Extraction:
        """The same article with another body, from which all formats are written.

        Parameters
        ----------
        html
            The new body, such as an edited `soup`. Of elements that `Extraction.html` never has,
            only the text is kept. `blocks` remain those of the page; chunks have those whose text
            is unchanged.
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
        """Split the text into passages for a language model, none of which crosses a heading.

        Parameters
        ----------
        size
            Maximum length of a chunk, as measured by `count`.
        count
            Function that measures a text; by default, its number of characters. For tokens, use
            ``lambda text: len(tokenizer.encode(text))``.
        overlap
            Maximum length of the end of the previous chunk under the same heading that is repeated.

        Raises
        ------
        ValueError
            The overlap is negative, or not less than the size.
        """
        from .write.chunks import Chunk, chunk_document

        if not 0 <= overlap < size:
            raise ValueError("size must be at least 1, and overlap must be from 0 to size - 1")
        numbers = self._block_numbers()
        texts = self.body.block_texts
        if texts is None:
            texts = [block.text for block in self.blocks if block.kept]
        url = self.url[:MAX_CHUNK_URL]
        chunks: list[Chunk] = []
        for text, repeated, headings, places in chunk_document(
            self.body.document(),
            size,
            lengths=[len(text) for text in texts],
            count=count,
            overlap=overlap,
            title=self.title,
        ):
            blocks = tuple(numbers[place] for place in places if place in numbers)
            boxes = tuple(self.blocks[number].box for number in blocks)
            hidden = any(self.blocks[number].hidden for number in blocks)
            chunks.append(Chunk(text, repeated, headings, blocks, boxes, hidden, url))
        return tuple(chunks)

    def _block_numbers(self) -> dict[int, int]:
        """Numbers in `blocks` of the blocks of the body, by their numbers in the body."""
        kept = [number for number, block in enumerate(self.blocks) if block.kept]
        texts = self.body.block_texts
        if texts is None:
            return dict(enumerate(kept))
        parsed, of_page = _by_text(texts), _by_text([self.blocks[number].text for number in kept])
        # If a text does not occur equally often in both, it is unknown which block is which.
        return {
            place: kept[other]
            for text, places in parsed.items()
            if len(places) == len(of_page[text])
            for place, other in zip(places, of_page[text], strict=True)
        }

    def _repr_html_(self) -> str:
        """Title, authors, date, site, address and body, as notebooks show them."""
        facts = (*self.authors, self.date, self.site_name, self.url)
        line = " · ".join(escape(fact) for fact in facts if fact)
        return f"<article><h1>{escape(self.title)}</h1><p>{line}</p>{self.html}</article>"

    def to_dict(self, *, blocks: bool = True) -> dict[str, Any]:
        """The extraction as plain values, as ``docs/schema.json`` describes them.

        Parameters
        ----------
        blocks
            Whether to include the page's text blocks; otherwise, or if they are not known, they are
            null.
        """
        from .schema import SCHEMA_VERSION, plain_values

        values = {name: getattr(self, name) for name in (*own_fields(), *WRITTEN)}
        values |= {"schema_version": SCHEMA_VERSION, "requested_url": self.url}
        return plain_values(values if blocks and self.has_blocks else values | {"blocks": None})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Extraction:
        """Restore an extraction from the values of `to_dict`, read from JSON or a row of Parquet.

        Arrays with an entry for each node are not among the values, and are empty.

        Raises
        ------
        ArchiveError
            The values are of another version of the schema, or damaged.
        """
        from .schema import reading

        with reading(values):
            own = {name: read_value(name, values[name]) for name in own_fields()}
            metadata = Metadata(**{name: own.pop(name) for name in DESCRIBING})
            links = tuple(Link(**link) for link in values["links"])
            written = (values["text"], values["html"], values["markdown"])
            body = WrittenBody(values["url"], *written, links)
            confidence = known(own.pop("confidence"))
            own |= {"has_blocks": values["blocks"] is not None, "deferred_confidence": confidence}
            return cls(known(metadata), body, **own)

    def __repr__(self) -> str:
        kept = sum(block.kept for block in self.blocks)
        facts = [f"{kept} of {len(self.blocks)} blocks" if self.has_blocks else "blocks unknown"]
        facts += [f"warnings: {len(self.warnings)}"] if self.warnings else []
        title = self.title if len(self.title) <= 60 else f"{self.title[:59]}…"
        return f"<Extraction {title!r} of {self.url!r} by {self.method!r}: {', '.join(facts)}>"

    def why(self, node: int) -> str:
        """The reason given for a node."""
        return self.reasons[int(self.reason[node])]


def _by_text(texts: Sequence[str]) -> defaultdict[str, list[int]]:
    """Places of each text."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        places[text].append(place)
    return places


DESCRIBING = tuple(each.name for each in fields(Metadata))


@cache
def own_fields() -> tuple[str, ...]:
    """Fields that an extraction and its serialised result have in common."""
    from .schema import FIELDS

    own = (each.name for each in fields(Extraction) if each.name in FIELDS)
    return (*DESCRIBING, *own, "confidence")
