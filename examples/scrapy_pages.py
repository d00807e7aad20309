"""Articles in a Scrapy spider, rendered by Miolo, as JSON Lines.

    python examples/scrapy_pages.py URL…

Scrapy queues, waits, obeys robots.txt and retries; Miolo renders the pages and extracts them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import scrapy
from miolo import EgressPolicy, RenderOptions
from miolo.integrations.scrapy import RenderedResponse
from scrapy.crawler import CrawlerProcess

SETTINGS = {
    "ADDONS": {"miolo.integrations.scrapy.MioloAddon": 500},
    "MIOLO_ALL": True,
    # The addresses come from the command line, so a private one may be intended.
    "MIOLO_RENDER_OPTIONS": RenderOptions(egress=EgressPolicy("named")),
    "ROBOTSTXT_OBEY": True,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "WARNING",
}


class Articles(scrapy.Spider):
    """Spider that yields the result of each page."""

    name = "articles"

    async def parse(self, response: RenderedResponse) -> AsyncIterator[dict[str, Any]]:
        """Extract the article of a rendered page."""
        yield (await response.extract()).to_dict(blocks=False)


class Lines:
    """Item pipeline that prints each result as a line of JSON."""

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        """Print a result."""
        print(json.dumps(item), flush=True)
        return item


if __name__ == "__main__":
    process = CrawlerProcess({**SETTINGS, "ITEM_PIPELINES": {Lines: 100}})
    process.crawl(Articles, start_urls=sys.argv[1:])
    process.start()
