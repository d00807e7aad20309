"""Article bodies of single news pages without style sheets, against trafilatura.

    python benchmarks/pages.py --method nce [--sets news2023,publishers] [--limit 50]

Four-token shingles: means of precision and recall over pages, their F1, share of exact
matches. Rendered with scripts off and nothing fetched; snapshots are kept in the cache.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import miolo
import trafilatura
from corpus import parser, unpack
from miolo.extract.scoring import PageScore, score_set, shingle_score

CONCURRENT = 2
OPTIONS = miolo.RenderOptions(javascript=False, wait="dom")


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--method", default="nce")
    options.add_argument("--sets", default="news2023,publishers")
    options.add_argument("--limit", type=int, default=0, help="pages a set, 0 for all")
    chosen = options.parse_args()
    results = {}
    for name in chosen.sets.split(","):
        folder = unpack(chosen.data / "pages" / f"{name}.tar.xz", chosen.cache)
        pages = sorted(folder.glob("*.html"))[: chosen.limit or None]
        print(f"{name}: {len(pages)} pages", file=sys.stderr)
        results[name] = asyncio.run(score(pages, chosen.method, chosen.cache / f"{name}-snapshots"))
    report(results, chosen.method)


async def score(pages: list[Path], method: str, cache: Path) -> dict[str, list[PageScore]]:
    cache.mkdir(parents=True, exist_ok=True)
    gate = asyncio.Semaphore(CONCURRENT)
    scores: dict[str, list[PageScore]] = {method: [], "trafilatura": []}
    async with miolo.Renderer(OPTIONS) as renderer:

        async def one(page: Path) -> None:
            async with gate:
                saved = await saved_page(renderer, page, cache)
            truth = json.loads(page.with_suffix(".json").read_text("utf-8"))
            text = miolo.extract_snapshot(miolo.Snapshot.load(saved), method).text if saved else ""
            peer = trafilatura.extract(page.read_bytes(), include_comments=False) or ""
            scores[method].append(shingle_score(truth["text"] or "", text))
            scores["trafilatura"].append(shingle_score(truth["text"] or "", peer))

        await asyncio.gather(*(one(page) for page in pages))
    return scores


async def saved_page(renderer: miolo.Renderer, page: Path, cache: Path) -> Path | None:
    """The file of a page's snapshot, rendered the first time; None where that fails."""
    saved = cache / f"{page.stem}.miolo"
    if saved.exists():
        return saved
    url = json.loads(page.with_suffix(".json").read_text("utf-8"))["url"]
    address = {"url": url} if url else {}
    try:
        (await renderer.render_html(page.read_bytes(), **address)).save(saved)
    except miolo.MioloError as error:
        print(f"  {page.name}: {error}", file=sys.stderr)
        return None
    return saved


def report(results: dict[str, dict[str, list[PageScore]]], method: str) -> None:
    print(f"{'set':12} {'system':14} {'pages':>5}  precision  recall     F1  exact")
    f1: dict[str, dict[str, float]] = {}
    exact: dict[str, dict[str, float]] = {}
    for name, systems in results.items():
        for system in (method, "trafilatura"):
            total = score_set(systems[system])
            f1.setdefault(name, {})[system] = round(total.f1, 4)
            exact.setdefault(name, {})[system] = round(total.exact, 4)
            print(
                f"{name:12} {system:14} {total.pages:5}  {total.precision:9.3f}  "
                f"{total.recall:6.3f}  {total.f1:.3f}  {total.exact:.3f}"
            )
    print(json.dumps({"f1": f1, "exact": exact}))


if __name__ == "__main__":
    main()
