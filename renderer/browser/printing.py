"""The PDF of a page, as Chromium prints it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page, PdfMargins

from ..options import Limits
from ..snapshot import PageWarning, Snapshot

__all__ = ["print_page"]

MARGIN = "15mm"


async def print_page(page: Page, snapshot: Snapshot, limits: Limits, seconds: float) -> Snapshot:
    """The snapshot with its PDF on A4, or with a warning that tells why there is none."""
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
