"""`miolo mcp`: tools for language models, over the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import MissingDependencyError
from ..renderer.options import MAX_SECONDS
from .render_options import Allowed, AllowPrivate, Block, block_entries

__all__ = ["mcp"]


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
