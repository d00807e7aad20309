"""What each part of `auto` gives: the same folds with one part left out at a time.

    python benchmarks/ablation.py [--folds 3] [--only "look and geometry,tree and neighbours"]

Pages of news2023 and publishers, in folds by domain; trained and judged as `miolo evaluate --folds`
does, on blocks alone: layers over the page and what browsers hide count like other text. Then the
posts of sites by the full convention, as rendered with their style sheets and as plain HTML that no
browser has laid out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from article import cases, labelled, tell
from corpus import parser
from miolo.extract.evaluation.case import Case
from miolo.extract.scoring import SetScore, score_set, shingle_score
from miolo.extract.train_article import (
    Curriculum,
    feature_names,
    general_forest,
    labelled_page,
)
from miolo.features.article.blocks import article_blocks
from miolo.features.article.features import BlockFeatures
from miolo.models.article.conventions import Convention
from miolo.models.article.decision import without_repeats
from miolo.models.article.model import ArticleModel
from miolo.models.article.samples import Sample
from miolo.models.article.training import TrainingOptions, group_folds, train_article
from miolo.renderer.snapshot import Snapshot

NAMES = feature_names()

AROUND = ("up", "core", "alike", "beside", "cousins", "around", "prev", "next", "prose_", "under")
"""Beginnings of the names of features that tell of other blocks than the one judged."""

Change = Callable[[Sample], Sample]


@dataclass(frozen=True)
class Variant:
    """A model with a part left out.

    Attributes
    ----------
    name
        What is left out.
    change
        What is done to every page, learned from or judged.
    general
        Whether there is a general forest.
    context
        Whether the second stage decides.
    options
        How it is trained.
    """

    name: str
    change: Change = lambda page: page
    general: bool = True
    context: bool = True
    options: TrainingOptions = field(default_factory=TrainingOptions)


def without(*groups: str) -> Change:
    """Pages whose features of some groups are not known."""
    gone = np.array([name.startswith(groups) for name in NAMES])

    def change(page: Sample) -> Sample:
        return replace(page, values=np.where(gone, np.float32(np.nan), page.values))

    return change


def as_news(page: Sample) -> Sample:
    """Posts of sites among the news, and judged by what is learned of both."""
    return page if page.convention == "page" else replace(page, convention="news")


VARIANTS = (
    Variant("nothing"),
    Variant("second stage", context=False),
    Variant("general forest", general=False),
    Variant("doubted pages set aside", options=TrainingOptions(doubted=np.inf)),
    Variant("conventions apart", change=as_news),
    Variant("look and geometry", change=without("look.")),
    Variant("phrases and names", change=without("phrase.", "hint.", "within.", "said.")),
    Variant("tree and neighbours", change=without(*AROUND)),
)


@dataclass(frozen=True)
class Judged:
    """A page to judge: its features, its blocks' texts and its truth."""

    page: Sample
    texts: list[str]
    truth: str


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--folds", type=int, default=3)
    options.add_argument("--only", help="parts to leave out, with commas; all without")
    chosen = options.parse_args()
    names = chosen.only.split(",") if chosen.only else [variant.name for variant in VARIANTS]
    found = cases(chosen.data, chosen.cache)
    news = [read(c, Snapshot.load(c.saved)) for c in found if c.convention == "news"]
    posts = [case for case in found if case.site and not case.path.endswith(".md")]
    lessons = Curriculum(labelled(found, static=False))
    figures: dict[str, dict[str, float]] = {}

    def tell_reached(name: str, variant: Variant, taught: Curriculum, pages: list[Judged]) -> None:
        score = reached(variant, taught, pages, chosen.folds)
        figures[name] = {key: round(value, 4) for key, value in vars(score).items()}
        print(f"{name:36} {score.f1:.4f} {score.exact:.3f}", flush=True)

    for variant in (variant for variant in VARIANTS if variant.name in names):
        tell_reached(f"without {variant.name}", variant, lessons, news)
    lessons = Curriculum(labelled(found, static=True))
    rendered = [read(case, Snapshot.load(case.saved)) for case in posts]
    tell_reached("posts, rendered", VARIANTS[0], lessons, rendered)
    plain = [read(c, Snapshot.from_html(c.source.read_bytes(), url=c.url)) for c in posts]
    tell_reached("posts, plain HTML", VARIANTS[0], lessons, plain)
    print(json.dumps(figures))


def read(case: Case, snapshot: Snapshot) -> Judged:
    page = labelled_page(snapshot, case)
    return Judged(page, article_blocks(snapshot).texts, case.text)


def reached(variant: Variant, lessons: Curriculum, pages: list[Judged], folds: int) -> SetScore:
    """Score of pages by models that have seen none of their domain or site."""
    changed = Curriculum(tuple(variant.change(page) for page in lessons.pages))
    asked: set[Convention] = {variant.change(each.page).convention for each in pages}
    forest = general_forest(changed, variant.options, tell) if variant.general else None
    fold_of = group_folds([each.page.group for each in pages], folds)
    scores = []
    for fold in range(folds):
        judged = [each for each, of in zip(pages, fold_of, strict=True) if of == fold]
        taught = changed.without(each.page.group for each in judged)
        model = train_article(NAMES, taught.pages, forest, variant.options, tuple(asked))
        scores += [shingle_score(each.truth, answer(model, variant, each)) for each in judged]
    return score_set(scores)


def answer(model: ArticleModel, variant: Variant, judged: Judged) -> str:
    page = variant.change(judged.page)
    features = BlockFeatures(NAMES, page.values, -1, page.words, page.groups)
    found = model.judge(features, page.convention)
    probability = found.probability if variant.context else found.first
    body = without_repeats(judged.texts, page.words, probability >= found.threshold)
    return "\n".join(text for text, kept in zip(judged.texts, body, strict=True) if kept)


if __name__ == "__main__":
    main()
