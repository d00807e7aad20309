"""Articles in the handler of Crawlee's PlaywrightCrawler.

    python examples/crawlee_pages.py URL… > articles.jsonl

Crawlee queues, retries and follows links; Miolo captures what is open in the page and takes
the article out.
"""

# The others are not installed with Miolo.
# pyright: reportMissingImports=false

from __future__ import annotations

import asyncio
import json
import sys

from crawlee import ConcurrencySettings
from crawlee.crawlers import PlaywrightCrawler, PlaywrightCrawlingContext
from crawlee.storage_clients import MemoryStorageClient
from live_page import settled, snapshot_of
from miolo import PageJob, extract_page
from miolo.renderer.browser.chromium import find_chromium, runs_as_root


async def crawl(urls: list[str], method: str = "auto") -> None:
    """Print a row for each page."""
    crawler = PlaywrightCrawler(
        headless=True,
        # A context for each page. The persistent one that Crawlee takes otherwise knows no
        # browser, and is one for all pages: cookies of one are told to the next.
        use_incognito_pages=True,
        fingerprint_generator=None,
        browser_launch_options={
            "executable_path": find_chromium().path,
            "chromium_sandbox": not runs_as_root(),
        },
        concurrency_settings=ConcurrencySettings(desired_concurrency=2, max_concurrency=2),
        max_request_retries=1,
        respect_robots_txt_file=True,
        storage_client=MemoryStorageClient(),
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def handle(context: PlaywrightCrawlingContext) -> None:
        await settled(context.page)
        snapshot = await snapshot_of(context.page, context.request.url, context.response.status)
        job = PageJob(snapshot, methods=(method,), requested_url=context.request.url)
        result = await extract_page(job)
        print(json.dumps(result.to_dict(blocks=False)), flush=True)

    await crawler.run(urls)


def main(urls: list[str], method: str = "auto") -> None:
    """Run the crawler."""
    asyncio.run(crawl(urls, method))


if __name__ == "__main__":
    main(sys.argv[1:])
