"""Article bodies on real sites with their style sheets, against trafilatura.

The peer runs on the raw HTML and on the rendered HTML: the first shows what its users get, the
second how well it selects text when loading the page is not part of the task.

    python benchmarks/sites.py --method nce,template,sitelevel [--sites flink] [--pages 12]

Token precision, recall and F1 of the body are averaged over the pages of each site, and then over
sites. A page that fails counts as empty. Snapshots are kept in the cache. Methods that learn from a
site learn from all its posts; `seen` marks sites that the shipped template model was trained on.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import absent_peers  # noqa: F401
import miolo
import trafilatura
from corpus import parser, post_source, post_truth, rendered_posts, site_table, unpack
from miolo.extract.methods.registry import find_method
from miolo.extract.scoring import PageScore, score_set, scored_text, token_score
from miolo.models.templates.model import shipped_model
from miolo.renderer.page.markup import outer_html

RAW, RENDERED = "trafilatura", "trafilatura-rendered"

Scores = dict[str, list[PageScore]]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--method", default="nce", help="methods, comma-separated")
    options.add_argument("--sites", help="comma-separated; all without")
    options.add_argument("--pages", type=int, default=12, help="posts a site, 0 for all")
    chosen = options.parse_args()
    methods = chosen.method.split(",")
    table = site_table(chosen.data)
    names = chosen.sites.split(",") if chosen.sites else list(table)
    results = {}
    for name in names:
        print(f"{name}: {len(table[name]['posts'])} posts", file=sys.stderr)
        results[name] = site(chosen.data, chosen.cache, name, table[name], methods, chosen.pages)
    report(results, [*methods, RAW, RENDERED])


def site(data: Path, cache: Path, name: str, facts: dict, methods: list[str], pages: int) -> Scores:
    """Scores of every system on the posts of a site."""
    learning = any(find_method(method).needs_site for method in methods)
    posts = facts["posts"] if learning else facts["posts"][: pages or None]
    files = asyncio.run(rendered_posts(data, cache, name, posts))
    learned_site = (
        miolo.learn_site(miolo.Snapshot.load(file) for file in files if file) if learning else None
    )
    posts, files = posts[: pages or None], files[: pages or None]
    snapshots = [miolo.Snapshot.load(file) if file else None for file in files]
    folder = unpack(data / "sites" / f"{name}.tar.xz", cache)
    truths = [post_truth(folder, path, facts["body_selector"]) for path in posts]

    def scores(texts: Iterable[str]) -> list[PageScore]:
        return [token_score(truth, text) for truth, text in zip(truths, texts, strict=True)]

    by_system = {
        method: scores(ours(page, method, learned_site) for page in snapshots) for method in methods
    }
    by_system[RAW] = scores(peer(post_source(folder, path)) for path in posts)
    by_system[RENDERED] = scores(peer(outer_html(page, 0)) if page else "" for page in snapshots)
    return by_system


def ours(page: miolo.Snapshot | None, method: str, learned_site: miolo.Site | None) -> str:
    try:
        return scored_text(miolo.extract_snapshot(page, method, site=learned_site)) if page else ""
    except miolo.PageNotAcceptedError:
        return ""


def peer(source: bytes | str) -> str:
    return trafilatura.extract(source, include_comments=False) or ""


def report(results: dict[str, Scores], systems: list[str]) -> None:
    trained_on = shipped_model().provenance["sites"]
    print(f"{'site':13} seen  " + "  ".join(f"{s:>20} P     R    F1" for s in systems))
    sites = {}
    for name, scores in results.items():
        cells = []
        for system in systems:
            total = score_set(scores[system])
            f1 = mean(score.f1 for score in scores[system])
            sites.setdefault(name, {})[system] = round(f1, 4)
            cells.append(f"{'':>17}{total.precision:.3f} {total.recall:.3f} {f1:.3f}")
        print(f"{name:13} {'yes' if name in trained_on else 'no':4}  " + "  ".join(cells))
    unseen = [name for name in sites if name not in trained_on]
    figures = {"mean_f1": means(sites, list(sites), systems), "sites": sites}
    if unseen:
        figures["mean_f1_unseen"] = means(sites, unseen, systems)
    print(json.dumps(figures))


def means(sites: dict[str, dict[str, float]], names: list[str], systems: list[str]):
    return {system: round(mean(sites[n][system] for n in names), 4) for system in systems}


if __name__ == "__main__":
    main()
