"""Pages and sites with their truth to an article model.

Rendered pages come from saved snapshots; each page is also learned as plain HTML that no
browser has laid out, so that the model holds without geometry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ..errors import MioloError, NoPages
from ..features.article.blocks import article_blocks
from ..features.article.features import block_features
from ..models.article.conventions import CONVENTIONS, LESSONS, Convention
from ..models.article.forest import Forest
from ..models.article.model import ArticleModel
from ..models.article.samples import Sample, label
from ..models.article.training import Learn, TrainingOptions, train_article, train_general
from ..models.kinds.model import ARTICLE, KindModel
from ..models.kinds.training import KindPages, train_kinds
from ..renderer.snapshot import Snapshot
from .evaluation.case import Case

__all__ = [
    "GENERAL_KINDS",
    "Curriculum",
    "feature_names",
    "general_forest",
    "kinds_of_pages",
    "label_cases",
    "labelled_page",
    "train_cases",
]

Tell = Callable[[str], None]


GENERAL_KINDS = ("article", "documentation", "service")
"""Kinds of page that the general forest learns from: those whose content is one text."""


@dataclass(frozen=True)
class Curriculum:
    """Labelled pages to train on."""

    pages: tuple[Sample, ...]

    def without(self, groups: Iterable[str]) -> Curriculum:
        """The same without the pages of some domains and sites."""
        held_out = frozenset(groups)
        return Curriculum(tuple(page for page in self.pages if page.group not in held_out))

    def general(self) -> Curriculum:
        """Pages for the general forest: of no domain or site that another convention knows."""
        others = self.without(page.group for page in self.pages if page.convention != "page")
        return Curriculum(tuple(page for page in others.pages if page.kind in GENERAL_KINDS))

    def set_aside(self, options: TrainingOptions) -> dict[str, int]:
        """Pages of each set whose truth cannot be aligned, and so are not learned from."""
        lost: dict[str, int] = {}
        for page in self.pages:
            lost[page.set] = lost.get(page.set, 0) + (page.explained < options.min_explained)
        return lost


def feature_names() -> tuple[str, ...]:
    """Names of the features that a model is trained on."""
    return block_features(article_blocks(Snapshot.from_html("<p>text</p>"))).names


def label_cases(
    cases: Sequence[Case], *, static: bool, tell: Tell, advance: Callable[[], None]
) -> tuple[Sample, ...]:
    """Label pages by their truth.

    Parameters
    ----------
    cases
        The pages.
    static
        Learn each page as plain HTML too, as far as that holds its text; pages of all kinds are
        many enough, and learned as rendered alone.
    tell
        Called with a sentence for every page that cannot be read.
    advance
        Called after every page.
    """
    samples: list[Sample] = []
    for case in cases:
        try:
            pages = [Snapshot.load(case.saved)]
            # The HTML of a page that scripts fill says nothing.
            if static and case.convention != "page" and not case.path.endswith(".md"):
                pages.append(Snapshot.from_html(case.source.read_bytes(), url=case.url))
            samples += [labelled_page(page, case) for page in pages]
        except (MioloError, OSError) as error:
            tell(f"{case.set}/{case.id} is left out: {error}")
        advance()
    return tuple(samples)


def labelled_page(page: Snapshot, case: Case) -> Sample:
    """Label a page by its truth."""
    return label(
        page,
        case.text,
        set=case.set,
        group=case.group,
        convention=case.convention,
        kind=case.kind,
    )


def train_cases(
    curriculum: Curriculum,
    options: TrainingOptions,
    provenance: dict[str, Any],
    tell: Tell,
    general: Forest | None = None,
    conventions: Sequence[Convention] = CONVENTIONS,
    learn: Learn | None = None,
) -> ArticleModel:
    """Train a model.

    Parameters
    ----------
    curriculum
        What to learn from.
    options
        How.
    provenance
        What to note beside the numbers.
    tell
        Called with a sentence as the work goes on.
    general
        The general forest, where it is trained already.
    conventions
        Those to learn; see `conventions`.
    learn
        See `train_article`.

    Raises
    ------
    NoPages
        There is nothing to learn from.
    """
    if not any(page.body.any() for page in curriculum.pages):
        raise NoPages("no page to train on has a text that its truth says")
    if general is None and any(LESSONS[convention].general for convention in conventions):
        general = general_forest(curriculum, options, tell)
    model = train_article(
        feature_names(), curriculum.pages, general, options, conventions, tell, learn
    )
    told = {
        "date": datetime.now(UTC).date().isoformat(),
        "pages": _counts(curriculum.pages),
        "general_pages": _counts(curriculum.general().pages),
        "set_aside": curriculum.set_aside(options),
    }
    return replace(model, provenance=told | model.provenance | provenance)


def general_forest(curriculum: Curriculum, options: TrainingOptions, tell: Tell) -> Forest | None:
    """The forest that knows what an article is; None where no page can teach it."""
    pages = curriculum.general().pages
    tell(f"general forest of {len(pages)} pages")
    return train_general(pages, options) if pages else None


def kinds_of_pages(curriculum: Curriculum) -> KindModel | None:
    """What tells an article from other kinds of page; None where no other kind can teach it."""
    pages = curriculum.pages
    if not {ARTICLE} < {page.kind for page in pages}:
        return None
    return train_kinds(
        KindPages(
            rows=np.stack([page.page for page in pages]),
            kinds=np.array([page.kind for page in pages]),
            sites=np.array([page.group for page in pages]),
            weights=np.ones(len(pages)),
        )
    )


def _counts(samples: Sequence[Sample]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for page in samples:
        counts[page.set] = counts.get(page.set, 0) + 1
    return counts
