"""What the service asks of its workers, and their responses."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..extract.options import ExtractOptions
from ..output.write_options import WriteOptions
from ..renderer.options import RenderOptions

# Extract the article, render a snapshot, write the HTML report, inspect for the web page, list the
# blocks to label, return the reader's uncertainty about them and the page's kind, or write the
# report of a sample page.
Action = Literal["extract", "render", "report", "inspect", "label", "uncertainty", "warm_up"]

MEDIA = {
    "json": "application/json",
    "text": "text/plain; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "tei": "application/tei+xml; charset=utf-8",
    "chunks": "application/jsonl; charset=utf-8",
}
"""Media types by format of an extraction."""


@dataclass(frozen=True)
class WorkRequest:
    """A request to a worker."""

    action: Action
    url: str  # of the page, or to assume for HTML that was sent
    html: str | None = field(default=None, repr=False)
    # Saved snapshot of the page, and the file of its screenshot if that is kept beside it. They
    # come from a collection, never from a client.
    file: Path | None = None
    picture: Path | None = None
    model: Path | None = None  # file of the reader that suggests roles; None for the shipped one
    extract: tuple[ExtractOptions, ...] = ()  # only the first is used if one is needed
    form: str = "json"  # one of `miolo.output.formats.FORMATS`
    writing: WriteOptions = field(default_factory=WriteOptions)
    render: RenderOptions = field(default_factory=RenderOptions)


@dataclass(frozen=True)
class WorkResponse:
    """The response to a request: its body, media type and Content-Security-Policy."""

    body: bytes = field(repr=False)
    media: str
    policy: str = ""  # empty for the strictest
