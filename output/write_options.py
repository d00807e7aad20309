"""`WriteOptions`: how an extraction is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# Headings, blocks and address of a chunk are several times as long as a shorter text.
MIN_CHUNK_CHARS = 100


@dataclass(frozen=True)
class WriteOptions:
    """How an extraction is written."""

    links: bool = True
    images: bool = True
    """Whether Markdown, HTML and TEI contain links and pictures. The text of links is always
    kept."""
    front_matter: bool = False
    """Whether Markdown begins with title, authors, date, address, site, language, tags and
    description as YAML, instead of the title as a heading."""
    wrap: int = 0
    """Number of characters at which lines of Markdown paragraphs are wrapped; 0 for no wrapping."""
    chunk_size: int = 2000
    """Maximum number of characters of a chunk, at least 100."""
    chunk_overlap: int = 0
    """Maximum number of characters at the beginning of a chunk that repeat the previous chunk, at
    most half of `chunk_size`."""
    image_paths: Mapping[str, str] = field(default_factory=dict)
    """Paths to write instead of the addresses of pictures, by address; see `save_images`."""

    def __post_init__(self) -> None:
        if self.wrap < 0:
            raise ValueError("wrap must be a number of characters, or 0 for no wrapping")
        if self.chunk_size < MIN_CHUNK_CHARS or not 0 <= 2 * self.chunk_overlap <= self.chunk_size:
            raise ValueError(
                f"chunk_size must be at least {MIN_CHUNK_CHARS}, and chunk_overlap must be from 0 "
                "to chunk_size / 2"
            )


DEFAULT_OPTIONS = WriteOptions()
