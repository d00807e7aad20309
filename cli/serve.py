"""`miolo serve`: extraction over HTTP, and the web page."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import MissingDependencyError
from .render_options import Allowed, AllowPrivate

if TYPE_CHECKING:
    from ..serve.options import ServiceOptions

__all__ = ["serve"]


def serve(
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8080,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Chromiums; half as many as cores without.")
    ] = None,
    queue: Annotated[int, typer.Option(min=0, help="Requests that may wait.")] = 32,
    token_file: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="File of the token that requests show; or MIOLO_TOKEN.",
        ),
    ] = None,
    allow_private: AllowPrivate = False,
    allow: Allowed = None,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Run Chromium without its sandbox.")
    ] = False,
    deadline: Annotated[
        float, typer.Option(min=1, help="Seconds a request may take, waiting included.")
    ] = 60.0,
    max_body: Annotated[int, typer.Option(min=1024, help="Bytes of a request.")] = 8 << 20,
    max_memory: Annotated[
        int, typer.Option(min=256 << 20, help="Bytes of a worker and its browser.")
    ] = 3 << 30,
    per_address: Annotated[
        int,
        typer.Option(min=0, help="Connections of one address; 0 for any, as behind a proxy."),
    ] = 64,
    log_json: Annotated[bool, typer.Option("--log-json", help="Log lines of JSON.")] = False,
    drafts: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False, help="File of corrections made in the web page; else in memory."
        ),
    ] = None,
    collection: Annotated[
        Path | None,
        typer.Option(
            exists=True, file_okay=False, help="Folder whose pages are labelled at /label.html."
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="Reader of `miolo train` that suggests the labels."
        ),
    ] = None,
    overlap: Annotated[
        float, typer.Option(min=0, max=1, help="Share of its pages that every labeller gets.")
    ] = 0.2,
) -> None:
    """Serve extraction over HTTP, and a web page to look at it."""
    from ..serve.options import WORKERS, ServiceOptions

    chosen = ServiceOptions(
        host=host,
        port=port,
        workers=workers or WORKERS,
        queue=queue,
        token=read_token(token_file),
        private=allow_private,
        allowed=tuple(allow or ()),
        sandbox=not no_sandbox,
        deadline=deadline,
        max_body=max_body,
        max_memory=max_memory,
        per_address=per_address,
        log_json=log_json,
        drafts=drafts,
        collection=collection,
        overlap=overlap,
        model=model,
    )
    if not serve_until_stopped(chosen):
        raise typer.Exit(1)


VARIABLE = "MIOLO_TOKEN"


def read_token(path: Path | None) -> str | None:
    """The token from the file or else the environment; None if there is neither."""
    # Removed from the environment, since workers and browsers need not know it.
    token = os.environ.pop(VARIABLE, None)
    return path.read_text("utf-8", "replace").strip() if path else token


def serve_until_stopped(options: ServiceOptions) -> bool:
    """Serve until stopped, and return whether all requests were answered.

    Raises
    ------
    MissingDependencyError
        The service's libraries are not installed.
    """
    options.check()
    try:
        from ..serve.server import serve
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            f"{error.name} is not installed: pip install 'miolo[serve]'"
        ) from error
    return asyncio.run(serve(options))
