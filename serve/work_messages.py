"""Messages between the service and its workers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..errors import MioloError
from ..extract.options import ExtractOptions
from ..output.write_options import WriteOptions
from ..renderer.options import RenderOptions

__all__ = ["MEDIA", "Action", "Setup", "Stop", "WorkRequest", "WorkResponse"]

Action = Literal["extract", "render", "report", "inspect", "label", "uncertainty"]

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
class Setup:
    """First message to a worker.

    Attributes
    ----------
    render
        How pages are rendered, unless a request has its own options.
    switches
        Further command-line switches for Chromium.
    """

    render: RenderOptions
    switches: tuple[str, ...] = ()


@dataclass(frozen=True)
class WorkRequest:
    """A request to a worker.

    Attributes
    ----------
    id
        Identifier that is unique for the lifetime of the service.
    action
        ``"extract"`` the article, ``"render"`` a snapshot, write the HTML ``"report"``,
        ``"inspect"`` for the web page, list the blocks to ``"label"``, or return the reader's
        ``"uncertainty"`` about them.
    url
        Address of the page, or the address to assume for HTML that was sent.
    html
        HTML of the page, if it was sent.
    file, picture
        Saved snapshot of the page, and the file of its screenshot if that is kept beside it. They
        come from a collection, never from a client.
    model
        File of the reader that suggests roles; None for the shipped reader.
    extract
        Ways to extract the article; only the first is used if one is needed.
    form
        One of `miolo.output.formats.FORMATS`.
    writing
        How it is written.
    render
        How the page is rendered.
    deadline
        Seconds left for the request.
    """

    id: int
    action: Action
    url: str
    html: str | None = field(default=None, repr=False)
    file: Path | None = None
    picture: Path | None = None
    model: Path | None = None
    extract: tuple[ExtractOptions, ...] = ()
    form: str = "json"
    writing: WriteOptions = field(default_factory=WriteOptions)
    render: RenderOptions = field(default_factory=RenderOptions)
    deadline: float = 0.0


@dataclass(frozen=True)
class Stop:
    """Message that nobody waits for a request any more."""

    id: int


@dataclass(frozen=True)
class WorkResponse:
    """The response to a request.

    Attributes
    ----------
    id
        Identifier of the request.
    body, media
        The answer and its media type.
    policy
        Content-Security-Policy of the answer; empty for the strictest.
    error
        The error with which the request failed, if it did.
    trace
        Where in the worker it failed.
    """

    id: int
    body: bytes = field(default=b"", repr=False)
    media: str = ""
    policy: str = ""
    error: MioloError | None = None
    trace: str = field(default="", repr=False)
