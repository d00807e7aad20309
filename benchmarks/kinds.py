"""How well a page's kind is classified: macro F1, confusion, and the warning "not an article".

    python benchmarks/kinds.py [--train models/kinds/kinds.json] [--limit 50]

The pages are single pages, parsed (no browser) and rendered (scripts off, nothing fetched), and the
posts and lists of the sites, rendered with all their resources. Every page is judged by a model
trained on other registrable domains (ten folds). The parsed pages are included without their
addresses too, and a quarter of the articles without anything around them, so that such pages are
learned as well. So are simple pages: articles and lists made of labelled blocks, see
`simple_pages.py`. Pages of the exam are left out. With `--train` a model trained on all pages is
written.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import miolo
import numpy as np
from corpus import (
    CONCURRENT,
    OPTIONS,
    log,
    parser,
    post_url,
    rendered_further,
    rendered_posts,
    saved_page,
    site_table,
    unpack,
)
from miolo.evaluate.page_sets import page_cases
from miolo.features.page_kind import PAGE_KIND_FEATURES, page_kind_features
from miolo.models.kinds.model import ARTICLE, train_kinds
from miolo.renderer.network.origins import site_of
from simple_pages import simple_list, simple_markup
from sklearn.model_selection import StratifiedGroupKFold

SETS = ("wcxb", "news2023", "publishers", "world", "blogs2012")
SAMPLES = {"world": 250, "blogs2012": 350}
"""Number of pages from sets of articles alone, which would outweigh the others."""

LABELLED = ("wcxb", "news2023", "publishers", "world")
"""Sets whose blocks are labelled, for the simple pages."""

# The set whose articles are hardest to distinguish from its other pages sets the threshold.
HARDEST = "wcxb"
MAX_ALARMS = 0.02
"""Maximum share of articles that may be reported as something else."""
# Metrics that are defined for sets with only articles.
OF_ARTICLES = ("pages", "accuracy", "false_alarms")
# Last characters of the names of pages that are also learned bare.
BARE = "0258bf"
POSTS_A_SITE = 12
# Numbers of simple articles and of simple lists; more lower the recall of lists of the sites.
SIMPLE, SIMPLE_LISTS = 300, 200
# Addresses of the simple pages, beside none at all and those of the articles.
PATHS = (
    "/", "/index.html", "/page.html", "/test.html", "/a/b.htm", "/~jane/notes.html", "/post",
    "/news/1", "/article", "/2024/story.html", "/blog/hello",
)  # fmt: skip
LISTS = r"(?:.*/)?(?:tags?|categor\w+|authors?|archives?|page|(?:blog_)?index\d*)(?:[/.\d]|$)"


@dataclass(frozen=True, eq=False)
class Page:
    """Features of a page, and what is known about it."""

    row: np.ndarray
    kind: str
    site: str
    source: str
    variant: str


@dataclass(frozen=True, eq=False)
class KindPages:
    """Features, kinds, registrable domains and weights of all pages."""

    rows: np.ndarray
    kinds: np.ndarray
    sites: np.ndarray
    weights: np.ndarray


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--limit", type=int, default=0, help="pages a set, 0 for all")
    options.add_argument("--train", type=Path, help="write the model to this file")
    chosen = options.parse_args()
    all_pages = [*asyncio.run(single_pages(chosen)), *site_pages(chosen), *composed_pages(chosen)]
    pages = pack(all_pages)
    probabilities = cross_validate(pages)
    kinds = sorted(set(pages.kinds.tolist()))
    hardest = np.array([page.source == HARDEST for page in all_pages])
    articles = pages.kinds == ARTICLE
    p_article = probabilities[:, kinds.index(ARTICLE)]
    threshold = warning_threshold(p_article[hardest], articles[hardest])
    figures = report(all_pages, kinds, probabilities, threshold)
    print(json.dumps(figures))
    if chosen.train:
        provenance_of_run = provenance(all_pages, figures)
        model = train_kinds(
            pages.rows,
            pages.kinds,
            pages.weights,
            threshold=threshold,
            provenance=provenance_of_run,
        )
        model.save(chosen.train)


def cross_validate(pages: KindPages) -> np.ndarray:
    """Probabilities for every page by a model trained on other sites: shape (pages, kinds).

    Columns are the kinds in alphabetical order. The folds contain similar shares of each kind.
    """
    kinds = tuple(sorted(set(pages.kinds.tolist())))
    probabilities = np.zeros((len(pages.kinds), len(kinds)))
    splits = StratifiedGroupKFold(10, shuffle=True, random_state=0)
    for train, test in splits.split(pages.rows, pages.kinds, pages.sites):
        model = train_kinds(pages.rows[train], pages.kinds[train], pages.weights[train])
        columns = [kinds.index(kind) for kind in model.kinds]
        probabilities[test[:, None], columns] = model.probabilities(pages.rows[test])
    return probabilities


def warning_threshold(article: np.ndarray, truth: np.ndarray) -> float:
    """The largest threshold below which at most `MAX_ALARMS` of the articles fall."""
    of_articles = np.sort(article[truth])
    allowed = min(int(MAX_ALARMS * len(of_articles)), len(of_articles) - 1)
    return round(float(of_articles[allowed]), 4)


async def single_pages(chosen: Any) -> list[Page]:
    """Pages of the sets, each parsed, parsed without its address, and rendered."""
    pages = []
    async with miolo.Renderer(OPTIONS) as renderer:
        gate = asyncio.Semaphore(CONCURRENT)

        async def render_file(file: Path, cache: Path) -> Path | None:
            async with gate:
                return await saved_page(renderer, file, cache)

        for name in SETS:
            folder = unpack(chosen.data / "pages" / f"{name}.tar.xz", chosen.cache)
            files = list(filter(is_usable, sorted(folder.glob("*.html"))))
            if name in SAMPLES:
                files = random.Random(0).sample(files, SAMPLES[name])
            files = files[: chosen.limit or None]
            cache = chosen.cache / f"{name}-snapshots"
            cache.mkdir(parents=True, exist_ok=True)
            saved = await asyncio.gather(*(render_file(file, cache) for file in files))
            for file, snapshot in zip(files, saved, strict=True):
                pages += variants(name, file, snapshot)
            print(f"{name}: {len(files)} pages", file=sys.stderr)
    return pages


def truth_of(file: Path) -> dict[str, Any]:
    return json.loads(file.with_suffix(".json").read_text("utf-8"))


def is_usable(file: Path) -> bool:
    """Whether a page is of a known kind and not reserved for the exam."""
    truth = truth_of(file)
    return truth.get("type") != "other" and not truth.get("exam")


def variants(name: str, file: Path, saved: Path | None) -> Iterator[Page]:
    truth = truth_of(file)
    url = truth["url"] or "about:blank"
    parsed = miolo.Snapshot.from_html(file.read_bytes(), url=url)
    labels = truth.get("type") or ARTICLE, site_of(url) or f"{name}-{file.stem}", name
    page = Page(page_kind_features(parsed), *labels, "parsed")
    yield page
    addressed = np.array([feature.startswith("address ") for feature in PAGE_KIND_FEATURES])
    yield replace(page, row=np.where(addressed, np.nan, page.row), variant="no address")
    if saved:
        snapshot = miolo.Snapshot.load(saved)
        yield Page(page_kind_features(snapshot), *labels, "rendered")
    if labels[0] == ARTICLE and truth["text"] and file.stem[-1] in BARE:
        yield Page(page_kind_features(bare(truth)), *labels, "bare")


def bare(truth: dict[str, Any]) -> miolo.Snapshot:
    """An article with nothing around it, as from users who have cleaned the page themselves."""
    lines = [line for line in truth["text"].splitlines() if line.strip()]
    body = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return miolo.Snapshot.from_html(f"<body><h1>{escape(truth['title'] or '')}</h1>{body}")


def site_pages(chosen: Any) -> Iterator[Page]:
    """Some posts of each site, and the lists that can be identified by their paths."""
    for name, site in site_table(chosen.data).items():
        folder = unpack(chosen.data / "sites" / f"{name}.tar.xz", chosen.cache)
        posts = site["posts"]
        some = range(0, len(posts), max(len(posts) // POSTS_A_SITE, 1))
        saved = asyncio.run(rendered_posts(chosen.data, chosen.cache, name, posts))
        for place in list(some)[: chosen.limit or None]:
            yield from site_page(name, posts[place], saved[place], ARTICLE)
        others = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
        lists = [path for path in others if re.match(LISTS, path) and path not in posts]
        lists = lists[:: max(len(lists) // POSTS_A_SITE, 1)][:POSTS_A_SITE]
        lists = lists[: chosen.limit or None]
        shown = asyncio.run(rendered_further(chosen.data, chosen.cache, name, lists))
        for path, file in zip(lists, shown, strict=True):
            yield from site_page(name, path, file, "listing")
        print(f"{name}: {len(some)} posts, {len(lists)} lists", file=sys.stderr)


def site_page(name: str, path: str, saved: Path | None, kind: str) -> Iterator[Page]:
    if saved:
        snapshot = miolo.Snapshot.load(saved)
        # As if the page came from the web, and not from a port of this machine.
        page = replace(snapshot.page, url=post_url("https://site.example", path))
        row = page_kind_features(replace(snapshot, page=page))
        yield Page(row, kind, name, "sites", "styled")


def composed_pages(chosen: Any) -> Iterator[Page]:
    """Simple articles, each held out with the page that it is made of, and simple lists."""
    folders = [unpack(chosen.data / "pages" / f"{name}.tar.xz", chosen.cache) for name in LABELLED]
    labels = chosen.data / "roles"
    cases = page_cases(folders, chosen.cache, kinds=(ARTICLE,), labels=labels, exam=False, log=log)
    blocks_of = {case: case.labels.blocks for case in cases if case.labels}
    rng = random.Random(0)
    for case in rng.sample(list(blocks_of), chosen.limit or SIMPLE):
        _, markup = simple_markup(blocks_of[case], rng)
        if markup:
            url = rng.choice(["", case.url, simple_address(rng)])
            yield composed_page(markup, url, ARTICLE, case.group)
    for number in range(chosen.limit or SIMPLE_LISTS):
        listed = rng.sample(list(blocks_of.values()), round(2 ** rng.uniform(1.5, 5)))
        url = rng.choice(["", simple_address(rng)])
        yield composed_page(simple_list(listed, rng), url, "listing", f"list-{number}")


def simple_address(rng: random.Random) -> str:
    return "https://site.example" + rng.choice(PATHS)


def composed_page(markup: str, url: str, kind: str, site: str) -> Page:
    snapshot = miolo.Snapshot.from_html(markup, url=url or "about:blank")
    return Page(page_kind_features(snapshot), kind, site, "simple", "simple")


def pack(pages: list[Page]) -> KindPages:
    """Arrays of all pages, weighted so that the variants of a page count as one page."""
    weight: dict[str, float] = {"styled": 1.0}
    weight |= dict.fromkeys(("parsed", "no address", "rendered", "bare", "simple"), 1 / 3)
    return KindPages(
        np.array([page.row for page in pages]),
        np.array([page.kind for page in pages]),
        np.array([page.site for page in pages]),
        np.array([weight[page.variant] for page in pages]),
    )


def report(
    pages: list[Page], kinds: list[str], probabilities: np.ndarray, threshold: float
) -> dict[str, Any]:
    """Print tables by variant, and return the figures."""
    truth = np.array([kinds.index(page.kind) for page in pages])
    predicted = probabilities.argmax(axis=1)
    article = truth == kinds.index(ARTICLE)
    with_warnings = probabilities[:, kinds.index(ARTICLE)] < threshold
    source = np.array([page.source for page in pages])
    variant = np.array([page.variant for page in pages])
    figures: dict[str, Any] = {"threshold": threshold}
    groups = [(HARDEST, v) for v in ("parsed", "no address", "rendered")] + [("sites", "styled")]
    groups += [(HARDEST, "bare"), ("simple", "simple")]
    groups += [(name, "rendered") for name in SETS if name != HARDEST]
    print(f"{'pages':24} {'n':>5}  accuracy  macro F1 | precision  recall  false alarms")
    for name, kind in groups:
        of = (source == name) & (variant == kind)
        others = (with_warnings & ~article)[of].sum()
        row = {
            "pages": int(of.sum()),
            "accuracy": (predicted == truth)[of].mean(),
            "macro_f1": macro_f1(truth[of], predicted[of]),
            "warning_precision": others / max(with_warnings[of].sum(), 1),
            "warning_recall": others / max((~article)[of].sum(), 1),
            "false_alarms": (with_warnings & article)[of].sum() / max(article[of].sum(), 1),
        }
        kept = row if not article[of].all() else {key: row[key] for key in OF_ARTICLES}
        figures[f"{name} {kind}"] = {key: round(float(v), 4) for key, v in kept.items()}
        print(
            f"{name + ' ' + kind:24} {row['pages']:5}  {row['accuracy']:8.3f}  "
            f"{row['macro_f1']:8.3f} | {row['warning_precision']:9.3f}  "
            f"{row['warning_recall']:6.3f}  {row['false_alarms']:12.3f}"
        )
    of = (source == HARDEST) & (variant == "rendered")
    print(f"\n{HARDEST} rendered; a row is what the page is, a column what it is taken for")
    print(" " * 15 + " ".join(f"{kind[:8]:>8}" for kind in kinds))
    for place, kind in enumerate(kinds):
        counts = np.bincount(predicted[of & (truth == place)], minlength=len(kinds))
        print(f"{kind:15}" + " ".join(f"{count:8}" for count in counts))
    return figures


def macro_f1(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Mean F1 over the kinds that occur."""
    from sklearn.metrics import f1_score

    return float(f1_score(truth, predicted, labels=np.unique(truth), average="macro"))


def provenance(pages: list[Page], figures: dict[str, Any]) -> dict[str, Any]:
    return {
        "command": "python benchmarks/kinds.py --train models/kinds/kinds.json",
        "date": datetime.now(UTC).date().isoformat(),
        "pages": {
            v: sum(page.variant == v for page in pages) for v in ("parsed", "styled", "simple")
        },
        "ten_fold_by_domain": figures,
    }


if __name__ == "__main__":
    main()
