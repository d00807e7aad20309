"""Messages between the service and its workers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..errors import MioloError
from ..models.article.roles import RoleChoice
from ..output.options import WriteOptions
from ..renderer.options import RenderOptions

__all__ = ["Action", "Setup", "Stop", "WorkRequest", "WorkResponse"]

Action = Literal["extract", "render", "report", "inspect", "label", "doubt"]


@dataclass(frozen=True)
class Setup:
    """First message to a worker.

    Attributes
    ----------
    render
        How pages are rendered, unless a request has its own options.
    switches
        Further switches for Chromium's command line.
    """

    render: RenderOptions
    switches: tuple[str, ...] = ()


@dataclass(frozen=True)
class WorkRequest:
    """One request.

    Attributes
    ----------
    id
        Unique in the service's life.
    action
        ``"extract"`` the article, ``"render"`` a snapshot, write the HTML ``"report"``,
        ``"inspect"`` for the web page, list the blocks to ``"label"``, or return the reader's
        ``"doubt"`` about them.
    url
        Of the page; of HTML that was sent, the address that it is to have.
    html
        The page itself, where it was sent.
    file, picture
        Saved snapshot of the page, and file of its picture where that is kept beside it; of a
        collection, never of a client.
    model
        Reader whose roles are suggested; None for the one of the package.
    methods
        Names of methods; the first where one is needed.
    text
        Roles that count as the text.
    form
        One of `miolo.output.formats.FORMATS`.
    writing
        How it is written.
    render
        How the page is rendered.
    deadline
        Seconds that are left of the request's.
    """

    id: int
    action: Action
    url: str
    html: str | None = field(default=None, repr=False)
    file: Path | None = None
    picture: Path | None = None
    model: Path | None = None
    methods: tuple[str, ...] = ()
    text: RoleChoice = field(default_factory=RoleChoice)
    form: str = "json"
    writing: WriteOptions = field(default_factory=WriteOptions)
    render: RenderOptions = field(default_factory=RenderOptions)
    deadline: float = 0.0


@dataclass(frozen=True)
class Stop:
    """Nobody waits for this request any more."""

    id: int


@dataclass(frozen=True)
class WorkResponse:
    """The response to a request.

    Attributes
    ----------
    id
        Of the request.
    body, media
        The answer and its media type.
    policy
        Content-Security-Policy that a browser is to show it under; empty for the strictest.
    error
        What it failed by.
    trace
        Where in the worker it failed.
    """

    id: int
    body: bytes = field(default=b"", repr=False)
    media: str = ""
    policy: str = ""
    error: MioloError | None = None
    trace: str = field(default="", repr=False)
