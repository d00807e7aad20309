"""Training of a reader and of a model of page kinds from labelled pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ...errors import MioloError
from ...features.article.features import block_features
from ...features.blocks import article_blocks
from ...models.article.model import Reader
from ...models.article.samples import LabelledPage, PageTruth, label_page
from ...models.article.training import TrainingOptions, train_reader
from ...models.kinds.model import ARTICLE, KindModel, train_kinds
from ...renderer.page.snapshot import Snapshot
from ..case import Case

Report = Callable[[str], None]


def feature_names() -> tuple[str, ...]:
    """Names of the features that a reader is trained on."""
    return block_features(article_blocks(Snapshot.from_html("<p>text</p>"))).names


def label_cases(
    cases: Sequence[Case],
    *,
    plain: bool,
    report: Report,
    advance: Callable[[], None] = lambda: None,
) -> list[LabelledPage]:
    """Label pages by their truth; with `plain`, those with known roles also as plain HTML.

    Every page that cannot be read is reported.
    """
    pages: list[LabelledPage] = []
    for case in cases:
        try:
            page = label_case(case, Snapshot.load(case.saved))
            if plain and page.has_roles:
                html = Snapshot.from_html(case.source.read_bytes(), url=case.url)
                page = replace(page, plain=label_case(case, html))
            pages.append(page)
        except (MioloError, OSError) as error:
            report(f"{case.set}/{case.id} is skipped: {error}")
        advance()
    return pages


def label_case(case: Case, snapshot: Snapshot) -> LabelledPage:
    """Label a page by its roles if they are known, otherwise by its text."""
    blocks = None if case.labels is None else case.labels.blocks
    truth = PageTruth(blocks, case.text)
    return label_page(snapshot, truth, set=case.set, id=case.id, group=case.group, kind=case.kind)


def train_cases(
    pages: Sequence[LabelledPage],
    options: TrainingOptions,
    provenance: dict[str, Any],
    report: Report,
    start: Reader | None = None,
) -> Reader:
    """Train a reader, or one further, and record its training pages as its provenance."""
    reader = train_reader(feature_names(), pages, options, start=start, report=report)
    set_aside = [page for page in pages if page.explained < options.min_explained]
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "pages": dict(Counter(page.set for page in pages)),
        "set_aside": dict(Counter(page.set for page in set_aside)),
        "domains": len({page.group for page in pages}),
    }
    return replace(reader, provenance=about | provenance)


def kinds_of_pages(pages: Sequence[LabelledPage]) -> KindModel | None:
    """Model that separates articles from other kinds of page; None without pages of other kinds."""
    if not {ARTICLE} < {page.kind for page in pages}:
        return None
    return train_kinds(
        np.stack([page.kind_features for page in pages]),
        np.array([page.kind for page in pages]),
        np.ones(len(pages)),
    )
