"""Train the reader of `auto` on the role labels of the shared data, and evaluate it.

    python benchmarks/reader.py --train models/article/reader.npz
    python benchmarks/reader.py --train reader.npz --networks 1 --teachers one.npz two.npz
    python benchmarks/reader.py --train reader.npz --start one.npz --epochs 6 --rate .0015
    python benchmarks/reader.py --train models/article/reader.npz --folds 10
    python benchmarks/reader.py --folds 5 --curve docs/images/learning.svg
    python benchmarks/reader.py --folds 5 --only 0 --without names,look

The reader learns from all pages with role labels except those of the exam, as rendered and as plain
HTML; by their text, from pages of other kinds in `wcxb`; from the styled pages of many platforms,
as rendered and as served; and from simple pages made of the blocks of labelled ones. Pages are
rendered the first time: single pages with scripts off and nothing fetched, styled ones from a
server on loopback. `--teachers` are readers whose probabilities are learned beside the truth, and
`--as-served` names sets that are read without a browser, which saves their rendering. The exam is
read once, by the reader trained on all other pages; folds are by registered domain and by the
source of a styled site. `--without` leaves out kinds of evidence for an ablation. `--curve` trains
on increasing numbers of domains of the other folds, and plots the results. All figures go to
standard error, and those of the default preset to the last line.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before NumPy is imported
    os.environ.setdefault(name, "1")

from argparse import Namespace  # noqa: E402
from collections.abc import Callable, Iterable, Sequence  # noqa: E402
from concurrent.futures import ProcessPoolExecutor  # noqa: E402
from dataclasses import replace  # noqa: E402
from enum import Enum  # noqa: E402
from itertools import chain, compress  # noqa: E402
from pathlib import Path  # noqa: E402
from random import Random  # noqa: E402
from typing import Any, ClassVar  # noqa: E402

import miolo  # noqa: E402
import numpy as np  # noqa: E402
from corpus import parser, unpack  # noqa: E402
from furnished_pages import write_furnished_pages  # noqa: E402
from miolo.evaluate.case import Case  # noqa: E402
from miolo.evaluate.page_sets import page_cases  # noqa: E402
from miolo.evaluate.rendering import PAGE_OPTIONS, render_missing  # noqa: E402
from miolo.evaluate.role_scores import RoleScores  # noqa: E402
from miolo.evaluate.summary import same_title  # noqa: E402
from miolo.evaluate.training.article_reader import label_case, label_cases, train_cases  # noqa: E402
from miolo.extract.pipeline import extract_snapshot  # noqa: E402
from miolo.extract.scoring import score_set, scored_text, shingle_score  # noqa: E402
from miolo.features.blocks import article_blocks  # noqa: E402
from miolo.models.article.decision import best_threshold  # noqa: E402
from miolo.models.article.explanation import evidence_columns  # noqa: E402
from miolo.models.article.model import (  # noqa: E402
    TINY,
    BlockProbabilities,
    Reader,
    probability_of,
)
from miolo.models.article.roles import PRESETS, ROLES, role_set  # noqa: E402
from miolo.models.article.samples import UNKNOWN, LabelledPage  # noqa: E402
from miolo.models.article.training import TrainingOptions, group_folds  # noqa: E402
from miolo.models.kinds.model import ARTICLE  # noqa: E402
from platform_pages import (  # noqa: E402
    PlatformPage,
    label_platforms,
    platform_pages,
    render_pages,
)
from platforms import Row, score_page, summarise, table, with_snapshots  # noqa: E402
from simple_pages import write_simple_pages  # noqa: E402

SETS = ("news2023", "publishers", "wcxb", "world")
PROVENANCE = {"command": f"python benchmarks/reader.py {' '.join(sys.argv[1:])}"}
CURVE = (250, 500, 1000, 2000, 0)
"""Numbers of training domains at the points of the learning curve; 0 for all."""

MADE = 900
"""Number of labelled pages that simple pages are made of; furnished ones are of twice as many."""

PROCESSES = 2

NO_FOLD = -1
"""Fold of pages that are never held out."""

Key = tuple[str, str]


class Evidence(Enum):
    """What a reader is judged by: the whole extraction, or only its probabilities of blocks."""

    ALL, SOME, BINARY = range(3)


def main() -> None:
    options = with_snapshots(parser(__doc__ or ""))
    options.add_argument("--as-served", default="", help="sets that are not rendered, with commas")
    options.add_argument("--share", type=float, default=1.0, help="of the articles to learn")
    options.add_argument("--epochs", type=int, default=TrainingOptions.epochs)
    options.add_argument("--rate", type=float, help="maximum learning rate")
    options.add_argument("--train", type=Path, help="file of the reader to write")
    options.add_argument("--folds", type=int, default=0, help="folds by domain; none without")
    options.add_argument("--only", help="numbers of folds, with commas; all without")
    options.add_argument("--keep", type=Path, help="file for the reader of the last fold")
    options.add_argument("--curve", type=Path, help="SVG of the learning curve, on these folds")
    options.add_argument("--without", default="", help="evidence to leave out, with commas")
    options.add_argument("--binary", action="store_true", help="learn the text alone, no roles")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument(
        "--teachers",
        type=Path,
        nargs="*",
        default=[],
        help="readers to learn from beside the truth",
    )
    options.add_argument("--start", type=Path, help="reader whose networks are trained further")
    options.add_argument("--plain", type=float, default=TrainingOptions.plain)
    options.add_argument("--networks", type=int, default=TrainingOptions.networks)
    chosen = options.parse_args()
    folders = [unpack(chosen.data / "pages" / f"{name}.tar.xz", chosen.cache) for name in SETS]
    labels = chosen.data / "roles"
    as_served = [folder for folder in folders if folder.name in chosen.as_served.split(",")]
    rendered = tuple(folder for folder in folders if folder not in as_served)
    cases = teaching_cases(rendered, labels, chosen.cache) if rendered else []
    asyncio.run(render_missing(cases, PAGE_OPTIONS, log=report))
    case_of = {case_key(case): case for case in cases if case.labels is not None}
    labelled_pages = label_cases(cases, plain=True, report=report)
    labelled_pages += label_served(as_served, labels, chosen.cache)
    rng = Random(chosen.seed)
    labelled_pages = [
        page for page in labelled_pages if page.kind != ARTICLE or rng.random() < chosen.share
    ]
    report(f"{len(labelled_pages)} single pages to learn from")
    made_pages = label_made(list(case_of.values()), chosen)
    platforms = platform_pages(chosen.data, chosen.cache, chosen.snapshots)
    render_pages(platforms, report)
    styled_pages = label_platforms(platforms, report)
    Fold.styled = platforms
    pages = prepare([*labelled_pages, *made_pages, *styled_pages], chosen)
    teachers = [Reader.load(path) for path in chosen.teachers]
    pages = [taught(page, teachers) for page in pages]
    figures: dict[str, Any] = {}
    if chosen.folds and chosen.curve:
        figures["curve"] = curve(pages, case_of, chosen)
    elif chosen.folds:
        figures["folds"], figures["roles"] = in_folds(pages, case_of, chosen)
    if chosen.train:
        started = time.monotonic()
        train(pages, chosen).save(chosen.train)
        figures["minutes"] = round((time.monotonic() - started) / 60, 1)
        figures["megabytes"] = round(chosen.train.stat().st_size / 1e6, 2)
        figures["exam"], roles = exam(Reader.load(chosen.train), folders, labels, chosen.cache)
        figures.setdefault("roles", roles)
    report(json.dumps(figures))
    print(json.dumps(last_line(figures)))


def last_line(figures: dict[str, Any]) -> dict[str, Any]:
    """The figures of the default preset, with the F1 of each role in folds or else on the exam."""
    short = dict(figures)
    for name in sorted({"exam", "folds"} & set(figures)):
        article, title = figures[name]["article"], figures[name].get("title")
        short[name] = article if title is None else article | {"title": title}
        if platforms := figures[name].get("platforms"):
            short["platforms"] = platforms
    if "roles" in figures:
        short["roles"] = {role: scores["f1"] for role, scores in figures["roles"].items()}
    return short


def report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def training(chosen: Namespace) -> TrainingOptions:
    options = TrainingOptions(epochs=chosen.epochs, seed=chosen.seed, networks=chosen.networks)
    return replace(options, rate=chosen.rate or options.rate, plain=chosen.plain)


def teaching_cases(folders: Sequence[Path], labels: Path, cache: Path) -> list[Case]:
    """Pages to learn from; those without labels are labelled by their text."""
    return page_cases(folders, cache, labels=labels, unlabelled=True, exam=False, log=report)


def label_served(folders: Sequence[Path], labels: Path, cache: Path) -> list[LabelledPage]:
    """Labelled pages of some sets, read without a browser."""
    if not folders:
        return []
    cases = teaching_cases(folders, labels, cache)
    return [
        label_case(case, miolo.Snapshot.from_html(case.source.read_bytes(), url=case.url))
        for case in cases
    ]


def label_made(cases: Sequence[Case], chosen: Namespace) -> list[LabelledPage]:
    """Pages made of the blocks of some labelled pages, as rendered and as plain HTML."""
    made = write_simple_pages(cases, chosen.cache / "simple", MADE, chosen.seed)
    made += write_furnished_pages(cases, chosen.cache / "furnished", 2 * MADE, chosen.seed)
    asyncio.run(render_missing(made, PAGE_OPTIONS, log=report))
    return label_cases(made, plain=True, report=report)


class Training:
    """Training in a process, which inherits the pages instead of receiving them."""

    pages: ClassVar[Sequence[LabelledPage]] = ()

    @classmethod
    def run(cls, task: tuple[int, Namespace]) -> Reader:
        """Train one network."""
        number, chosen = task
        options = replace(training(chosen), seed=chosen.seed + number, networks=1)
        start = Reader.load(chosen.start) if chosen.start else None
        start = start and replace(start, networks=start.networks[number : number + 1])
        return train_cases(
            cls.pages, options, PROVENANCE, lambda x: report(f"network {number}: {x}"), start
        )


def train(pages: Sequence[LabelledPage], chosen: Namespace) -> Reader:
    """A reader trained on all pages; its networks are trained in parallel."""
    Training.pages = pages
    tasks = [(number, chosen) for number in range(chosen.networks)]
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(PROCESSES, mp_context=fork) as pool:
        readers = list(pool.map(Training.run, tasks))
    return replace(readers[0], networks=tuple(n for reader in readers for n in reader.networks))


def taught(page: LabelledPage, teachers: Sequence[Reader]) -> LabelledPage:
    """The page with the mean of what the teachers that learned from its set say of it."""
    teachers = [each for each in teachers if page.set in each.provenance["pages"]]
    if not teachers or not len(page):
        return page
    plain = page.plain and taught(page.plain, teachers)
    return replace(
        page, plain=plain, taught=mean_of([each.read(page.features) for each in teachers])
    )


def mean_of(answers: Sequence[BlockProbabilities]) -> BlockProbabilities:
    """Probabilities by the mean log-odds."""
    roles = np.mean([np.log(np.maximum(each.roles, TINY)) for each in answers], axis=0)
    roles = np.exp(roles - roles.max(axis=1, keepdims=True))
    own = np.clip([each.own for each in answers], TINY, 1 - TINY)
    odds = np.mean(np.log(own / (1 - own)), axis=0)
    return BlockProbabilities(roles / roles.sum(axis=1, keepdims=True), 1 / (1 + np.exp(-odds)))


def prepare(pages: Sequence[LabelledPage], chosen: Namespace) -> list[LabelledPage]:
    """Pages without the evidence that is left out, and without roles if these are not learned."""
    left_out = frozenset(filter(None, chosen.without.split(",")))
    return [_prepare(page, left_out, chosen.binary) for page in pages]


def _prepare(page: LabelledPage, left_out: frozenset[str], binary: bool) -> LabelledPage:
    plain = page.plain and _prepare(page.plain, left_out, binary)
    features = page.features
    if left_out:
        values = features.values.copy()
        for kind, columns in evidence_columns(features.names).items():
            if kind in left_out:
                values[:, columns] = np.nan
        tokens = features.tokens * (0 if "words" in left_out else 1)
        features = replace(features, values=values, tokens=tokens)
    if binary and page.has_roles:
        text = np.isin(page.roles, [ROLES.index(role) for role in PRESETS["article"]])
        unknown = np.full_like(page.roles, UNKNOWN)
        return replace(page, features=features, roles=unknown, text=text, plain=plain)
    return replace(page, features=features, plain=plain)


class Fold:
    """A fold, trained and judged in a process that inherits the pages instead of receiving them."""

    pages: ClassVar[Sequence[LabelledPage]] = ()
    fold: ClassVar[Sequence[int]] = ()
    case_of: ClassVar[dict[Key, Case]] = {}
    styled: ClassVar[Sequence[PlatformPage]] = ()

    @classmethod
    def run(cls, task: tuple[int, int, Namespace]) -> tuple[list[Any], np.ndarray, list[Row]]:
        """Judge a fold with a reader trained on some domains of the others; 0 stands for all."""
        number, domains, chosen = task
        held_out_pages = [
            page for page, of in zip(cls.pages, cls.fold, strict=True) if of == number
        ]
        held_out = {page.group for page in held_out_pages}
        others = [page for page in cls.pages if page.group not in held_out]
        if domains:
            groups = sorted({page.group for page in others})
            rng = np.random.default_rng(chosen.seed)
            learned_domains = set(rng.permutation(groups)[:domains].tolist())
            others = [page for page in others if page.group in learned_domains]
        reader = train_cases(
            others, training(chosen), PROVENANCE, lambda x: report(f"{number}: {x}")
        )
        if chosen.keep:
            reader.save(chosen.keep)
        by = Evidence.BINARY if chosen.binary else Evidence.SOME if chosen.without else Evidence.ALL
        single = [page for page in held_out_pages if _key(page) in cls.case_of]
        rows, confusion = judge(reader, single, cls.case_of, by)
        styled = [page for page in cls.styled if page.case.group in held_out]
        styled_rows = [score_page(page, {"": reader}) for page in styled]
        report(f"fold {number}, {domains or 'all'} domains: {json.dumps(summary(rows))}")
        return rows, confusion, styled_rows


def _key(page: LabelledPage) -> Key:
    return page.set, page.id


def case_key(case: Case) -> Key:
    """Key that a case shares with its labelled page."""
    return case.set, case.id


def run_folds(
    pages: Sequence[LabelledPage],
    case_of: dict[Key, Case],
    chosen: Namespace,
    domains: Iterable[int] = (0,),
) -> list[tuple[list[Any], np.ndarray, list[Row]]]:
    """The combined outcome of all folds, for each number of domains."""
    cases = list(case_of.values())
    folds = group_folds([case.group for case in cases], chosen.folds)
    number = dict(zip(map(case_key, cases), folds.tolist(), strict=True))
    sources = [page.case.group for page in Fold.styled]
    by_source = dict(zip(sources, group_folds(sources, chosen.folds).tolist(), strict=True))
    fold = [number.get(_key(page), by_source.get(page.group, NO_FOLD)) for page in pages]
    Fold.pages, Fold.case_of, Fold.fold = pages, case_of, fold
    fold_numbers = [int(f) for f in chosen.only.split(",")] if chosen.only else range(chosen.folds)
    tasks = [(fold, count, chosen) for count in domains for fold in fold_numbers]
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(PROCESSES, mp_context=fork) as pool:
        answers = list(pool.map(Fold.run, tasks))
    outcomes = []
    for count in domains:
        of = [a for (_, c, _), a in zip(tasks, answers, strict=True) if c == count]
        rows, confusions, styled = zip(*of, strict=True)
        outcomes.append((list(chain(*rows)), sum(confusions), list(chain(*styled))))
    return outcomes


def judge(
    reader: Reader,
    pages: Sequence[LabelledPage],
    case_of: dict[Key, Case],
    by: Evidence = Evidence.ALL,
) -> tuple[list[Any], np.ndarray]:
    """Scores by preset and the title of each page, and the confusion matrix of roles."""
    rows: list[Any] = []
    confusion = np.zeros((len(ROLES), len(ROLES)), np.int64)
    for page in pages:
        case = case_of[_key(page)]
        if page.has_roles:
            answer = reader.read(page.features).roles.argmax(axis=1)
            sure = page.roles != UNKNOWN
            np.add.at(confusion, (page.roles[sure], answer[sure]), 1)
        snapshot = miolo.Snapshot.load(case.saved)
        rows.append(scores(reader, page, case, snapshot, by))
    return rows, confusion


def scores(
    reader: Reader, page: LabelledPage, case: Case, snapshot: miolo.Snapshot, by: Evidence
) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for preset in PRESETS:
        truth = case.with_text_of(role_set(preset)).text
        if by is not Evidence.ALL:
            answer = reader.read(page.features)
            binary = by is Evidence.BINARY
            p = answer.own if binary else probability_of(answer.roles, role_set(preset))
            figures[preset] = shingle_score(truth, by_blocks(page, snapshot, p))
            figures["title"] = None
        else:
            extraction = extract_snapshot(snapshot, model=reader, preset=preset)
            figures[preset] = shingle_score(truth, scored_text(extraction))
            figures["title"] = _title_right(case, extraction.title)
    return figures


def by_blocks(page: LabelledPage, snapshot: miolo.Snapshot, probability: np.ndarray) -> str:
    """The text that is selected by the blocks' probabilities alone."""
    chosen = probability >= best_threshold(probability, page.features.words)
    return "\n".join(compress(article_blocks(snapshot).texts, chosen.tolist()))


def _title_right(case: Case, title: str) -> bool | None:
    assert case.labels is not None
    titles = [text for letter, text in case.labels.blocks if letter == "T"]
    return any(same_title(text, title) for text in titles) if titles else None


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    totals: dict[str, Any] = {"pages": len(rows)}
    for preset in PRESETS:
        total = score_set(row[preset] for row in rows)
        totals[preset] = {"f1": round(total.f1, 4), "exact": round(total.exact, 4)}
    titles = [row["title"] for row in rows if row["title"] is not None]
    if titles:
        totals["title"] = round(float(np.mean(titles)), 4)
    return totals


def in_folds(
    pages: Sequence[LabelledPage], case_of: dict[Key, Case], chosen: Namespace
) -> tuple[dict[str, Any], dict[str, Any]]:
    ((rows, confusion, styled),) = run_folds(pages, case_of, chosen)
    by_family = summarise(styled)
    report(table(by_family))
    return summary(rows) | {"platforms": by_family}, RoleScores(confusion, 0).figures()["scores"]


def curve(
    pages: Sequence[LabelledPage], case_of: dict[Key, Case], chosen: Namespace
) -> list[dict[str, Any]]:
    domains = len({page.group for page in pages})
    points = []
    for count, (rows, *_) in zip(CURVE, run_folds(pages, case_of, chosen, CURVE), strict=True):
        learned_domains = count or round(domains * (1 - 1 / chosen.folds))
        points.append({"domains": learned_domains, **summary(rows)["article"]})
    chosen.curve.write_text(draw_curve(points), encoding="utf-8")
    return points


def draw_curve(points: Sequence[dict[str, Any]]) -> str:
    """An SVG of F1 and the share of exact matches over the logarithm of the number of domains."""
    wide, high, edge = 620, 360, 56
    x0, x1 = (float(np.log(points[end]["domains"])) for end in (0, -1))

    def line(name: str, colour: str, place: Callable[[float], float]) -> list[str]:
        spots = [
            (edge + (np.log(p["domains"]) - x0) / (x1 - x0) * (wide - 2 * edge), place(p[name]), p)
            for p in points
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in spots)
        marks = [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/><text x="{x:.1f}" '
            f'y="{y - 10:.1f}" text-anchor="middle" fill="{colour}">{p[name]:.3f}</text>'
            for x, y, p in spots
        ]
        return [f'<polyline points="{path}" fill="none" stroke="{colour}"/>', *marks]

    def scale(name: str, top: float, bottom: float) -> Callable[[float], float]:
        low, span = min(p[name] for p in points), max(p[name] for p in points)
        return lambda value: bottom - (value - low) / max(span - low, 1e-9) * (bottom - top)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{wide}" height="{high}" fill="white"/>',
        f'<text x="{edge}" y="22">F1 (blue) and share of pages without errors (orange), '
        "by number of training domains</text>",
        *line("f1", "#1f5fa8", scale("f1", 60, 160)),
        *line("exact", "#b35900", scale("exact", 210, 310)),
    ]
    for p in points:
        x = edge + (np.log(p["domains"]) - x0) / (x1 - x0) * (wide - 2 * edge)
        at = f'x="{x:.1f}" y="{high - 14}" text-anchor="middle"'
        parts.append(f"<text {at}>{p['domains']}</text>")
    return "\n".join([*parts, "</svg>", ""])


def exam(
    reader: Reader, folders: Sequence[Path], labels: Path, cache: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """F1, exact matches and titles on the exam's pages, and the scores of each role."""
    cases = page_cases(folders, cache, labels=labels, exam=True, log=report)
    pages = label_cases(cases, plain=False, report=report)
    rows, confusion = judge(reader, pages, {case_key(case): case for case in cases})
    return summary(rows), RoleScores(confusion, 0).figures()["scores"]


if __name__ == "__main__":
    main()
