"""Corrected pages to a reader of the user's own, judged beside the shipped one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import EmptyInputError
from ...models.article.model import TEXT, Reader, probability_of, shipped_reader
from ...models.article.roles import PRESETS
from ...models.article.samples import LabelledPage
from ...models.article.training import TrainingOptions, group_folds, train_reader
from .corrections import CorrectedPage, corrected_page, read_corrections

__all__ = ["CorrectionsReport", "train_corrections"]

Report = Callable[[str], None]

FOLDS = 3

# The shipped reader is adapted, not replaced: few steps, and small ones.
ADAPTING = TrainingOptions(epochs=12, pages=4, rate=5e-4, dropped=0.05, plain=0)


@dataclass(frozen=True, eq=False)
class CorrectionsReport:
    """A reader, and how it does on pages that it has not seen.

    Attributes
    ----------
    model
        The shipped reader, trained further on all pages.
    pages, by_hand
        Pages, and blocks that a hand has labelled.
    shipped, own
        F1 of words of the text: of the shipped reader, and of readers trained further on pages of
        the other domains; None where there are too few of these.
    """

    model: Reader
    pages: int
    by_hand: int
    shipped: float
    own: float | None


def train_corrections(
    files: Sequence[Path], provenance: dict[str, Any], report: Report = lambda _: None
) -> CorrectionsReport:
    """Train the shipped reader further on corrected pages; all roles teach.

    Parameters
    ----------
    files
        Exported by the web page.
    provenance
        What to note beside the numbers.
    report
        Called with a sentence as the work goes on.

    Raises
    ------
    EmptyInputError
        There are fewer than two pages, or nothing in them to learn.
    MissingDependencyError
        `autograd` is not installed.
    ArchiveError
        A file is damaged, or another.
    """
    corrected = [read_corrections(file) for file in files]
    if len(corrected) < 2:
        raise EmptyInputError("corrections of two pages or more are needed: one judges the other")
    pages = _group([corrected_page(page) for page in corrected])
    model = replace(_adapt(pages, report), provenance=provenance)
    return CorrectionsReport(
        model,
        len(pages),
        _by_hand(corrected),
        _f1(pages, [shipped_reader()] * len(pages)),
        _out_of_fold(pages),
    )


def _by_hand(pages: Sequence[CorrectedPage]) -> int:
    return sum(label.by_hand for page in pages for label in page.labels)


def _group(pages: Sequence[LabelledPage]) -> tuple[LabelledPage, ...]:
    """Pages of one domain alone are held out one by one."""
    if len({page.group for page in pages}) > 1:
        return tuple(pages)
    return tuple(replace(page, group=f"{page.group} {number}") for number, page in enumerate(pages))


def _adapt(pages: Sequence[LabelledPage], report: Report) -> Reader:
    shipped = shipped_reader()
    return train_reader(shipped.names, pages, ADAPTING, start=shipped, report=report)


def _out_of_fold(pages: Sequence[LabelledPage]) -> float | None:
    """F1 of readers that were trained further on no page of a page's domain."""
    groups = [page.group for page in pages]
    if len(set(groups)) <= FOLDS:
        return None
    fold_of = group_folds(groups, FOLDS)
    readers = [
        _adapt([p for p, of in zip(pages, fold_of, strict=True) if of != fold], lambda _: None)
        for fold in range(FOLDS)
    ]
    return _f1(pages, [readers[fold] for fold in fold_of.tolist()])


def _f1(pages: Sequence[LabelledPage], readers: Sequence[Reader]) -> float:
    """Of words of the default preset, all pages together."""
    hit = answered = true = 0.0
    for page, reader in zip(pages, readers, strict=True):
        probability = probability_of(reader.read(page.features).roles, PRESETS["article"])
        answer, truth = probability >= 0.5, np.isin(page.roles, TEXT)
        hit += float(page.features.words[answer & truth].sum())
        answered += float(page.features.words[answer].sum())
        true += float(page.features.words[truth].sum())
    return 2 * hit / max(answered + true, 1e-9)
