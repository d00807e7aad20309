"""`Extraction.confidence`: how well it is calibrated, and how many wrong pages it finds.

    python benchmarks/confidence.py [--train models/confidence/confidence.json] [--readers FOLDER]

Every page is read by a reader that was not trained on it. Sets that the shipped reader was trained
on, as its provenance says, are read by readers trained on the pages of other domains, with fewer
networks and epochs than the shipped one, which are in the folder of `--readers`, or are written to
it; all others by the shipped reader. Labelled pages have no
style sheets and are read as served, pages of platforms as served and rendered, posts of sites
rendered. Some labelled pages are also read as pages that were captured too early, or that scripts
have cut, with the warnings of such pages; half of these are complete all the same. Others are read
from the data of their scripts, or as the shell that a server sends if scripts fill it.
Pages of an exam are left out. The confidence of each page is that of a model trained on other
domains and sites (ten folds). With `--train` a model trained on all pages is written.

*wrong found* is the share of the wrong pages (shingle F1 below .9) that are below the highest
threshold at which nine in ten pages are wrong.
"""

# ruff: noqa: E402

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import asyncio
import json
import multiprocessing
import random
import sys
import zlib
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import miolo
import numpy as np
from confidence_training import (
    JudgedPage,
    calibration_error,
    cross_validate,
    share_found,
    train_confidence,
)
from corpus import parser, unpack, unpack_sites
from delivered_pages import deliveries
from fold_readers import FoldReaders, train_fold_readers
from miolo.errors import PageWarning
from miolo.evaluate.case import Case
from miolo.evaluate.page_sets import page_cases
from miolo.evaluate.rendering import SITE_OPTIONS, render_missing
from miolo.evaluate.site_sets import site_cases
from miolo.evaluate.training.article_reader import label_case
from miolo.extract.confidence import extraction_features
from miolo.extract.methods.auto import METHOD
from miolo.extract.methods.method import Learned
from miolo.extract.pipeline import compose
from miolo.extract.scoring import scored_text, shingle_score
from miolo.extract.versions import extract_fullest
from miolo.models.article.model import Reader, shipped_reader
from miolo.models.article.roles import role_set
from miolo.models.article.samples import LabelledPage
from miolo.renderer.page.encoding import decode_html
from platform_cases import SET as PLATFORMS
from platform_cases import platform_cases

SETS = ("news2023", "publishers", "wcxb", "world")
POSTS = 6
"""Number of posts of each site."""

RENDERED = 3
"""Number of pages of each platform's site that are also rendered."""

SHELLS = ("client-rendered", "client-rendered page")
WAYS = {
    "shell": (SHELLS, ""),
    "from data": (SHELLS, ""),
    "captured too early": (("partly client-rendered", *SHELLS), "unsettled"),
    "cut by scripts": (("paywall",), "wiped"),
}
"""Ways of reading a labelled page: how it is delivered, and the warning of its capture."""

READ_SHARE, WAY_SHARE = 0.55, 0.06
"""Shares of the pages of these sets that are read as served, and in each of these ways."""

PRECISION = 0.9
PROCESSES = 2
CHUNK = 20

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class Task:
    """A page to read: its case, how it is read, and the number of its reader; -1 is shipped."""

    case: Case
    way: str
    reader: int = -1


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--pages", type=int, default=1500, help="labelled pages")
    options.add_argument("--train", type=Path, help="write the model to this file")
    options.add_argument("--rows", type=Path, help="file of the judged pages, read if it exists")
    options.add_argument("--readers", type=Path, help="folder of the readers of folds")
    chosen = options.parse_args()
    if chosen.rows and chosen.rows.exists():
        pages = [_page(json.loads(line)) for line in chosen.rows.read_text("utf-8").splitlines()]
    else:
        pages = judge(chosen)
        if chosen.rows:
            lines = [json.dumps(asdict(p) | {"row": p.row.tolist()}) + "\n" for p in pages]
            chosen.rows.write_text("".join(lines), "utf-8")
    figures = summary(pages, cross_validate(pages))
    if chosen.train:
        provenance = {
            "pages": len(pages),
            "groups": len({page.group for page in pages}),
            "reader": shipped_reader().provenance.get("date"),
            "date": datetime.now(UTC).date().isoformat(),
            "command": "python benchmarks/confidence.py --train models/confidence/confidence.json",
            "figures": figures,
        }
        replace(train_confidence(pages), provenance=provenance).save(chosen.train)
    print(json.dumps(figures))


def _page(values: dict[str, Any]) -> JudgedPage:
    row = np.array(values.pop("row"), float)
    return JudgedPage(row=row, **values)


def report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def judge(chosen: Namespace) -> list[JudgedPage]:
    """Read some of the pages, in all ways."""
    labelled, platforms = labelled_cases(chosen), platform_cases(chosen.data, chosen.cache)
    rendered = rendered_cases(chosen)
    learned = {*shipped_reader().provenance["pages"], PLATFORMS}
    seen = [case for case in (*labelled, *platforms) if case.set in learned]
    folds = fold_readers(seen, chosen.readers)
    Work.readers = folds.readers
    number = {(case.set, case.id): _fold_of(folds, case) for case in seen}
    number = {key: fold for key, fold in number.items() if fold >= 0}
    tasks = [
        *(Task(case, "as served") for case in labelled if _is_drawn(case, READ_SHARE)),
        *(
            Task(case, way)
            for way in WAYS
            for case in labelled
            if case.labels and _is_drawn(case, WAY_SHARE, way)
        ),
        *(Task(case, "as served") for case in platforms),
        *(Task(case, "rendered") for case in rendered),
    ]
    tasks = [
        replace(task, reader=number.get((task.case.set, task.case.id), -1))
        for task in tasks
        if task.case.set not in learned or (task.case.set, task.case.id) in number
    ]
    report(f"{len(tasks)} pages to read")
    return [page for page in run(Work.read, tasks) if page is not None]


def fold_readers(seen: Sequence[Case], folder: Path | None) -> FoldReaders:
    """The readers of a folder, or readers trained on some of the pages."""
    if folder and (folder / "folds.json").exists():
        return FoldReaders.load(folder)
    pages = [page for page in run(Work.label, seen) if page is not None]
    report(f"{len(pages)} pages to learn from")
    folds = train_fold_readers(pages)
    if folder:
        folds.save(folder)
    return folds


def _fold_of(folds: FoldReaders, case: Case) -> int:
    is_platform = case.set == PLATFORMS
    return folds.fold_of_source(case.group) if is_platform else folds.fold_of(case.set, case.id)


def labelled_cases(chosen: Namespace) -> list[Case]:
    """Some labelled pages, and pages of other kinds with their texts; none of the exam."""
    folders = [unpack(chosen.data / "pages" / f"{name}.tar.xz", chosen.cache) for name in SETS]
    cases = page_cases(
        folders,
        chosen.cache,
        labels=chosen.data / "roles",
        unlabelled=True,
        exam=False,
        log=report,
    )
    return random.Random(0).sample(cases, min(chosen.pages, len(cases)))


def rendered_cases(chosen: Namespace) -> list[Case]:
    """Pages of platforms and posts of sites that a browser has rendered."""
    cases = platform_cases(chosen.data, chosen.cache, RENDERED)
    folder = unpack_sites(chosen.data, chosen.cache)
    for site in site_cases(folder, chosen.cache, posts=POSTS, log=report):
        cases += site.judged
    asyncio.run(render_missing(cases, SITE_OPTIONS, log=report))
    return [case for case in cases if case.saved.exists()]


def _is_drawn(case: Case, share: float, way: str = "") -> bool:
    """Whether a page is in a random sample that does not depend on the other pages."""
    return zlib.crc32(f"{way}{case.set}/{case.id}".encode()) % 1000 < 1000 * share


class Work:
    """Work in processes, which inherit the pages and readers instead of receiving them."""

    readers: ClassVar[Sequence[Reader]] = ()

    @classmethod
    def label(cls, case: Case) -> LabelledPage | None:
        """A page to learn from; None if it cannot be read."""
        try:
            html = miolo.Snapshot.from_html(case.source.read_bytes(), url=case.url)
            plain = label_case(case, html)
            if case.site is None or not case.saved.exists():
                return plain
            # Without rendered pages to learn from, a reader cannot judge any.
            return replace(label_case(case, miolo.Snapshot.load(case.saved)), plain=plain)
        except miolo.MioloError as error:
            report(f"{case.set}/{case.id} is skipped: {error}")
            return None

    @classmethod
    def read(cls, task: Task) -> JudgedPage | None:
        """The features of a page and the score of its text; None if it cannot be read."""
        case, model = task.case, cls.readers[task.reader] if task.reader >= 0 else None
        try:
            snapshot = _snapshot(task)
            if snapshot is None:
                return None
            # Without the confidence, whose shipped model may have other features.
            extraction = extract_fullest(
                snapshot,
                lambda page: compose(page, METHOD.select(page, Learned(model=model)), "auto"),
                restore=task.way != "shell",
            )
        except (miolo.MioloError, OSError) as error:
            report(f"{case.set}/{case.id} is skipped: {error}")
            return None
        truth = case.with_text_of(role_set()).text
        f1 = shingle_score(truth, scored_text(extraction)).f1
        name = case.set if case.set in (*SETS, PLATFORMS) else "sites"
        return JudgedPage(
            f"{name}, {task.way}",
            case.id,
            case.group,
            case.kind,
            extraction_features(extraction),
            f1,
        )


def _snapshot(task: Task) -> miolo.Snapshot | None:
    """The page in the way that is asked for; None if it is not delivered so."""
    case = task.case
    if task.way == "rendered":
        return miolo.Snapshot.load(case.saved)
    source = case.source.read_bytes()
    if task.way not in WAYS:
        return miolo.Snapshot.from_html(source, url=case.url)
    assert case.labels is not None
    names, code = WAYS[task.way]
    blocks, whole = [text for _, text in case.labels.blocks], decode_html(source, "")
    seed = zlib.crc32(case.id.encode())
    ways = [way for way in deliveries(whole, blocks, seed) if way.name in names]
    if not ways:
        return None
    way = ways[seed // 1000 % len(ways)]
    is_whole = bool(code) and seed % 2 == 0
    html = whole if is_whole else way.run if task.way == "from data" else way.served
    snapshot = miolo.Snapshot.from_html(html, url=case.url)
    warnings = (*snapshot.page.warnings, PageWarning(code, "")) if code else snapshot.page.warnings
    return replace(snapshot, page=replace(snapshot.page, warnings=warnings))


def run(work: Callable[[T], U], items: Sequence[T], chunk: int = CHUNK) -> list[U]:
    """Process items in forked processes, in order."""
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(PROCESSES, mp_context=fork) as pool:
        return list(pool.map(work, items, chunksize=chunk))


def summary(pages: Sequence[JudgedPage], confidence: np.ndarray) -> dict[str, Any]:
    """Print a table of the sets and of the kinds, and return the figures of all pages."""
    report(f"{'':28} pages  right  mean confidence  error  wrong found")
    right = np.array([page.is_right for page in pages])
    by_set = [page.set for page in pages]
    by_kind = [f"kind: {page.kind}" for page in pages]
    for names in (by_set, by_kind):
        for name, places in _groups(names):
            found, _ = share_found(confidence[places], right[places], PRECISION)
            report(
                f"{name:28} {len(places):5} {right[places].mean():6.3f} "
                f"{confidence[places].mean():16.3f} "
                f"{calibration_error(confidence[places], right[places]):6.3f} {found:12.3f}"
            )
    found, threshold = share_found(confidence, right, PRECISION)
    return {
        "pages": len(pages),
        "right": round(float(right.mean()), 3),
        "calibration_error": round(calibration_error(confidence, right), 4),
        "wrong_found": round(found, 3),
        "threshold": round(threshold, 3),
        "brier": round(float(((confidence - right) ** 2).mean()), 4),
    }


def _groups(names: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    order = sorted(range(len(names)), key=names.__getitem__)
    for name, places in groupby(order, key=names.__getitem__):
        yield name, list(places)


if __name__ == "__main__":
    main()
