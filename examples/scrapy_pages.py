"""Articles in a Scrapy spider whose pages scrapy-playwright opens.

    python examples/scrapy_pages.py URL… > articles.jsonl

Scrapy queues, waits, obeys robots.txt and follows links; Miolo captures what is open in the
page and takes the article out.
"""

# The others are not installed with Miolo.
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import scrapy
from live_page import settled, snapshot_of
from miolo import PageJob, extract_page
from miolo.renderer.browser.chromium import find_chromium, runs_as_root
from scrapy.crawler import CrawlerProcess

HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"

SETTINGS = {
    "DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER},
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "PLAYWRIGHT_LAUNCH_OPTIONS": {
        "executable_path": find_chromium().path,
        "chromium_sandbox": not runs_as_root(),
    },
    "ROBOTSTXT_OBEY": True,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "WARNING",
}


class Articles(scrapy.Spider):
    """Yields a row for each page, and follows the links of the first."""

    name = "articles"
    method = "auto"
    urls: tuple[str, ...] = ()

    async def start(self) -> AsyncIterator[Any]:
        """Ask for each page with the open page beside its answer."""
        for url in self.urls:
            yield self.opened(url)

    def opened(self, url: str) -> scrapy.Request:
        """A request whose answer brings the open page with it."""
        meta = {"playwright": True, "playwright_include_page": True}
        return scrapy.Request(url, meta=meta, errback=self.failed)

    async def parse(self, response: Any) -> AsyncIterator[dict[str, Any]]:
        """Capture the page while it is open; it must be closed by whoever asked for it."""
        page = response.meta["playwright_page"]
        try:
            await settled(page)
            snapshot = await snapshot_of(page, response.request.url, response.status)
        finally:
            await page.close()
        job = PageJob(snapshot, methods=(self.method,), requested_url=response.request.url)
        yield (await extract_page(job)).to_dict(blocks=False)

    async def failed(self, failure: Any) -> None:
        """Close the page of a failed request, which otherwise stays open for ever."""
        page = failure.request.meta.get("playwright_page")
        if page is not None:
            await page.close()
        self.logger.warning("%s: %s", failure.request.url, failure.getErrorMessage())


class Lines:
    """Item pipeline: each row a line of JSON."""

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        """Write one row."""
        print(json.dumps(item), flush=True)
        return item


def main(urls: list[str], method: str = "auto") -> None:
    """Run the spider."""
    process = CrawlerProcess({**SETTINGS, "ITEM_PIPELINES": {Lines: 100}})
    process.crawl(Articles, urls=urls, method=method)
    process.start()


if __name__ == "__main__":
    main(sys.argv[1:])
