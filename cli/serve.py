"""`miolo serve` (extraction over HTTP, and the web page) and `mcp` (tools for language models)."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import MissingDependencyError
from ..renderer.options import MAX_SECONDS
from .choice_options import existing_file, existing_folder, option
from .render_options import ALLOW_PRIVATE, ALLOWED, BLOCK, block_entries
from .shared_options import SITE_FILES

if TYPE_CHECKING:
    from ..serve.service_options import ServiceOptions

PORT = option(8080, "Port; 0 for a free one.", min=0, max=65535)
BLIND = option(
    None,
    "Share of the pages to label without suggestions, on which `miolo train` scores; by default a "
    "tenth.",
    min=0,
    max=1,
)


def serve(
    host: str = option("127.0.0.1", "Address to listen on."),
    port: int = PORT,
    workers: int | None = option(
        None, "Workers with one Chromium each; by default half the cores.", min=1
    ),
    queue: int = option(32, "Maximum number of waiting requests.", min=0),
    token_file: Path | None = existing_file(
        "File with the token that requests must send; by default MIOLO_TOKEN."
    ),
    allow_private: bool = ALLOW_PRIVATE,
    allow: list[str] | None = ALLOWED,
    block: list[str] | None = BLOCK,
    no_sandbox: bool = option(False, "Run Chromium without its sandbox.", "--no-sandbox"),
    deadline: float = option(
        60.0, "Time limit of a request in seconds, including queueing.", min=1, max=MAX_SECONDS
    ),
    max_body: int = option(8 << 20, "Maximum bytes of a request body.", min=1024),
    max_memory: int = option(
        3 << 30, "Maximum bytes of memory of a worker and its browser.", min=256 << 20
    ),
    per_address: int = option(
        64, "Connections per client address; 0 for no limit, as behind a proxy.", min=0
    ),
    log_json: bool = option(False, "Log as JSON lines.", "--log-json"),
    sites: Path | None = SITE_FILES,
    drafts: Path | None = option(
        None,
        "File for corrections made in the web page; by default kept in memory.",
        dir_okay=False,
    ),
    collection: Path | None = existing_folder("Collection to label at /label.html."),
    model: Path | None = existing_file(
        "With --collection: model of `miolo train` that suggests labels."
    ),
    overlap: float | None = option(
        None,
        "With --collection: share of the pages that every labeller gets; by default a fifth.",
        min=0,
        max=1,
    ),
    blind: float | None = BLIND,
) -> None:
    """Serve the HTTP API and the web page that shows extractions."""
    from ..serve.service_options import WORKERS, ServiceOptions

    labelling: dict[str, Any] = {"model": model, "overlap": overlap, "blind": blind}
    labelling = {name: value for name, value in labelling.items() if value is not None}
    if labelling and not collection:
        raise typer.BadParameter(f"--{next(iter(labelling))} needs --collection")
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
        **labelling,
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
    allow_private: bool = ALLOW_PRIVATE,
    allow: list[str] | None = ALLOWED,
    block: list[str] | None = BLOCK,
    deadline: float = option(60.0, "Time limit of a page in seconds.", min=1, max=MAX_SECONDS),
    max_chars: int = option(
        40_000, "Maximum characters per answer; further calls return the rest.", min=1000
    ),
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
