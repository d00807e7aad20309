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
from miolo.models.article.forest import Forest
from miolo.models.article.model import ArticleModel
from miolo.models.article.samples import Sample
from miolo.models.article.training import TrainingOptions, group_folds, train_article
from miolo.renderer.snapshot import Snapshot

NAMES = feature_names()

AROUND = ("up", "core", "alike", "beside", "cousins", "around", "prev", "next", "prose_", "under")
"""Beginnings of the names of features that tell of other blocks than the one judged."""

Change = Callable[[Sample], Sample]


def as_it_is(page: Sample) -> Sample:
    """No change."""
    return page


@dataclass(frozen=True)
class Variant:
    """A model with a part left out.

    Attributes
    ----------
    name
        What is left out.
    change
        What is done to the features of every page, learned from or judged.
    taught_as
        What is done to the labels of a page that is learned from.
    general
        Whether there is a general forest.
    context
        Whether the second stage decides.
    options
        How it is trained.
    """

    name: str
    change: Change = as_it_is
    taught_as: Change = as_it_is
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
    """Posts of sites among the news."""
    return page if page.convention == "page" else replace(page, convention="news")


def not_posts(page: Sample) -> Sample:
    """Posts of sites where no news learn from them."""
    return replace(page, convention="page") if page.convention == "full" else page


VARIANTS = (
    Variant("nothing"),
    Variant("second stage", context=False),
    Variant("general forest", general=False),
    Variant("doubted pages set aside", options=TrainingOptions(doubted=np.inf)),
    Variant("conventions apart", taught_as=as_news),
    Variant("posts of sites", taught_as=not_posts),
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


@dataclass
class Study:
    """Models of all variants, each trained once; none has seen the fold that it is to judge.

    Attributes
    ----------
    lessons
        Pages to learn from.
    groups
        Domain or site of each page to judge.
    asked
        Conventions to learn.
    folds
        How many.
    forests
        General forests by what was done to the pages; no other part changes them.
    """

    lessons: Curriculum
    groups: list[str]
    asked: tuple[Convention, ...]
    folds: int
    forests: dict[Change, Forest | None]
    _trained: dict[object, list[ArticleModel]] = field(default_factory=dict)

    def score(self, variant: Variant, pages: list[Judged]) -> SetScore:
        """Score of pages, which are those of `groups`, by models that have not seen them."""
        models, fold_of = self._models(variant), group_folds(self.groups, self.folds)
        return score_set(
            shingle_score(page.truth, answer(models[fold], variant, page))
            for page, fold in zip(pages, fold_of.tolist(), strict=True)
        )

    def _models(self, variant: Variant) -> list[ArticleModel]:
        key = (variant.change, variant.taught_as, variant.general, variant.options)
        if key not in self._trained:
            self._trained[key] = self._train(variant)
        return self._trained[key]

    def _train(self, variant: Variant) -> list[ArticleModel]:
        pages = Curriculum(tuple(variant.change(page) for page in self.lessons.pages))
        forest = self._general(variant, pages) if variant.general else None
        taught = Curriculum(tuple(variant.taught_as(page) for page in pages.pages))
        fold_of = group_folds(self.groups, self.folds)
        models = []
        for fold in range(self.folds):
            judged = [group for group, of in zip(self.groups, fold_of, strict=True) if of == fold]
            unseen = taught.without(judged).pages
            models.append(train_article(NAMES, unseen, forest, variant.options, self.asked))
        return models

    def _general(self, variant: Variant, pages: Curriculum) -> Forest | None:
        if variant.change not in self.forests:
            forest = general_forest(pages, variant.options, tell)
            self.forests[variant.change] = forest
        return self.forests[variant.change]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--folds", type=int, default=3)
    options.add_argument("--only", help="parts to leave out, with commas; all without")
    chosen = options.parse_args()
    names = chosen.only.split(",") if chosen.only else [variant.name for variant in VARIANTS]
    found = cases(chosen.data, chosen.cache)
    forests: dict[Change, Forest | None] = {}
    figures: dict[str, dict[str, float]] = {}

    def study(pages: list[Judged], convention: Convention, *, static: bool) -> Study:
        lessons = Curriculum(labelled(found, static=static))
        groups = [each.page.group for each in pages]
        return Study(lessons, groups, (convention,), chosen.folds, forests)

    def tell_score(name: str, score: SetScore) -> None:
        figures[name] = {key: round(value, 4) for key, value in vars(score).items()}
        print(f"{name:36} {score.f1:.4f} {score.exact:.3f}", flush=True)

    news = [read(c, Snapshot.load(c.saved)) for c in found if c.convention == "news"]
    of_news = study(news, "news", static=False)
    for variant in (variant for variant in VARIANTS if variant.name in names):
        tell_score(f"without {variant.name}", of_news.score(variant, news))
    posts = [case for case in found if case.site and not case.path.endswith(".md")]
    rendered = [read(case, Snapshot.load(case.saved)) for case in posts]
    plain = [read(c, Snapshot.from_html(c.source.read_bytes(), url=c.url)) for c in posts]
    of_posts = study(rendered, "full", static=True)
    tell_score("posts, rendered", of_posts.score(VARIANTS[0], rendered))
    tell_score("posts, plain HTML", of_posts.score(VARIANTS[0], plain))
    print(json.dumps(figures))


def read(case: Case, snapshot: Snapshot) -> Judged:
    page = labelled_page(snapshot, case)
    return Judged(page, article_blocks(snapshot).texts, case.text)


def answer(model: ArticleModel, variant: Variant, judged: Judged) -> str:
    page = variant.change(judged.page)
    features = BlockFeatures(NAMES, page.values, -1, page.words, page.groups)
    found = model.judge(features, page.convention)
    probability = found.probability if variant.context else found.first
    body = without_repeats(judged.texts, page.words, probability >= found.threshold)
    return "\n".join(text for text, kept in zip(judged.texts, body, strict=True) if kept)


if __name__ == "__main__":
    main()
