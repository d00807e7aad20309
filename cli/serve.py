"""`miolo serve` (extraction over HTTP, and the web page) and `mcp` (tools for language models)."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import MissingDependencyError
from ..renderer.options import MAX_SECONDS
from .render_options import Allowed, AllowPrivate, Block, block_entries
from .shared_options import SiteFiles

if TYPE_CHECKING:
    from ..serve.service_options import ServiceOptions

__all__ = ["Blind", "Port", "mcp", "serve", "serve_until_stopped"]

Port = Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for a free one.")]

Blind = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        help="Share of the pages to label without suggestions, on which `miolo train` scores.",
    ),
]


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Port = 8080,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Workers with one Chromium each; by default half the cores."),
    ] = None,
    queue: Annotated[int, typer.Option(min=0, help="Maximum number of waiting requests.")] = 32,
    token_file: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="File with the token that requests must send; by default MIOLO_TOKEN.",
        ),
    ] = None,
    allow_private: AllowPrivate = False,
    allow: Allowed = None,
    block: Block = None,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Run Chromium without its sandbox.")
    ] = False,
    deadline: Annotated[
        float,
        typer.Option(
            min=1, max=MAX_SECONDS, help="Time limit of a request in seconds, including queueing."
        ),
    ] = 60.0,
    max_body: Annotated[int, typer.Option(min=1024, help="Maximum bytes of a request body.")] = 8
    << 20,
    max_memory: Annotated[
        int,
        typer.Option(min=256 << 20, help="Maximum bytes of memory of a worker and its browser."),
    ] = 3 << 30,
    per_address: Annotated[
        int,
        typer.Option(
            min=0, help="Connections per client address; 0 for no limit, as behind a proxy."
        ),
    ] = 64,
    log_json: Annotated[bool, typer.Option("--log-json", help="Log as JSON lines.")] = False,
    sites: SiteFiles = None,
    drafts: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False,
            help="File for corrections made in the web page; by default kept in memory.",
        ),
    ] = None,
    collection: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="Collection to label at /label.html."),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="With --collection: model of `miolo train` that suggests labels.",
        ),
    ] = None,
    overlap: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="With --collection: share of the pages that every labeller gets."
        ),
    ] = 0.2,
    blind: Blind = 0.1,
) -> None:
    """Serve the HTTP API and the web page that shows extractions."""
    from ..serve.service_options import WORKERS, ServiceOptions

    if model and not collection:
        raise typer.BadParameter("--model needs --collection")
    chosen = ServiceOptions(
        host=host,
        port=port,
        workers=workers or WORKERS,
        queue=queue,
        token=read_token(token_file),
        private=allow_private,
        allowed=tuple(allow or ()),
        block=block_entries(block),
        sandbox=not no_sandbox,
        deadline=deadline,
        max_body=max_body,
        max_memory=max_memory,
        per_address=per_address,
        log_json=log_json,
        sites=sites,
        drafts=drafts,
        collection=collection,
        overlap=overlap,
        blind=blind,
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
    """Serve until stopped, and return whether all requests were answered."""
    options.check()
    try:
        from ..serve.server import serve
    except ModuleNotFoundError as error:
        raise MissingDependencyError.of_extra("the service", "serve") from error
    return asyncio.run(serve(options))


def mcp(
    allow_private: AllowPrivate = False,
    allow: Allowed = None,
    block: Block = None,
    deadline: Annotated[
        float, typer.Option(min=1, max=MAX_SECONDS, help="Time limit of a page in seconds.")
    ] = 60.0,
    max_chars: Annotated[
        int,
        typer.Option(
            min=1000, help="Maximum characters per answer; further calls return the rest."
        ),
    ] = 40_000,
) -> None:
    """Serve extract, screenshot, links and compare as MCP tools over standard input and output."""
    from ..renderer.network.policy import EgressPolicy
    from ..renderer.options import RenderOptions

    try:
        from ..integrations.mcp import AnswerLimits, build_server
    except ModuleNotFoundError as error:
        raise MissingDependencyError.of_extra("the MCP server", "mcp") from error
    policy = EgressPolicy("always" if allow_private else "never", tuple(allow or ()))
    server = build_server(
        RenderOptions(egress=policy, block=block_entries(block)),
        AnswerLimits(seconds=deadline, chars=max_chars),
    )
    server.run("stdio")
