"""Which pages need a browser: the probability that rendering changes the article.

    python benchmarks/browser_need.py [--pages 320] [--train models/rendering/rendering.json]

All posts of the sites, and labelled pages delivered in the ways of `delivered_pages.py`, are read
as served and rendered with scripts. An article counts as changed if the shingle F1 between the two
texts is below .9. Every page is judged by a model trained on other domains and sites (ten folds).
*Rendered* is the share of pages whose probability is too high to skip the browser, and *agreement*
the mean F1 of the text of `browser="auto"` against that of the rendered page. Rendered texts are
cached. With `--train` a model trained on all pages is written.
"""

# ruff: noqa: E402

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import asyncio
import json
import random
import zlib
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from statistics import mean

import miolo
import numpy as np
from corpus import OFFLINE, parser, post_url, serve_folder, site_table, unpack
from delivered_pages import DELIVERIES, Delivered, deliveries
from miolo.evaluate.case import read_labels
from miolo.extract.plain import MAX_CHANGE, MIN_LIKENESS, likeness, rendering_features
from miolo.models.logistic import fit_logistic
from miolo.models.rendering.rendering_model import RenderingModel
from miolo.renderer.network.origins import site_of
from miolo.renderer.page.encoding import decode_html

SETS = ("news2023", "publishers", "wcxb", "world")
PAGE_OPTIONS = miolo.RenderOptions(
    browser="always", egress=miolo.EgressPolicy("never"), limits=miolo.Limits(seconds=15)
)
CONCURRENT = 4

FOLDS = 10
STRENGTH = 0.3
"""Inverse of the strength of the L2 penalty."""

CHANGED_SHARE = 0.2
"""Share of the total weight that changed pages have. 8 % of 1,191 posts change, and three in eight
deliveries do."""


@dataclass(frozen=True, eq=False)
class Page:
    """A page that was read in both ways.

    Attributes
    ----------
    delivery
        Name of the way of delivery, or of the site.
    group
        Registrable domain, or site; pages of one group are never on both sides of a split.
    row
        Features of the page.
    f1
        F1 of the text as served against that of the rendered page.
    """

    delivery: str
    group: str
    row: np.ndarray
    f1: float

    @property
    def is_changed(self) -> bool:
        """Whether rendering changes the article."""
        return self.f1 < MIN_LIKENESS


class RenderedTexts:
    """Texts of rendered pages by name, kept in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._texts: dict[str, str | None] = {}
        if path.exists():
            self._texts = dict(map(json.loads, path.read_text("utf-8").splitlines()))

    async def text(
        self, key: str, renderer: miolo.Renderer, source: str | miolo.HTML
    ) -> str | None:
        """The text of a page, rendered if it is new; None if it cannot be rendered."""
        if key not in self._texts:
            job = miolo.PageJob(source, renderer.options)
            extraction = (await miolo.extract_page(job, renderer)).extraction
            self._texts[key] = None if extraction is None else extraction.text
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, self._texts[key]]) + "\n")
        return self._texts[key]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--pages", type=int, default=320, help="labelled pages")
    options.add_argument("--train", type=Path, help="write the model to this file")
    chosen = options.parse_args()
    pages = asyncio.run(read_pages(chosen))
    probabilities = cross_validate(pages)
    figures = report(pages, probabilities)
    if chosen.train:
        provenance = {
            "pages": len(pages),
            "groups": len({page.group for page in pages}),
            "date": datetime.now(UTC).date().isoformat(),
            "command": "python benchmarks/browser_need.py --train models/rendering/rendering.json",
            "figures": figures,
        }
        replace(fit(pages), provenance=provenance).save(chosen.train)
    print(json.dumps(figures))


async def read_pages(chosen: Namespace) -> list[Page]:
    """All pages, in an order that does not depend on how long they take."""
    texts = RenderedTexts(chosen.cache / "browser-need.jsonl")
    async with miolo.Renderer(PAGE_OPTIONS, switches=OFFLINE) as renderer:
        pages = await read_labelled(chosen, texts, renderer)
    for name, facts in site_table(chosen.data).items():
        folder = unpack(chosen.data / "sites" / f"{name}.tar.xz", chosen.cache)
        pages += await read_posts(name, folder, facts["posts"], texts)
    return pages


async def read_labelled(
    chosen: Namespace, texts: RenderedTexts, renderer: miolo.Renderer
) -> list[Page]:
    """Labelled pages, except those of the exam, in all deliveries."""
    gate, pages = asyncio.Semaphore(CONCURRENT), []

    async def one(key: str, url: str, delivered: Delivered) -> Page | None:
        async with gate:
            source = miolo.HTML(delivered.run, url)
            text = await texts.text(f"{key}/{delivered.name}", renderer, source)
        served = miolo.Snapshot.from_html(delivered.served, url=url)
        return compare(delivered.name, site_of(url) or key, served, text)

    for folder, number in draw_pages(chosen):
        file = folder / f"{number}.html"
        url = json.loads(file.with_suffix(".json").read_text("utf-8"))["url"] or "about:blank"
        key, source = f"{folder.name}/{number}", decode_html(file.read_bytes(), "")
        extraction = miolo.extract_snapshot(miolo.Snapshot.from_html(source, url=url))
        article = [block.text for block in extraction.blocks if block.kept]
        ways = deliveries(source, article, zlib.crc32(key.encode()))
        read = await asyncio.gather(*(one(key, url, delivered) for delivered in ways))
        pages += [page for page in read if page]
    return pages


def draw_pages(chosen: Namespace) -> list[tuple[Path, str]]:
    """Folders and numbers of labelled pages."""
    pages = []
    for name in SETS:
        folder = unpack(chosen.data / "pages" / f"{name}.tar.xz", chosen.cache)
        labels = read_labels(chosen.data / "roles", name)
        pages += [(folder, number) for number, page in labels.items() if not page.exam]
    return random.Random(5).sample(pages, min(chosen.pages, len(pages)))


async def read_posts(
    name: str, folder: Path, posts: Sequence[str], texts: RenderedTexts
) -> list[Page]:
    """Posts of a site that is served on loopback."""
    gate = asyncio.Semaphore(CONCURRENT)
    options = miolo.RenderOptions(browser="always", egress=miolo.EgressPolicy("always"))
    with serve_folder(folder) as origin:
        async with miolo.Renderer(options, switches=OFFLINE) as renderer:

            async def one(post: str) -> Page | None:
                url = post_url(origin, post)
                async with gate:
                    served = await renderer.render(url, replace(options, browser="never"))
                    text = await texts.text(f"{name}/{post}", renderer, url)
                return compare(name, name, served, text)

            read = await asyncio.gather(*map(one, posts))
    return [page for page in read if page]


def compare(
    delivery: str, group: str, served: miolo.Snapshot, rendered_text: str | None
) -> Page | None:
    """A page, from its snapshot as served and the text of the rendered page."""
    if rendered_text is None:
        return None
    extraction = miolo.extract_snapshot(served)
    f1 = likeness(rendered_text, extraction.text)
    return Page(delivery, group, rendering_features(served, extraction), f1)


def fit(pages: Sequence[Page]) -> RenderingModel:
    """A model trained on these pages."""
    rows = np.array([page.row for page in pages])
    changed = np.array([page.is_changed for page in pages])
    return fit_logistic(RenderingModel, rows, changed, weights_of(pages, changed), STRENGTH)


def weights_of(pages: Sequence[Page], changed: np.ndarray) -> np.ndarray:
    """Weights of pages; a site with a hundred posts counts as two pages of other domains."""
    counts = Counter(page.group for page in pages)
    weights = np.array([min(1.0, 2 * len(DELIVERIES) / counts[page.group]) for page in pages])
    odds = CHANGED_SHARE / (1 - CHANGED_SHARE)
    return np.where(
        changed, weights * odds * weights[~changed].sum() / weights[changed].sum(), weights
    )


def cross_validate(pages: Sequence[Page]) -> np.ndarray:
    """Probability of each page, by a model trained on the pages of other groups."""
    groups = sorted({page.group for page in pages})
    random.Random(0).shuffle(groups)
    fold = {group: place % FOLDS for place, group in enumerate(groups)}
    probabilities = np.zeros(len(pages))
    for number in range(FOLDS):
        model = fit([page for page in pages if fold[page.group] != number])
        judged = [place for place, page in enumerate(pages) if fold[page.group] == number]
        probabilities[judged] = model.probabilities(np.array([pages[i].row for i in judged]))
    return probabilities


def report(pages: Sequence[Page], probabilities: np.ndarray) -> dict[str, float]:
    """Print a table of all deliveries and sites, and return the figures of the last line."""
    print(f"{'':24} pages changed rendered agreement")
    order = {name: place for place, name in enumerate(DELIVERIES)}
    pairs = list(zip(pages, probabilities.tolist(), strict=True))
    pairs.sort(key=lambda pair: (order.get(pair[0].delivery, 99), pair[0].delivery))
    for delivery, group in groupby(pairs, key=lambda pair: pair[0].delivery):
        print_row(delivery, list(group))
    posts = [pair for pair in pairs if pair[0].delivery not in order]
    print_row("all posts", posts)
    return {
        "agreement_posts": agreement(posts),
        "agreement_as_is": agreement([p for p in pairs if p[0].delivery == "as is"]),
        "rendered_posts": rendered_share(posts),
        "changed_posts": round(mean(page.is_changed for page, _ in posts), 3),
        "calibration_error": calibration_error(pairs),
        "pages": len(pages),
    }


def print_row(name: str, pairs: Sequence[tuple[Page, float]]) -> None:
    changed = mean(page.is_changed for page, _ in pairs)
    figures = f"{changed:7.3f} {rendered_share(pairs):8.3f} {agreement(pairs):9.3f}"
    print(f"{name:24} {len(pairs):5} {figures}")


def rendered_share(pairs: Iterable[tuple[Page, float]]) -> float:
    return round(mean(p > MAX_CHANGE for _, p in pairs), 3)


def agreement(pairs: Iterable[tuple[Page, float]]) -> float:
    """Mean F1 of the text of `browser="auto"` against that of the rendered page."""
    return round(mean(1.0 if p > MAX_CHANGE else page.f1 for page, p in pairs), 4)


def calibration_error(pairs: Sequence[tuple[Page, float]]) -> float:
    """Mean difference between probability and share of changed pages, over ten bins."""
    return round(sum(map(abs, deviations(pairs))) / len(pairs), 4)


def deviations(pairs: Sequence[tuple[Page, float]]) -> Iterator[float]:
    """Sums of the differences between probability and outcome, one for each of ten bins."""
    by_tenth = sorted(pairs, key=lambda pair: int(10 * pair[1]))
    for _, group in groupby(by_tenth, key=lambda pair: int(10 * pair[1])):
        yield sum(p - page.is_changed for page, p in group)


if __name__ == "__main__":
    main()
