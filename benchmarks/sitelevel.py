"""SiteLevel: speed, memory and growth of labelling a site.

    python benchmarks/sitelevel.py [--site wechange]

Sites of 10 to 100 pages are learned, and every page is labelled, with snapshots in memory.
"""

from __future__ import annotations

import asyncio
import json
import time
import tracemalloc

import miolo
import numpy as np
from corpus import fresh_copy, parser, rendered_posts, site_table
from miolo.models.templates.sitelevel import SiteLevel

SIZES = (10, 20, 40, 70, 100)


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--site", default="wechange", help="a site of at least 100 posts")
    chosen = options.parse_args()
    posts = site_table(chosen.data)[chosen.site]["posts"][: SIZES[-1]]
    files = asyncio.run(rendered_posts(chosen.data, chosen.cache, chosen.site, posts))
    pages = [miolo.Snapshot.load(file) for file in files if file]
    label_all(pages[:5])  # a warm-up, so that one-time loading and compilation are not timed
    print("pages   nodes  seconds  nodes/s")
    rows = []
    for size in SIZES:
        nodes = sum(map(len, pages[:size]))
        seconds = min(time_pages(pages[:size]) for _ in range(3))
        rows.append((nodes, seconds))
        print(f"{size:5} {nodes:7} {seconds:8.3f} {nodes / seconds:8.0f}")
    tracemalloc.start()
    site = learn_level([fresh_copy(page) for page in pages])
    memory = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    print(f"{site!r} holds {memory:.1f} MB")
    nodes, seconds = np.array(rows).T
    figures = {
        "nodes_per_second": round(nodes[-1] / seconds[-1]),
        "growth_exponent": round(float(np.polyfit(np.log(nodes), np.log(seconds), 1)[0]), 2),
        "site_megabytes": round(memory, 1),
    }
    print(json.dumps(figures))


def learn_level(pages: list[miolo.Snapshot]) -> SiteLevel:
    site = SiteLevel()
    for page in pages:
        site.add(page)
    return site


def label_all(pages: list[miolo.Snapshot]) -> None:
    site = learn_level(pages)
    for page in pages:
        site.label(page)


def time_pages(pages: list[miolo.Snapshot]) -> float:
    copies = [fresh_copy(page) for page in pages]
    start = time.perf_counter()
    label_all(copies)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
