"""Crawlee: a request handler that stores the article of each page in the dataset.

crawler = PlaywrightCrawler(request_handler=store_article, use_incognito_pages=True)
"""

from __future__ import annotations

from typing import Any

from crawlee.crawlers import PlaywrightCrawlingContext

from ..extract.job import PageJob
from ..extract.job_run import extract_page
from ..output.page_result import PageResult
from .live_page import capture_page, wait_until_still


async def extract_open_page(context: PlaywrightCrawlingContext, **job: Any) -> PageResult:
    """Extract the article of the page that Crawlee has opened, with fields of `PageJob`.

    Its crawler has ``use_incognito_pages=True``: other pages share their cookies in a persistent
    context, and cannot be captured.
    """
    await wait_until_still(context.page)
    snapshot = await capture_page(context.page, context.request.url, context.response.status)
    return await extract_page(PageJob(snapshot, requested_url=context.request.url, **job))


async def store_article(context: PlaywrightCrawlingContext) -> None:
    """Extract the page's article and push it to the dataset; Crawlee retries failed pages."""
    result = (await extract_open_page(context)).raise_for_error()
    await context.push_data(result.to_dict(blocks=False))
