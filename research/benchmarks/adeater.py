"""Detection of advertisements among linked images, learned from the images of other sites.

    python benchmarks/adeater.py [--choose] [--save models/images/adeater.json]

The labels come from the words in class names and ids, which the classifier does not see, on
single pages of `pages/`; only pages that name an advertisement count. Each site is judged by a
tree trained on the others. The model is also judged on the local site, whose labels are certain,
and by its false alarms on the 17 whole sites, whose markup names no advertisement.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import miolo
from adeater_pages import Sites, labelled_sites, local_pages
from corpus import parser, rendered_posts, site_table
from miolo_research.adeater.images import FIELDS, page_images
from miolo_research.adeater.model import AdModel
from miolo_research.adeater.training import AdSetting, LabelledImages, train_ads

NO_PAGE = tuple(field for field in FIELDS if field != "page")
OURS = AdSetting(min_count=10, min_sites=3, fields=NO_PAGE, min_leaf=3, pruning=0.002)
POSTS = 10


@dataclass(frozen=True)
class Scores:
    """Counts of one test: images, advertisements, images judged to be one, and correct ones."""

    images: int = 0
    ads: int = 0
    judged: int = 0
    hits: int = 0

    def __add__(self, other: Scores) -> Scores:
        pairs = zip(self.counts(), other.counts(), strict=True)
        return Scores(*(a + b for a, b in pairs))

    def counts(self) -> tuple[int, int, int, int]:
        """The four counts."""
        return self.images, self.ads, self.judged, self.hits

    @property
    def precision(self) -> float:
        """Share of the images judged advertisements that are advertisements."""
        return self.hits / max(1, self.judged)

    @property
    def recall(self) -> float:
        """Share of the advertisements that are judged advertisements."""
        return self.hits / max(1, self.ads)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.hits / max(1, self.judged + self.ads)

    @property
    def accuracy(self) -> float:
        """Share of all images that are judged correctly."""
        return 1 - (self.judged + self.ads - 2 * self.hits) / max(1, self.images)

    @property
    def majority(self) -> float:
        """Accuracy of judging every image to be of the majority class."""
        return max(self.ads, self.images - self.ads) / max(1, self.images)


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--choose", action="store_true", help="compare settings")
    options.add_argument("--save", type=Path, help="where to write the model of all sites")
    chosen = options.parse_args()
    sites = labelled_sites(chosen.data, chosen.cache)
    if chosen.choose:
        choose(sites)
    model = train_ads(all_pages(sites), OURS)
    tests = {
        "seen in training": score_images(all_pages(sites), model),
        "real sites, each by the others": left_out(sites, OURS),
        "local site": score_images(local_pages(), model),
        "whole sites": whole_sites(chosen.data, chosen.cache, model),
    }
    log(sites, tests)
    print(f"\n{model}; rules for advertisements:")
    print("\n".join(f"  {rule}" for rule in model.rules() if ": an advertisement" in rule))
    figures = {name: summary(scores) for name, scores in tests.items()}
    if chosen.save:
        save(model, chosen.save, sites, figures)
    print(json.dumps(figures))


def all_pages(sites: Sites) -> list[LabelledImages]:
    return [page for pages in sites.values() for page in pages]


def left_out(sites: Sites, setting: AdSetting) -> Scores:
    """Scores of each site, judged by a tree trained on the others."""
    total = Scores()
    for name, pages in sites.items():
        rest = {other: sites[other] for other in sites if other != name}
        total += score_images(pages, train_ads(all_pages(rest), setting))
    return total


def score_images(pages: Sequence[LabelledImages], model: AdModel) -> Scores:
    total = Scores()
    for page in pages:
        is_ad = model.judge(page.images).ad
        total += Scores(len(is_ad), int(page.ad.sum()), int(is_ad.sum()), int(is_ad[page.ad].sum()))
    return total


def whole_sites(data: Path, cache: Path, model: AdModel) -> Scores:
    """Scores on posts of sites without named advertisements, where all detections are false."""
    total = Scores()
    for name, facts in site_table(data).items():
        for file in asyncio.run(rendered_posts(data, cache, name, facts["posts"][:POSTS])):
            if file is not None:
                images = page_images(miolo.Snapshot.load(file))
                is_ad = model.judge(images.take(images.links >= 0)).ad
                total += Scores(len(is_ad), 0, int(is_ad.sum()), 0)
    return total


def choose(sites: Sites) -> None:
    """Compare settings on the real sites, each judged by a tree trained on the others."""
    print("fields        min_count min_sites min_leaf pruning   P     R     F1")
    grid = itertools.product((FIELDS, NO_PAGE), (5, 10), (1, 3), (2, 3, 5), (0.0, 0.002, 0.004))
    for fields, count, spread, leaf, pruning in grid:
        scores = left_out(sites, AdSetting(count, spread, fields, leaf, pruning))
        named = "all" if fields == FIELDS else "without page"
        print(
            f"{named:13} {count:9} {spread:9} {leaf:8} {pruning:7}   {shares(scores)}", flush=True
        )


def shares(scores: Scores) -> str:
    """Precision, recall and F1."""
    return f"{scores.precision:.3f} {scores.recall:.3f} {scores.f1:.3f}"


def log(sites: Sites, tests: dict[str, Scores]) -> None:
    print(f"\n{len(sites)} sites, {len(all_pages(sites))} pages")
    print(f"{'':32} images   ads  judged  hits      P     R    F1   accuracy  majority")
    for name, scores in tests.items():
        images, ads, ruled, hits = scores.counts()
        counts = f"{images:6} {ads:5} {ruled:7} {hits:5}"
        rest = f"{scores.accuracy:.3f}     {scores.majority:.3f}"
        print(f"{name:32} {counts}  {shares(scores)}      {rest}")


def summary(scores: Scores) -> dict[str, float]:
    measured = ("precision", "recall", "f1", "accuracy", "majority")
    return asdict(scores) | {name: round(getattr(scores, name), 4) for name in measured}


def save(model: AdModel, path: Path, sites: Sites, figures: dict[str, dict[str, float]]) -> None:
    """Write the model with its provenance."""
    provenance = {
        "sites": len(sites),
        "pages": len(all_pages(sites)),
        "setting": asdict(OURS),
        "date": datetime.now(UTC).date().isoformat(),
        "command": "python benchmarks/adeater.py --save models/images/adeater.json",
        "figures": figures,
    }
    replace(model, provenance=provenance).save(path)


if __name__ == "__main__":
    main()
