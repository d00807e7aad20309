"""Pages and sites with their truth to an article model.

Rendered pages come from saved snapshots; each page is also learned as plain HTML that no
browser has laid out, so that the model holds without geometry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ..errors import MioloError, NoPages
from ..features.article.blocks import article_blocks
from ..features.article.features import block_features
from ..models.article.forest import Forest
from ..models.article.model import ArticleModel
from ..models.article.samples import Sample, label
from ..models.article.training import TrainingOptions, train_article, train_general
from ..renderer.snapshot import Snapshot
from .evaluation.case import Case

__all__ = ["Curriculum", "feature_names", "label_cases", "labelled_page", "train_cases"]

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Curriculum:
    """Labelled pages to train on.

    Attributes
    ----------
    target
        Pages of the convention that is to be learned.
    general
        Other pages, whose conventions differ.
    """

    target: tuple[Sample, ...]
    general: tuple[Sample, ...] = ()

    def without(self, groups: Iterable[str]) -> Curriculum:
        """The same without the pages of some domains and sites."""
        held_out = frozenset(groups)
        return Curriculum(
            tuple(page for page in self.target if page.group not in held_out),
            tuple(page for page in self.general if page.group not in held_out),
        )

    def set_aside(self, options: TrainingOptions) -> dict[str, int]:
        """Pages of each set whose truth cannot be aligned, and so are not learned from."""
        lost: dict[str, int] = {}
        for page in (*self.target, *self.general):
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
        Learn each page as plain HTML too, as far as that holds its text.
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
            if static and not case.path.endswith(".md"):
                pages.append(Snapshot.from_html(case.source.read_bytes(), url=case.url))
            samples += [labelled_page(page, case) for page in pages]
        except (MioloError, OSError) as error:
            tell(f"{case.set}/{case.id} is left out: {error}")
        advance()
    return tuple(samples)


def labelled_page(page: Snapshot, case: Case) -> Sample:
    """Label a page by its truth: a post's is its source, a single page's what newsrooms count."""
    convention = "full" if case.site else "news"
    return label(page, case.text, set=case.set, group=case.group, convention=convention)


def train_cases(
    curriculum: Curriculum,
    options: TrainingOptions,
    provenance: dict[str, Any],
    tell: Tell,
    general: Forest | None = None,
) -> ArticleModel:
    """Train a model; the general forest sees no domain of the target.

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

    Raises
    ------
    NoPages
        There is nothing to learn from.
    """
    if not any(page.body.any() for page in curriculum.target):
        raise NoPages("no page to train on has a text that its truth says")
    if general is None and curriculum.general:
        tell(f"general forest of {len(curriculum.general)} pages")
        apart = curriculum.without(page.group for page in curriculum.target)
        general = train_general(apart.general, options)
    model = train_article(feature_names(), curriculum.target, general, options, tell)
    told = {
        "date": datetime.now(UTC).date().isoformat(),
        "pages": _counts(curriculum.target),
        "general_pages": _counts(curriculum.general),
        "set_aside": curriculum.set_aside(options),
    }
    return replace(model, provenance=told | model.provenance | provenance)


def _counts(samples: Sequence[Sample]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for page in samples:
        counts[page.set] = counts.get(page.set, 0) + 1
    return counts
