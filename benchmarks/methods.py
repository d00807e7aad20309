"""Quality and speed of every method on the same pages and sites.

    python benchmarks/methods.py --picture docs/images/methods.svg [--sites flink] [--posts 12]

Sites: token F1 of the body on the first posts of each real site that are not archives of several
posts, averaged over sites. Methods that learn from a site learn from at most fifty of its other
posts, unlabelled, so no judged post was seen before. Pages: F1 of four-token shingles on single
news pages without style sheets. Milliseconds are those of `extract_snapshot` without rendering and
learning, as the median over the posts of the sites. trafilatura reads the HTML as rendered. `auto`
is left to `miolo evaluate --folds`, since its shipped model was trained on these pages.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import mean, median

import absent_peers  # noqa: F401
import miolo
import trafilatura
from corpus import OPTIONS, fresh_copy, log, parser, saved_page, unpack, unpack_sites
from methods_picture import quality_against_time
from miolo.evaluate.case import Case
from miolo.evaluate.held_out import learned_from
from miolo.evaluate.rendering import SITE_OPTIONS, render_missing
from miolo.evaluate.site_sets import SiteCases, site_cases
from miolo.extract.methods.registry import method_variants
from miolo.extract.scoring import score_set, scored_text, shingle_score, token_score
from miolo.models.templates.model import shipped_model
from miolo.renderer.page.markup import outer_html

PEER = "trafilatura"
SETS = ("news2023", "publishers")
LEFT_OUT = {"records", "adeater", "auto"}
"""Methods that look for something else, or were trained on these pages."""

Reader = Callable[[miolo.Snapshot, str], str]
"""Function that returns the text of a page, given as snapshot and as HTML."""


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--sites", help="comma-separated; all without")
    options.add_argument("--posts", type=int, default=12, help="posts a site")
    options.add_argument("--limit", type=int, default=0, help="single pages a set, 0 for all")
    options.add_argument("--picture", type=Path)
    chosen = options.parse_args()
    names = chosen.sites.split(",") if chosen.sites else None
    folder = unpack_sites(chosen.data, chosen.cache)
    sites = site_cases(folder, chosen.cache, only=names, posts=chosen.posts, log=log)
    f1, ms = on_sites(sites)
    single = {name: on_pages(chosen.data, chosen.cache, name, chosen.limit) for name in SETS}
    report(f1, ms, single)
    if chosen.picture:
        points = {name: (median(ms[name]), mean(f1[name].values())) for name in f1}
        chosen.picture.write_text(quality_against_time(points, site_methods()), "utf-8")


def site_methods() -> set[str]:
    return {name for name, method in method_variants().items() if method.needs_site}


def readers(site: miolo.Site | None) -> dict[str, Reader]:
    """All systems that can read a page with what is known about its site."""

    def ours(method: str) -> Reader:
        def read(page: miolo.Snapshot, _: str) -> str:
            try:
                return scored_text(miolo.extract_snapshot(page, method, site=site))
            except miolo.PageNotAcceptedError:
                return ""

        return read

    systems = {
        name: ours(name)
        for name, method in method_variants().items()
        if name not in LEFT_OUT and (site is not None or not method.needs_site)
    }
    return systems | {PEER: peer}


def peer(_: miolo.Snapshot, html: str) -> str:
    return trafilatura.extract(html, include_comments=False) or ""


def on_sites(
    sites: Sequence[SiteCases],
) -> tuple[dict[str, dict[str, float]], dict[str, list[float]]]:
    """F1 by system and site; milliseconds of every post, by system."""
    f1: dict[str, dict[str, float]] = {}
    ms: dict[str, list[float]] = {}
    for site in sites:
        asyncio.run(render_missing((*site.judged, *site.others), SITE_OPTIONS, log=log))
        pages = [miolo.Snapshot.load(case.saved) for case in site.judged]
        posts = [(p, outer_html(p, 0), c) for p, c in zip(pages, site.judged, strict=True)]
        for system in readers(learn(learned_from(site, site.judged[0]))):
            scores = []
            for page, html, case in posts:
                read = readers(learn(learned_from(site, case)))[system]
                text, spent = answer(read, page, html)
                scores.append(token_score(case.text, text).f1)
                ms.setdefault(system, []).append(spent)
            f1.setdefault(system, {})[site.judged[0].set] = mean(scores)
    return f1, ms


@lru_cache(maxsize=8)
def learn(posts: tuple[Case, ...]) -> miolo.Site:
    snapshots = [miolo.Snapshot.load(post.saved) for post in posts if post.saved.exists()]
    start = time.perf_counter()
    site = miolo.learn_site(snapshots)
    took = 1000 * (time.perf_counter() - start) / len(snapshots)
    log(f"{posts[0].set}: learned from {len(snapshots)} posts, {took:.0f} ms a page")
    return site


def answer(read: Reader, page: miolo.Snapshot, html: str) -> tuple[str, float]:
    """Text of a page, and the milliseconds taken."""
    fresh = fresh_copy(page)
    start = time.perf_counter()
    text = read(fresh, html)
    return text, 1000 * (time.perf_counter() - start)


def on_pages(data: Path, cache: Path, name: str, limit: int) -> dict[str, float]:
    """F1 of the methods that need no site on single pages."""
    folder = unpack(data / "pages" / f"{name}.tar.xz", cache)
    files = sorted(folder.glob("*.html"))[: limit or None]
    print(f"{name}: {len(files)} pages", file=sys.stderr)
    pages = asyncio.run(render_files(files, cache / f"{name}-snapshots"))
    scores: dict[str, list] = {}
    for file, saved in zip(files, pages, strict=True):
        truth = json.loads(file.with_suffix(".json").read_text("utf-8"))["text"] or ""
        page = miolo.Snapshot.load(saved) if saved else None
        html = outer_html(page, 0) if page else ""
        for system, read in readers(None).items():
            text = read(page, html) if page else ""
            scores.setdefault(system, []).append(shingle_score(truth, text))
    return {system: score_set(page_scores).f1 for system, page_scores in scores.items()}


async def render_files(files: Sequence[Path], cache: Path) -> list[Path | None]:
    """Saved snapshots of single pages; None for one that cannot be rendered."""
    async with miolo.Renderer(OPTIONS) as renderer:
        return [await saved_page(renderer, file, cache) for file in files]


def report(
    f1: dict[str, dict[str, float]], ms: dict[str, list[float]], single: dict[str, dict[str, float]]
) -> None:
    trained_on = shipped_model().provenance["sites"]
    print(f"{'method':20} {'sites':>6} {'unseen':>7} {'ms':>7}  " + "  ".join(SETS))
    for system in sorted(f1, key=lambda each: -mean(f1[each].values())):
        sites = f1[system]
        unseen = [value for name, value in sites.items() if name not in trained_on]
        cells = [
            f"{single[name][system] if system in single[name] else float('nan'):{len(name)}.3f}"
            for name in SETS
        ]
        print(
            f"{system:20} {mean(sites.values()):6.3f} {mean(unseen) if unseen else 0:7.3f} "
            f"{median(ms[system]):7.1f}  " + "  ".join(cells)
        )
    figures = {
        "f1": {system: round(mean(sites.values()), 4) for system, sites in f1.items()},
        "ms_per_page": {system: round(median(spent), 2) for system, spent in ms.items()},
        "f1_pages": {
            name: {system: round(value, 4) for system, value in by_system.items()}
            for name, by_system in single.items()
        },
        "f1_by_site": {
            system: {name: round(value, 4) for name, value in sites.items()}
            for system, sites in f1.items()
        },
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
