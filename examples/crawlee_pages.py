"""Articles of the pages that Crawlee's PlaywrightCrawler opens, as JSON Lines.

    python examples/crawlee_pages.py URL…

Crawlee queues, retries and follows links; Miolo captures each page while it is open.
"""

from __future__ import annotations

import asyncio
import json
import sys

from crawlee import ConcurrencySettings
from crawlee.crawlers import PlaywrightCrawler, PlaywrightCrawlingContext
from crawlee.storage_clients import MemoryStorageClient
from miolo.integrations.crawlee import extract_open_page
from miolo.renderer.browser.chromium import find_chromium
from miolo.workers.system import is_root


async def main(urls: list[str]) -> None:
    """Crawl pages and print a line for each article."""
    crawler = PlaywrightCrawler(
        headless=True,
        # A context for each page: pages of a persistent context cannot be captured.
        use_incognito_pages=True,
        fingerprint_generator=None,
        browser_launch_options={
            "executable_path": find_chromium().path,
            "chromium_sandbox": not is_root(),
        },
        concurrency_settings=ConcurrencySettings(desired_concurrency=2, max_concurrency=2),
        max_request_retries=1,
        respect_robots_txt_file=True,
        storage_client=MemoryStorageClient(),
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def handle(context: PlaywrightCrawlingContext) -> None:
        result = await extract_open_page(context)
        print(json.dumps(result.to_dict(blocks=False)), flush=True)

    await crawler.run(urls)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
