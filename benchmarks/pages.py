"""Article bodies of single news pages without style sheets, against trafilatura.

    python benchmarks/pages.py --method nce [--sets news2023,publishers] [--limit 50]

Scores are based on four-token shingles: means of precision and recall over pages, their F1, and the
share of exact matches. Pages are rendered with scripts off and nothing fetched; snapshots are kept
in the cache.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import absent_peers  # noqa: F401
import miolo
import trafilatura
from corpus import parser, unpack
from miolo.evaluate.page_sets import page_case, page_cases
from miolo.evaluate.rendering import CONCURRENT, render_case, render_missing
from miolo.evaluate.rendering import PAGE_OPTIONS as OPTIONS
from miolo.extract.scoring import PageScore, score_set, scored_text, shingle_score

__all__ = ["CONCURRENT", "OPTIONS", "log", "saved_page"]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--method", default="nce")
    options.add_argument("--sets", default="news2023,publishers")
    options.add_argument("--limit", type=int, default=0, help="pages a set, 0 for all")
    chosen = options.parse_args()
    results = {}
    for name in chosen.sets.split(","):
        folder = unpack(chosen.data / "pages" / f"{name}.tar.xz", chosen.cache)
        results[name] = score(folder, chosen.method, chosen.cache, chosen.limit)
    report(results, chosen.method)


def score(folder: Path, method: str, cache: Path, limit: int) -> dict[str, list[PageScore]]:
    cases = page_cases([folder], cache, limit=limit or None, log=log)
    print(f"{folder.name}: {len(cases)} pages", file=sys.stderr)
    asyncio.run(render_missing(cases, OPTIONS, log=log))
    scores: dict[str, list[PageScore]] = {method: [], "trafilatura": []}
    for case in cases:
        page = miolo.Snapshot.load(case.saved) if case.saved.exists() else None
        text = scored_text(miolo.extract_snapshot(page, method)) if page else ""
        peer = trafilatura.extract(case.source.read_bytes(), include_comments=False) or ""
        scores[method].append(shingle_score(case.text, text))
        scores["trafilatura"].append(shingle_score(case.text, peer))
    return scores


async def saved_page(renderer: miolo.Renderer, page: Path, cache: Path) -> Path | None:
    """The file of a page's snapshot, rendered the first time; None if that fails."""
    case = page_case(page, cache, log)
    if case is None:
        return None
    try:
        if not case.saved.exists():
            (await render_case(renderer, case)).save(case.saved)
    except miolo.MioloError as error:
        log(f"{page.name}: {error}")
        return None
    return case.saved


def log(sentence: str) -> None:
    print(f"  {sentence}", file=sys.stderr)


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
