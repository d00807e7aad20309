"""`miolo batch` with `--browser auto` and `always`: pages per second, and the articles' F1.

    python benchmarks/adaptive.py [--pages 1500] [--concurrency 8]

Posts of real sites are served on loopback, each site by its own process, and read in both ways, one
after the other. The articles are judged against the posts' truths (shingle F1). Pages that were
read as served are also judged against their rendered text.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

import throughput_runs
from corpus import parser, post_url, site_table, unpack
from miolo.evaluate.site_sets import post_bodies
from miolo.extract.scoring import score_set, shingle_score
from throughput import serve_sites

Rows = dict[str, dict]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--pages", type=int, default=1500)
    options.add_argument("--concurrency", type=int, default=8)
    chosen = options.parse_args()
    rows: dict[bool, Rows] = {}
    rates: dict[bool, float] = {}
    with serve_sites(chosen.data, chosen.cache, chosen.pages) as urls:
        for adaptive in (True, False):
            rows[adaptive], seconds = worked_off(urls, chosen.concurrency, adaptive)
            rates[adaptive] = len(rows[adaptive]) / seconds
            print(f"adaptive {adaptive}: {rates[adaptive]:.2f} pages/s", flush=True)
    served_rows = {url: row for url, row in rows[True].items() if is_read_as_served(row)}
    texts = truths(chosen.data, chosen.cache, urls)
    figures = {
        "times_rendering_all": round(rates[True] / rates[False], 2),
        "pages_per_second": {"adaptive": round(rates[True], 2), "all": round(rates[False], 2)},
        "share_as_served": round(len(served_rows) / len(rows[True]), 3),
        "f1": {"adaptive": judge_rows(rows[True], texts), "all": judge_rows(rows[False], texts)},
        "f1_as_served_by_rendered": judge_rows(
            served_rows, {url: row["text"] for url, row in rows[False].items()}
        ),
        "pages": len(texts),
    }
    print(json.dumps(figures))


def worked_off(urls: list[str], concurrency: int, adaptive: bool) -> tuple[Rows, float]:
    """Rows of all finished pages by address, and the seconds taken."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        started = perf_counter()
        asyncio.run(
            throughput_runs.batch(urls, concurrency, out, browser="auto" if adaptive else "always")
        )
        seconds = perf_counter() - started
        lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    return {row["requested_url"]: row for row in map(json.loads, lines)}, seconds


def is_read_as_served(row: dict) -> bool:
    return any(warning["code"] == "as-served" for warning in row["warnings"])


def truths(data: Path, cache: Path, urls: list[str]) -> dict[str, str]:
    """True texts by address, for posts that are not archives of several posts."""
    addresses = set(urls)
    # The first posts of all sites come first, in the sites' order.
    origins = dict.fromkeys(f"{parts.scheme}://{parts.netloc}" for parts in map(urlsplit, urls))
    texts = {}
    for origin, (name, facts) in zip(origins, site_table(data).items(), strict=True):
        folder = unpack(data / "sites" / f"{name}.tar.xz", cache)
        for path in facts["posts"]:
            url = post_url(origin, path)
            bodies = post_bodies(folder, path, facts["body_selector"]) if url in addresses else []
            if len(bodies) == 1:
                texts[url] = bodies[0]
    return texts


def judge_rows(rows: Rows, texts: dict[str, str]) -> float:
    both = rows.keys() & texts.keys()
    return round(score_set(shingle_score(texts[url], rows[url]["text"]) for url in both).f1, 3)


if __name__ == "__main__":
    main()
