"""Takes a screenshot of a whole page, in tiles if the page is tall, and prints it to a PDF."""

from __future__ import annotations

import asyncio
import base64
import io
from dataclasses import replace

from PIL import Image
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page, PdfMargins

from ...errors import PageWarning, RenderError
from ..options import Limits
from ..page.snapshot import Snapshot
from .protocol import ProtocolSession

__all__ = ["print_page", "take_screenshot"]

# Chromium repeats or drops what lies beyond 16,384 px of a surface.
MAX_TILE_HEIGHT = 16_000
TILE_PIXELS = 20_000_000
MAX_WIDTH = 8192

MARGIN = "15mm"


async def take_screenshot(
    session: ProtocolSession, snapshot: Snapshot, limits: Limits, seconds: float
) -> Snapshot:
    """The snapshot with its screenshot, or with a warning that explains why there is none."""
    width, height = snapshot.page.page_size
    width = max(1, min(width, MAX_WIDTH))
    rows = max(1, min(height, limits.screenshot_pixels // width))
    try:
        async with asyncio.timeout(seconds):
            picture = await _tiles(session, width, rows)
    except (TimeoutError, RenderError, OSError):
        return snapshot.with_warnings(
            PageWarning("screenshot", "the screenshot could not be taken in time")
        )
    snapshot = replace(snapshot, screenshot=picture)
    if rows < height:
        note = f"the screenshot ends after {rows:,} of {height:,} px"
        return snapshot.with_warnings(PageWarning("screenshot", note))
    return snapshot


async def _tiles(session: ProtocolSession, width: int, height: int) -> bytes:
    step = min(MAX_TILE_HEIGHT, TILE_PIXELS // width)
    if height <= step:
        return await _tile(session, width, 0, height)
    whole = Image.new("RGB", (width, height), "white")
    for top in range(0, height, step):
        data = await _tile(session, width, top, min(step, height - top))
        with Image.open(io.BytesIO(data)) as tile:
            whole.paste(tile.convert("RGB"), (0, top))
    buffer = io.BytesIO()
    whole.save(buffer, "PNG", compress_level=3)
    return buffer.getvalue()


async def _tile(session: ProtocolSession, width: int, top: int, height: int) -> bytes:
    answer = await session.send(
        "Page.captureScreenshot",
        format="png",
        clip={"x": 0, "y": top, "width": width, "height": height, "scale": 1},
        captureBeyondViewport=True,
        optimizeForSpeed=True,
    )
    return base64.b64decode(answer["data"])


async def print_page(page: Page, snapshot: Snapshot, limits: Limits, seconds: float) -> Snapshot:
    """The snapshot with its PDF on A4, or with a warning that explains why there is none."""
    margins = PdfMargins(top=MARGIN, right=MARGIN, bottom=MARGIN, left=MARGIN)
    try:
        async with asyncio.timeout(seconds):
            pdf = await page.pdf(
                format="A4",
                margin=margins,
                print_background=True,
                page_ranges=f"1-{limits.pdf_pages}",
                tagged=True,
                outline=True,
            )
    except (TimeoutError, PlaywrightError):
        return snapshot.with_warnings(PageWarning("pdf", "the page could not be printed in time"))
    return replace(snapshot, pdf=pdf)
