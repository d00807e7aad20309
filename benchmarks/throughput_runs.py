"""Run one system on a list of pages; `throughput.py` runs each system in its own process.

    python benchmarks/throughput_runs.py SYSTEM URLS AT_ONCE FOLDER

Prints a line of JSON: the number of pages with text, and the seconds from the start of the first
page. Only the system itself is imported, so that the Python of another environment can run it.
"""

# The peers are not installed with Miolo.
# pyright: reportMissingImports=false

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import absent_peers  # noqa: F401

SWITCHES = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--no-sandbox"]


async def plain(urls: list[str], concurrency: int, folder: Path) -> int:
    """Plain Playwright: a fresh context, `goto` to the load event, `content()`."""
    from playwright.async_api import Error, async_playwright

    waiting, count = iter(urls), 0
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=SWITCHES)

        async def work() -> None:
            nonlocal count
            for url in waiting:
                context = await browser.new_context(viewport={"width": 1280, "height": 1024})
                try:
                    page = await context.new_page()
                    await page.goto(url)
                    content = await page.content()
                    count += bool(content)
                except Error:
                    pass
                finally:
                    await context.close()

        await asyncio.gather(*(work() for _ in range(concurrency)))
        await browser.close()
    return count


async def miolo(urls: list[str], concurrency: int, folder: Path) -> int:
    """Ours: `miolo batch`, articles extracted and written, a snapshot read from every page."""
    return await batch(urls, concurrency, folder, browser="always")


async def adaptive(urls: list[str], concurrency: int, folder: Path) -> int:
    """The same with `--browser auto`: no browser for hosts whose articles are the same without."""
    return await batch(urls, concurrency, folder, browser="auto")


async def batch(urls: list[str], concurrency: int, folder: Path, *, browser: Any) -> int:
    """Number of pages of a batch that are done."""
    from miolo.collect.batch.batch_options import BROWSERS, MOSTLY_PLAIN_BROWSERS, BatchOptions
    from miolo.collect.batch.hosts import Politeness
    from miolo.collect.batch.run_batch import queue_list, run_queue
    from miolo.renderer.network.policy import EgressPolicy
    from miolo.renderer.options import RenderOptions

    # As many open pages in total as the others; sites on loopback have private addresses.
    browsers = BROWSERS if browser == "always" else MOSTLY_PLAIN_BROWSERS
    options = BatchOptions(
        # The others block nothing either.
        render=RenderOptions(browser=browser, egress=EgressPolicy("always"), block="none"),
        browsers=browsers,
        pages=max(1, concurrency // browsers),
        politeness=Politeness(0, concurrency),
        switches=tuple(SWITCHES[:1]),
    )
    queue_list(folder, urls, options)
    return (await run_queue(folder, options)).done


async def crawl4ai(urls: list[str], concurrency: int, folder: Path) -> int:
    """crawl4ai with its dispatcher and its Markdown, without a cache."""
    from crawl4ai import (
        AsyncWebCrawler,
        BrowserConfig,
        CacheMode,
        CrawlerRunConfig,
        MemoryAdaptiveDispatcher,
    )

    config = CrawlerRunConfig(cache_mode=CacheMode.BYPASS, stream=True, verbose=False)
    browser = BrowserConfig(headless=True, verbose=False, extra_args=SWITCHES)
    count = 0
    async with AsyncWebCrawler(config=browser) as crawler:
        dispatcher = MemoryAdaptiveDispatcher(max_session_permit=concurrency)
        async for result in await crawler.arun_many(urls, config=config, dispatcher=dispatcher):
            count += bool(result.success)
    return count


async def crawlee(urls: list[str], concurrency: int, folder: Path) -> int:
    """Crawlee's PlaywrightCrawler; the handler reads the page's content."""
    from crawlee.crawlers import PlaywrightCrawler, PlaywrightCrawlingContext

    count = 0
    crawler = PlaywrightCrawler(
        headless=True,
        configure_logging=False,
        browser_launch_options={"executable_path": chromium(), "args": SWITCHES},
        concurrency_settings=fixed_concurrency(concurrency),
    )

    @crawler.router.default_handler
    async def take(context: PlaywrightCrawlingContext) -> None:
        nonlocal count
        content = await context.page.content()
        count += bool(content)

    await crawler.run(urls)
    return count


async def crawlee_adaptive(urls: list[str], concurrency: int, folder: Path) -> int:
    """Crawlee's own choice between a request and the browser, by whether paragraphs are equal."""
    from crawlee.crawlers import AdaptivePlaywrightCrawler, AdaptivePlaywrightCrawlingContext

    has_text: dict[str, bool] = {}
    crawler = AdaptivePlaywrightCrawler.with_beautifulsoup_static_parser(
        configure_logging=False,
        playwright_crawler_specific_kwargs={
            "headless": True,
            "browser_launch_options": {"executable_path": chromium(), "args": SWITCHES},
        },
        concurrency_settings=fixed_concurrency(concurrency),
    )

    @crawler.router.default_handler
    async def take(context: AdaptivePlaywrightCrawlingContext) -> None:
        soup = await context.parse_with_static_parser()
        paragraphs = [paragraph.get_text() for paragraph in soup.select("p")]
        await context.push_data({"paragraphs": paragraphs})
        has_text[context.request.url] = bool("".join(paragraphs).strip())

    await crawler.run(urls)
    return sum(has_text.values())


def fixed_concurrency(pages: int) -> Any:
    """Crawlee's settings for this number of pages at a time."""
    from crawlee import ConcurrencySettings

    return ConcurrencySettings(
        min_concurrency=pages, desired_concurrency=pages, max_concurrency=pages
    )


def chromium() -> str | None:
    """The browser that all systems use; None for Playwright's own."""
    return os.environ.get("MIOLO_CHROMIUM")


SYSTEMS = {
    run.__name__: run for run in (plain, miolo, adaptive, crawl4ai, crawlee, crawlee_adaptive)
}


def main() -> None:
    name, urls, concurrency, folder = sys.argv[1:]
    pages = json.loads(Path(urls).read_text("utf-8"))
    started = perf_counter()
    count = asyncio.run(SYSTEMS[name](pages, int(concurrency), Path(folder)))
    print(json.dumps({"found": count, "seconds": perf_counter() - started}), flush=True)


if __name__ == "__main__":
    main()
