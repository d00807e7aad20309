"""Training of a template model from Parquet files of labelled nodes, with cross-site scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...collect.parquet import parquet
from ...errors import ArchiveError, EmptyInputError
from ...features.layout import LAYOUT_FEATURES
from ...features.template import TEMPLATE_FEATURES
from ...models.templates.model import (
    FeatureSet,
    SiteRows,
    TemplateModel,
    TemplateSetting,
    train_template,
)

PARQUET = b"PAR1"
"""First bytes of a Parquet file."""


@dataclass(frozen=True, eq=False)
class LabelledSite:
    """One site of the files: its rows, and the page, node and scored parent of each row."""

    rows: SiteRows
    page: NDArray[np.int64]
    id: NDArray[np.int64]
    scored_parent: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TrainingReport:
    """A model, and for each site the scores of a model trained on the other sites."""

    model: TemplateModel
    by_site: dict[str, TemplateReport]


def train_files(
    files: Sequence[Path], setting: TemplateSetting, provenance: dict[str, Any]
) -> TrainingReport:
    """Train on labelled nodes, and judge each site by a model trained on the other sites."""
    sites = _read_page(files, setting.features)
    try:
        model = train_template([site.rows for site in sites], setting)
    except ValueError as error:
        raise EmptyInputError(f"the model cannot be trained: {error}") from None
    scores = {}
    for site in sites if len(sites) > 1 else ():
        rest = [other.rows for other in sites if other is not site]
        with suppress(ValueError):  # the other sites may have only one class
            scores[site.rows.site] = _scores(train_template(rest, setting), site)
    about = {
        "sites": [site.rows.site for site in sites],
        "pages": sum(len(np.unique(site.page)) for site in sites),
        "nodes": sum(len(site.rows.area) for site in sites),
        "date": datetime.now(UTC).date().isoformat(),
        "content_f1_of_labels_by_site": {
            name: round(report.content.f1, 4) for name, report in scores.items()
        },
    }
    return TrainingReport(replace(model, provenance=about | provenance), scores)


def _read_page(files: Sequence[Path], features: FeatureSet) -> list[LabelledSite]:
    pyarrow, module = parquet()
    if features == "layout":
        columns = [f"layout_{name}" for name in LAYOUT_FEATURES]
    else:
        margins = ("x", "y") if features == "report-pixels" else TEMPLATE_FEATURES[:2]
        columns = [*margins, *TEMPLATE_FEATURES[2:]]
    needed = ["site", "page", "id", "scored_parent", "area", "template"]
    sites = []
    for file in files:
        with file.open("rb") as source:
            try:
                if source.read(len(PARQUET)) != PARQUET:
                    raise ValueError("it is not a Parquet file")
                source.seek(0)
                table = module.read_table(
                    source, columns=[*needed, *columns], filters=[("area", ">", 0.0)]
                )
            except (pyarrow.ArrowException, OSError, KeyError, ValueError) as error:
                raise ArchiveError(f"{file} is not a file of labelled nodes ({error})") from None
        names = np.array(table["site"].to_pylist(), object)
        for name in sorted(set(names)):
            rows = table.filter(pyarrow.array(names == name))
            is_repeated = any(site.rows.site == name for site in sites)
            sites.append(_site(rows, f"{name} ({file})" if is_repeated else name, columns))
    return sites


def _site(table: Any, name: str, columns: list[str]) -> LabelledSite:
    def column(name: str) -> NDArray[Any]:
        return table[name].to_numpy()

    features = np.column_stack([column(name).astype(np.float64) for name in columns])
    rows = SiteRows(name, column("area"), features, column("template").astype(bool))
    return LabelledSite(
        rows, *(column(n).astype(np.int64) for n in ("page", "id", "scored_parent"))
    )


def _scores(model: TemplateModel, site: LabelledSite) -> TemplateReport:
    def pages() -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
        for page in np.unique(site.page).tolist():
            (rows,) = np.nonzero(site.page == page)
            ids, above = site.id[rows], site.scored_parent[rows]
            parent = np.where(above >= 0, np.searchsorted(ids, above), -1)
            raw = model.probabilities(site.rows.area[rows], site.rows.features[rows])
            smoothed = model.smooth(parent, raw)
            yield site.rows.template[rows], model.decide(parent, raw, smoothed)

    return macro_scores(pages())


@dataclass(frozen=True)
class ClassScores:
    """Macro-averages over pages."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class TemplateReport:
    """Scores of both classes, since a constant prediction scores well on the larger class."""

    template: ClassScores
    content: ClassScores
    pages: int


def macro_scores(
    pages: Iterable[tuple[NDArray[np.bool_], NDArray[np.bool_]]],
) -> TemplateReport:
    """Average the scores over pages, given as true and predicted template nodes, bool, shape (m,).

    If a class is neither present nor predicted on a page, its scores are 1, because an empty answer
    is correct there.
    """
    rows = [
        (_class_scores(true, predicted), _class_scores(~true, ~predicted))
        for true, predicted in pages
    ]
    if not rows:
        raise ValueError("there are no pages to score")
    template, content = np.mean(np.array(rows), axis=0).tolist()
    return TemplateReport(ClassScores(*template), ClassScores(*content), len(rows))


def _class_scores(
    true: NDArray[np.bool_], predicted: NDArray[np.bool_]
) -> tuple[float, float, float]:
    both, predictions, there = int((true & predicted).sum()), int(predicted.sum()), int(true.sum())
    if not predictions and not there:
        return 1.0, 1.0, 1.0
    precision, recall = both / max(1, predictions), both / max(1, there)
    return precision, recall, 2 * both / (predictions + there)
