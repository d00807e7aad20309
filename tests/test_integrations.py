"""The examples inside Scrapy and Crawlee, run as their readers would, on the local site."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from newsroom import ARTICLES, PAGES

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

RUN = "import sys, {name}; {name}.main(sys.argv[1:], 'nce')"


def run_example(name: str, urls: list[str], folder: Path) -> dict[str, dict]:
    """Rows that an example printed, by the address asked for."""
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(name=name), *urls],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(EXAMPLES)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return {row["requested_url"]: row for row in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize(
    ("example", "module"),
    [("scrapy_pages", "scrapy_playwright"), ("crawlee_pages", "crawlee.crawlers")],
)
def test_pages_of_another_crawler_are_captured_alive(example, module, site, tmp_path):
    pytest.importorskip(module, reason=f"the example needs {module.partition('.')[0]}")
    scripted, plain = PAGES["client-rendered"], ARTICLES["tables"][0]
    missing = site.url("/hostile/not-found")
    rows = run_example(example, [site.url(scripted), site.url(plain), missing], tmp_path)
    assert set(rows) == {site.url(scripted), site.url(plain)}
    for page in (scripted, plain):
        assert page.paragraphs[1] in rows[site.url(page)]["text"]
        assert rows[site.url(page)]["method"] == "nce"
