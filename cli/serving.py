"""What `miolo serve` does."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from ..errors import MissingDependencyError
from ..serve.options import ServiceOptions

__all__ = ["read_token", "serve_until_stopped"]

VARIABLE = "MIOLO_TOKEN"


def read_token(path: Path | None) -> str | None:
    """The token of a file or of the environment; None where there is neither."""
    # Workers and browsers need not know it.
    found = os.environ.pop(VARIABLE, None)
    return path.read_text("utf-8", "replace").strip() if path else found


def serve_until_stopped(options: ServiceOptions) -> bool:
    """Serve; gives whether all requests were answered.

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
