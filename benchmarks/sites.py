"""Article bodies on real sites with their style sheets, against trafilatura.

The peer is given the raw HTML, and beside that the HTML as rendered: the one tells what users
of it get, the other how well it chooses where reading the page is no part of the task.

    python benchmarks/sites.py --method nce [--sites flink,pybites] [--pages 12]

Token precision, recall and F1 of the body, means over the pages of each site, and their mean
over sites. A page that fails counts as empty.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import miolo
import trafilatura
from corpus import OFFLINE, parser, post_source, post_truth, post_url, served, site_table, unpack
from miolo.extract.scoring import PageScore, score_set, token_score
from miolo.renderer.markup import outer_html

CONCURRENT = 2
RAW, RENDERED = "trafilatura", "trafilatura-rendered"


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--method", default="nce")
    options.add_argument("--sites", help="comma-separated; all without")
    options.add_argument("--pages", type=int, default=12, help="posts a site, 0 for all")
    chosen = options.parse_args()
    table = site_table(chosen.data)
    names = chosen.sites.split(",") if chosen.sites else list(table)
    results = asyncio.run(run(chosen, {name: table[name] for name in names}))
    report(results, chosen.method)


async def run(chosen, sites) -> dict[str, dict[str, list[PageScore]]]:
    results = {}
    async with miolo.Renderer(switches=OFFLINE) as renderer:
        for name, facts in sites.items():
            folder = unpack(chosen.data / "sites" / f"{name}.tar.xz", chosen.cache)
            posts = facts["posts"][: chosen.pages or None]
            print(f"{name}: {len(posts)} pages", file=sys.stderr)
            with served(folder) as origin:
                results[name] = await site(renderer, chosen.method, folder, origin, facts, posts)
    return results


async def site(renderer, method: str, folder: Path, origin: str, facts, posts):
    gate = asyncio.Semaphore(CONCURRENT)

    async def rendered(path: str) -> miolo.Snapshot | None:
        async with gate:
            try:
                return await renderer.render(post_url(origin, path))
            except miolo.MioloError as error:
                print(f"  {path}: {error}", file=sys.stderr)
                return None

    def scores(texts: Iterable[str]) -> list[PageScore]:
        return [token_score(truth, text) for truth, text in zip(truths, texts, strict=True)]

    snapshots = await asyncio.gather(*(rendered(path) for path in posts))
    truths = [post_truth(folder, path, facts["body_selector"]) for path in posts]
    return {
        method: scores(ours(page, method) for page in snapshots),
        RAW: scores(peer(post_source(folder, path)) for path in posts),
        RENDERED: scores(peer(outer_html(page, 0)) if page else "" for page in snapshots),
    }


def ours(page: miolo.Snapshot | None, method: str) -> str:
    return miolo.extract_snapshot(page, method).text if page else ""


def peer(source: bytes | str) -> str:
    return trafilatura.extract(source, include_comments=False) or ""


def report(results: dict[str, dict[str, list[PageScore]]], method: str) -> None:
    systems = (method, RAW, RENDERED)
    print(f"{'site':15} {'pages':>5}  " + "  ".join(f"{s:>20} P     R    F1" for s in systems))
    sites = {}
    for name, scores in results.items():
        cells = []
        for system in systems:
            total = score_set(scores[system])
            f1 = mean(score.f1 for score in scores[system])
            sites.setdefault(name, {})[system] = round(f1, 4)
            cells.append(f"{'':>17}{total.precision:.3f} {total.recall:.3f} {f1:.3f}")
        print(f"{name:15} {len(scores[method]):5}  " + "  ".join(cells))
    means = {system: round(mean(site[system] for site in sites.values()), 4) for system in systems}
    print(json.dumps({"mean_f1": means, "sites": sites}))


if __name__ == "__main__":
    main()
