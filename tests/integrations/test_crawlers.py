"""Scrapy, scrapy-poet and Crawlee run on the local site, as their users run them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from local_server import answering
from newsroom import ARTICLES, PAGES
from patience import patient

ROOT = Path(__file__).resolve().parents[2]

BASE = """
import json, sys
import scrapy
from miolo import EgressPolicy, Extraction, RenderOptions
from miolo.integrations.scrapy import RenderedResponse
from scrapy.crawler import CrawlerProcess

class Base(scrapy.Spider):
    name = "spider"
    custom_settings = {
        "ADDONS": {"miolo.integrations.scrapy.MioloAddon": 500},
        "MIOLO_RENDER_OPTIONS": RenderOptions(egress=EgressPolicy("always")),
        "TELNETCONSOLE_ENABLED": False, "LOG_ENABLED": False, "RETRY_ENABLED": False,
    }

    def failed(self, failure):
        print(json.dumps([failure.request.url, type(failure.value).__name__, None]))

%s
process = CrawlerProcess()
process.crawl(Spider)
process.start()
"""

SPIDER = """
class Spider(Base):
    custom_settings = {
        **Base.custom_settings,
        "ADDONS": {"miolo.integrations.scrapy.MioloAddon": 500, "scrapy_poet.Addon": 300},
        "SCRAPY_POET_PROVIDERS": {"miolo.integrations.scrapy_poet.ExtractionProvider": 500},
        "MIOLO_RENDER_OPTIONS": RenderOptions(egress=EgressPolicy(sys.argv[2])),
    }

    async def start(self):
        for rendered in (True, False):
            yield scrapy.Request(
                sys.argv[1], meta={"miolo": rendered}, dont_filter=True, errback=self.failed,
            )

    async def parse(self, response, article: Extraction):
        rendered = isinstance(response, RenderedResponse)
        print(json.dumps({"rendered": rendered, "text": article.text, "body": response.text}))
"""

RENDER_ALL = """
class Spider(Base):
    handle_httpstatus_list = [404]
    custom_settings = {
        **Base.custom_settings, "MIOLO_ALL": True, "ROBOTSTXT_OBEY": True, "RETRY_ENABLED": True,
    }

    async def start(self):
        for path in ("/open", "/closed", "/absent"):
            yield scrapy.Request(sys.argv[1] + path, errback=self.failed)

    def parse(self, response):
        print(json.dumps([response.url, response.status, type(response).__name__]))
"""


def lines(command: list[str], folder: Path) -> list[dict]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".dev")}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=patient(60),
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
    rows = lines(["-c", BASE % SPIDER, site.url(page), "named"], tmp_path)
    rendered, plain = sorted(rows, key=lambda row: not row["rendered"])
    assert page.paragraphs[1] in rendered["text"]
    assert page.paragraphs[1] in rendered["body"]
    assert not plain["rendered"]
    assert page.paragraphs[1] not in plain["body"]


def test_rendering_in_a_spider_is_under_the_egress_policy(site, tmp_path):
    pytest.importorskip("scrapy_poet", reason="scrapy-poet is not installed")
    url = site.url(PAGES["client-rendered"])
    rows = lines(["-c", BASE % SPIDER, url, "never"], tmp_path)
    assert [url, "EgressRefusedError", None] in rows


# A site with an open page and one that its robots.txt disallows.
GUARDED = {
    "/robots.txt": "User-agent: *\nDisallow: /closed\n",
    "/open": "<p>Open.",
    "/closed": "<p>Closed.",
}


def test_a_spider_that_renders_all_obeys_robots_txt_and_gets_http_errors_once(tmp_path):
    pytest.importorskip("scrapy", reason="Scrapy is not installed")
    with answering(GUARDED) as (origin, requests):
        rows = lines(["-c", BASE % RENDER_ALL, origin], tmp_path)
    assert sorted(rows, key=lambda row: row[0]) == [
        [f"{origin}/absent", 404, "HtmlResponse"],
        [f"{origin}/closed", "IgnoreRequest", None],
        [f"{origin}/open", 200, "RenderedResponse"],
    ]
    paths = [path for path, _ in requests]
    assert paths.count("/robots.txt") == paths.count("/absent") == 1
    assert "/closed" not in paths
