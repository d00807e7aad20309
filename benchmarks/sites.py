"""Article bodies on real sites with their style sheets, against trafilatura on the raw HTML.

    python benchmarks/sites.py --method nce [--sites flink,pybites] [--pages 12]

Token precision, recall and F1 of the body, means over the pages of each site, and their mean
over sites. A page that fails counts as empty.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from statistics import mean

import miolo
import trafilatura
from corpus import OFFLINE, parser, post_source, post_truth, post_url, served, site_table, unpack
from miolo.extract.scoring import PageScore, score_set, token_score

CONCURRENT = 2


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

    async def ours(path: str) -> str:
        async with gate:
            try:
                snapshot = await renderer.render(post_url(origin, path))
            except miolo.MioloError as error:
                print(f"  {path}: {error}", file=sys.stderr)
                return ""
        return miolo.extract_snapshot(snapshot, method).text

    texts = await asyncio.gather(*(ours(path) for path in posts))
    truths = [post_truth(folder, path, facts["body_selector"]) for path in posts]
    peers = [peer(post_source(folder, path)) for path in posts]
    return {
        method: [token_score(t, p) for t, p in zip(truths, texts, strict=True)],
        "trafilatura": [token_score(t, p) for t, p in zip(truths, peers, strict=True)],
    }


def peer(source: bytes) -> str:
    return trafilatura.extract(source, include_comments=False) or ""


def report(results: dict[str, dict[str, list[PageScore]]], method: str) -> None:
    systems = (method, "trafilatura")
    print(f"{'site':15} {'pages':>5}  " + "  ".join(f"{s:>12} P     R    F1" for s in systems))
    sites = {}
    for name, scores in results.items():
        cells = []
        for system in systems:
            total = score_set(scores[system])
            f1 = mean(score.f1 for score in scores[system])
            sites.setdefault(name, {})[system] = round(f1, 4)
            cells.append(f"{'':>9}{total.precision:.3f} {total.recall:.3f} {f1:.3f}")
        print(f"{name:15} {len(scores[method]):5}  " + "  ".join(cells))
    means = {system: round(mean(site[system] for site in sites.values()), 4) for system in systems}
    print(json.dumps({"mean_f1": means, "sites": sites}))


if __name__ == "__main__":
    main()
