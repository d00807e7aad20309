"""Scrapy, scrapy-poet and Crawlee run on the local site, as their users run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from newsroom import ARTICLES, PAGES

ROOT = Path(__file__).resolve().parents[2]

SPIDER = """
import json, sys
import scrapy
from miolo import EgressPolicy, Extraction, RenderOptions
from miolo.integrations.scrapy import RenderedResponse
from scrapy.crawler import CrawlerProcess

class Spider(scrapy.Spider):
    name = "spider"
    custom_settings = {
        "ADDONS": {"miolo.integrations.scrapy.MioloAddon": 500, "scrapy_poet.Addon": 300},
        "SCRAPY_POET_PROVIDERS": {"miolo.integrations.scrapy_poet.ExtractionProvider": 500},
        "MIOLO_RENDER_OPTIONS": RenderOptions(egress=EgressPolicy(sys.argv[2])),
        "TELNETCONSOLE_ENABLED": False, "LOG_ENABLED": False, "RETRY_ENABLED": False,
    }

    async def start(self):
        for rendered in (True, False):
            yield scrapy.Request(
                sys.argv[1], meta={"miolo": rendered}, dont_filter=True, errback=self.failed,
            )

    async def parse(self, response, article: Extraction):
        rendered = isinstance(response, RenderedResponse)
        print(json.dumps({"rendered": rendered, "text": article.text, "body": response.text}))

    def failed(self, failure):
        print(json.dumps({"error": type(failure.value).__name__}))

process = CrawlerProcess()
process.crawl(Spider)
process.start()
"""


def lines(command: list[str], folder: Path) -> list[dict]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".dev")}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("example", "module"), [("scrapy_pages", "scrapy"), ("crawlee_pages", "crawlee")]
)
def test_examples_extract_rendered_pages(example, module, site, tmp_path):
    pytest.importorskip(module, reason=f"{module} is not installed")
    scripted, plain = PAGES["client-rendered"], ARTICLES["tables"][0]
    missing = site.url("/hostile/not-found")
    urls = [site.url(scripted), site.url(plain), missing]
    rows = lines([str(ROOT / "examples" / f"{example}.py"), *urls], tmp_path)
    texts = {row["requested_url"]: row["text"] for row in rows}
    assert set(texts) == set(urls[:2])
    assert scripted.paragraphs[1] in texts[urls[0]]
    assert plain.paragraphs[1] in texts[urls[1]]


def test_a_spider_renders_the_requests_that_ask_for_it(site, tmp_path):
    pytest.importorskip("scrapy_poet", reason="scrapy-poet is not installed")
    page = PAGES["client-rendered"]
    rows = lines(["-c", SPIDER, site.url(page), "named"], tmp_path)
    rendered, plain = sorted(rows, key=lambda row: not row["rendered"])
    assert page.paragraphs[1] in rendered["text"]
    assert page.paragraphs[1] in rendered["body"]
    assert not plain["rendered"]
    assert page.paragraphs[1] not in plain["body"]


def test_rendering_in_a_spider_is_under_the_egress_policy(site, tmp_path):
    pytest.importorskip("scrapy_poet", reason="scrapy-poet is not installed")
    rows = lines(["-c", SPIDER, site.url(PAGES["client-rendered"]), "never"], tmp_path)
    assert {"error": "EgressRefusedError"} in rows
