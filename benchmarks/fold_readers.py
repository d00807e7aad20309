"""Readers of folds: each was trained on the pages of other domains, with less effort than the
shipped one. The model of confidence learns from what they say of pages that they have not seen.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from miolo.evaluate.training.article_reader import kinds_of_pages, train_cases
from miolo.models.article.model import Reader
from miolo.models.article.samples import LabelledPage
from miolo.models.article.training import TrainingOptions, group_folds
from miolo.models.kinds.model import shipped_kind_model

FOLDS = 3
OPTIONS = TrainingOptions(epochs=8, networks=1, plain=0.5)
PROCESSES = 2
SOURCES = "platforms/"
"""Beginning of the groups of the pages of platforms."""


@dataclass(frozen=True)
class FoldReaders:
    """A reader for each fold of the pages, and the fold of each page by ``set/id``."""

    readers: Sequence[Reader]
    folds: Mapping[str, int]

    def fold_of(self, set_: str, id_: str) -> int:
        """Number of the reader that has not learned from a page; -1 if no reader has."""
        return self.folds.get(f"{set_}/{id_}", -1)

    def fold_of_source(self, source: str) -> int:
        """The same for the pages of a platform's sites, by their source."""
        return self.folds.get(f"{SOURCES}{source}", -1)

    def save(self, folder: Path) -> None:
        """Write the readers and the folds into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for number, reader in enumerate(self.readers):
            reader.save(folder / f"fold{number}.npz")
        (folder / "folds.json").write_text(json.dumps(dict(self.folds)), "utf-8")

    @classmethod
    def load(cls, folder: Path) -> FoldReaders:
        """Read a folder that `save` has written."""
        folds = json.loads((folder / "folds.json").read_text("utf-8"))
        return cls([Reader.load(folder / f"fold{number}.npz") for number in range(FOLDS)], folds)


def train_fold_readers(pages: Sequence[LabelledPage]) -> FoldReaders:
    """Train a reader for each fold of labelled pages, whose groups are not divided."""
    numbers = group_folds([page.group for page in pages], FOLDS).tolist()
    _Work.pages, _Work.folds = pages, numbers
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(PROCESSES, mp_context=fork) as pool:
        readers = list(pool.map(_Work.train, range(FOLDS)))
    _Work.pages = ()
    folds = {}
    for page, number in zip(pages, numbers, strict=True):
        folds[f"{page.set}/{page.id}"] = number
        if page.set.startswith("platforms"):
            folds[SOURCES + page.group.removeprefix(SOURCES)] = number
    return FoldReaders(readers, folds)


class _Work:
    """Work in processes, which inherit the pages instead of receiving them."""

    pages: ClassVar[Sequence[LabelledPage]] = ()
    folds: ClassVar[Sequence[int]] = ()

    @classmethod
    def train(cls, fold: int) -> Reader:
        """A reader, and its model of kinds, trained on the pages of the other folds."""
        pages = [p for p, of in zip(cls.pages, cls.folds, strict=True) if of != fold]
        reader = train_cases(pages, OPTIONS, {}, partial(_report, fold))
        kinds = kinds_of_pages(pages)
        if kinds is not None:
            kinds = replace(kinds, threshold=shipped_kind_model().threshold)
        return replace(reader, kinds=kinds)


def _report(fold: int, line: str) -> None:
    print(f"fold {fold}: {line}", file=sys.stderr, flush=True)
