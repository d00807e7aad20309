"""Time of `extract_snapshot` for a page of 2,000 nodes, against `trafilatura.extract`.

    python benchmarks/extract.py [--method auto] [--sites flink,jakevdp] [--pages 4]

One process runs on one core. The pages have 1,500 to 2,500 nodes and come from real sites and from
sets of single pages; the milliseconds of each are scaled to 2,000 nodes. A page's time is the
minimum over its rounds, since other load on the machine only adds time. In a round the systems take
turns, and each reads a fresh copy of the snapshot, without cached values. trafilatura reads the
same page's HTML as rendered, and once more as served if it is served as HTML. Ours writes the text,
and with `--written` HTML and Markdown too; trafilatura writes one output at a time.
"""

# ruff: noqa: E402

from __future__ import annotations

import os

import absent_peers  # noqa: F401

# Set before the import of NumPy, which reads the number of threads then.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

import asyncio
import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

import miolo
import trafilatura
from corpus import (
    OPTIONS,
    fresh_copy,
    parser,
    post_source,
    rendered_posts,
    saved_page,
    site_table,
    unpack,
)
from miolo.extract.methods.registry import DEFAULT_METHOD
from miolo.renderer.page.markup import outer_html

SITES = ("flink", "jakevdp", "moxfive", "relopezbriega", "wsbc", "yulingtianxia")
SETS = ("news2023", "publishers")
NODES = (1500, 2500)
SCALE = 2000
ROUNDS = 9


@dataclass(frozen=True)
class Page:
    """A page in the three forms that are read; `raw` is None if a script builds the page."""

    name: str
    snapshot: miolo.Snapshot
    rendered: str
    raw: bytes | None


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--method", default=DEFAULT_METHOD)
    options.add_argument("--sites", default=",".join(SITES), help="comma-separated")
    options.add_argument("--sets", default=",".join(SETS), help="comma-separated")
    options.add_argument("--pages", type=int, default=4, help="pages of a site, and of a set")
    options.add_argument("--written", action="store_true", help="ours writes HTML and Markdown")
    chosen = options.parse_args()
    on_one_core()
    rows = []
    for page in pages(chosen):
        rows.append(milliseconds(page, chosen))
        times = "  ".join(f"{system} {spent:6.1f}" for system, spent in rows[-1].items())
        print(f"{page.name:24} {len(page.snapshot):5} nodes  {times}", file=sys.stderr)
    if not rows:
        raise SystemExit(f"none of these pages has {NODES[0]} to {NODES[1]} nodes")
    print(json.dumps(summary(rows)))


def on_one_core() -> None:
    """Pin the process to one core, if the system supports it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def pages(chosen: Namespace) -> Iterator[Page]:
    """Pages of suitable size, some from each site and set, in the order of their names."""
    for name in filter(None, chosen.sites.split(",")):
        yield from fitting(site_pages(chosen, name), chosen.pages)
    for name in filter(None, chosen.sets.split(",")):
        yield from fitting(single_pages(chosen, name), chosen.pages)


def fitting(
    captures: Iterator[tuple[str, miolo.Snapshot, bytes | None]], count: int
) -> Iterator[Page]:
    for name, snapshot, raw in captures:
        if NODES[0] <= len(snapshot) <= NODES[1]:
            yield Page(name, snapshot, outer_html(snapshot, 0), raw)
            count -= 1
        if not count:
            return


def site_pages(chosen: Namespace, name: str) -> Iterator[tuple[str, miolo.Snapshot, bytes | None]]:
    posts = site_table(chosen.data)[name]["posts"]
    folder = unpack(chosen.data / "sites" / f"{name}.tar.xz", chosen.cache)
    files = asyncio.run(rendered_posts(chosen.data, chosen.cache, name, posts))
    for path, saved in zip(posts, files, strict=True):
        if saved:
            raw = None if path.endswith(".md") else post_source(folder, path)
            yield f"{name}/{saved.stem}", miolo.Snapshot.load(saved), raw


def single_pages(
    chosen: Namespace, name: str
) -> Iterator[tuple[str, miolo.Snapshot, bytes | None]]:
    folder = unpack(chosen.data / "pages" / f"{name}.tar.xz", chosen.cache)
    cache = chosen.cache / f"{name}-snapshots"
    cache.mkdir(parents=True, exist_ok=True)
    for file in sorted(folder.glob("*.html")):
        saved = asyncio.run(render_file(file, cache))
        if saved:
            yield f"{name}/{file.stem[:12]}", miolo.Snapshot.load(saved), file.read_bytes()


async def render_file(file: Path, cache: Path) -> Path | None:
    saved = cache / f"{file.stem}.miolo"
    if saved.exists():
        return saved
    async with miolo.Renderer(OPTIONS) as renderer:
        return await saved_page(renderer, file, cache)


def milliseconds(page: Page, chosen: Namespace) -> dict[str, float]:
    """Milliseconds of each system, scaled to 2,000 nodes; the first round is a warm-up."""

    def ours() -> object:
        article = miolo.extract_snapshot(fresh_copy(page.snapshot), chosen.method)
        return (article.text, article.html, article.markdown) if chosen.written else article.text

    systems: dict[str, Callable[[], object]] = {
        "ours": ours,
        "trafilatura": lambda: trafilatura.extract(page.rendered, include_comments=False),
    }
    if raw := page.raw:
        systems["trafilatura_raw"] = lambda: trafilatura.extract(raw, include_comments=False)
    spent: dict[str, list[float]] = {system: [] for system in systems}
    for _ in range(ROUNDS + 1):
        for system, run in systems.items():
            start = perf_counter()
            run()
            spent[system].append(1000 * (perf_counter() - start))
    scale = SCALE / len(page.snapshot)
    return {system: scale * min(times[1:]) for system, times in spent.items()}


def summary(rows: list[dict[str, float]]) -> dict[str, float]:
    """Medians over pages; ratios are for the same page and rounds, and below 1 ours is faster."""
    raw = [row for row in rows if "trafilatura_raw" in row]
    figures = {
        "ms_per_page": median(row["ours"] for row in rows),
        "vs_trafilatura": median(row["ours"] / row["trafilatura"] for row in rows),
        "trafilatura_ms": median(row["trafilatura"] for row in rows),
    }
    if raw:
        figures["vs_trafilatura_raw"] = median(r["ours"] / r["trafilatura_raw"] for r in raw)
        figures["trafilatura_raw_ms"] = median(row["trafilatura_raw"] for row in raw)
    return {name: round(value, 3) for name, value in figures.items()} | {"pages": len(rows)}


if __name__ == "__main__":
    main()
