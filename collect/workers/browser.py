"""What a worker reads pages with: a browser, and a thread that has loaded what it runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib import import_module

from ...renderer.archives.archive import Archive
from ...renderer.options import RenderOptions
from ...renderer.renderer import Renderer

__all__ = ["started_browser"]


@asynccontextmanager
async def started_browser(
    module: str,
    options: RenderOptions,
    switches: tuple[str, ...] = (),
    replay: Archive | None = None,
) -> AsyncIterator[tuple[Renderer, ThreadPoolExecutor]]:
    """A browser and a thread, both ready.

    Parameters
    ----------
    module
        Name of what reads pages. It is loaded while the browser starts: methods and models take
        most of a second.
    options, switches, replay
        Of the `Renderer`.
    """
    # One page's article at a time: another thread would only wait for the first.
    reading = ThreadPoolExecutor(1)
    loading = asyncio.get_running_loop().run_in_executor(reading, import_module, module)
    try:
        async with Renderer(options, switches=switches, replay=replay) as renderer:
            await loading
            yield renderer, reading
    finally:
        reading.shutdown(cancel_futures=True)
