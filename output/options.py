"""`WriteOptions`: how an extraction is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["DEFAULT_OPTIONS", "WriteOptions"]


@dataclass(frozen=True)
class WriteOptions:
    """How an extraction is written.

    Attributes
    ----------
    links, images
        Whether Markdown, HTML and TEI have links (their text stays) and pictures.
    image_paths
        Paths to write in place of the addresses of pictures, as `save_images` gives them.
    front_matter
        Whether Markdown begins with title, authors, date, address, site, language, tags and
        description as YAML, in place of the title as a heading.
    wrap
        Characters after which lines of Markdown paragraphs are broken; 0 for never.
    chunk_size
        Characters that a chunk has at most.
    chunk_overlap
        Characters of the chunk before that a chunk begins with at most.
    """

    links: bool = True
    images: bool = True
    front_matter: bool = False
    wrap: int = 0
    chunk_size: int = 2000
    chunk_overlap: int = 0
    image_paths: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.wrap < 0:
            raise ValueError("wrap is a number of characters, or 0")
        if not 0 <= self.chunk_overlap < self.chunk_size:
            raise ValueError("chunk_size is at least 1, and chunk_overlap is less")


DEFAULT_OPTIONS = WriteOptions()
