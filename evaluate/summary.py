"""Measures of each answer, and figures of a run by system and by set, as a table and as JSON.

Intervals of F1 and of differences of F1 are bootstrapped over groups of pages (cluster bootstrap).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..extract.scoring import PageScore, score_set, shingle_score
from ..features.words import words
from .case import Case
from .evaluation_run import Result, Results
from .systems import Answer

DRAWS = 2000
SEED = 0
LEVEL = 0.95

DAY = re.compile(r"\s*(\d{4}-\d\d-\d\d)(?!\d)")


@dataclass(frozen=True)
class JudgedRun:
    """Results and measures by system; the first system is compared with all others."""

    cases: tuple[Case, ...]
    results: Results
    measures: dict[str, list[Measures]]

    @property
    def first(self) -> str:
        """Name of the system that is compared with all others."""
        return next(iter(self.results))

    def of_set(self, name: str) -> JudgedRun:
        """The run restricted to the pages of one set."""
        places = [place for place, case in enumerate(self.cases) if case.set == name]

        def take(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
            return {system: [row[place] for place in places] for system, row in rows.items()}

        cases = tuple(self.cases[place] for place in places)
        return JudgedRun(cases, take(self.results), take(self.measures))


def judge(
    cases: Sequence[Case], results: Results, advance: Callable[[], None] = lambda: None
) -> JudgedRun:
    """Measure all answers; `advance` is called once for each."""
    measures: dict[str, list[Measures]] = {}
    for system, row in results.items():
        measures[system] = []
        for case, result in zip(cases, row, strict=True):
            measures[system].append(measure(case, result.answer))
            advance()
    return JudgedRun(tuple(cases), results, measures)


def summary(run: JudgedRun) -> dict[str, Any]:
    """All figures as JSON values.

    ``systems`` has the figures of each system: ``title`` and ``date`` are shares of correct ones,
    or None if there is no truth or the system never returns one, ``ms_per_page`` is the median, and
    ``f1_interval`` is bootstrapped over groups, or over pages if there is one group.
    ``differences`` is the F1 of the ``first`` system minus that of each other one, with the
    interval of the paired difference. ``sets`` has the same figures for each set, if there are
    several.
    """
    figures = _mean_figures(run)
    names = list(dict.fromkeys(case.set for case in run.cases))
    if len(names) > 1:
        figures["sets"] = {name: _mean_figures(run.of_set(name)) for name in names}
    return figures


def _mean_figures(run: JudgedRun) -> dict[str, Any]:
    groups, group = np.unique([case.group for case in run.cases], return_inverse=True)
    if len(groups) == 1:  # all draws of a single group would be equal
        group = np.arange(len(run.cases))
    samples = draws(int(group.max()) + 1)
    spread = {
        system: f1_of_draws(samples, group, [m.score for m in row])
        for system, row in run.measures.items()
    }
    systems = {
        system: {**_system(row, run.results[system]), "f1_interval": interval(spread[system])}
        for system, row in run.measures.items()
    }
    first = run.first
    return {
        "systems": systems,
        "pages": len(run.cases),
        "groups": len(groups),
        "first": first,
        "differences": {
            system: {
                "f1": round(systems[first]["f1"] - systems[system]["f1"], 4),
                "interval": interval(spread[first] - spread[system]),
            }
            for system in systems
            if system != first
        },
    }


def _system(row: Sequence[Measures], results: Sequence[Result]) -> dict[str, Any]:
    total = score_set(m.score for m in row)
    spent = [result.ms for result in results if result.error is None]
    tells_title = any(result.answer.title for result in results)
    tells_date = any(result.answer.date for result in results)
    return {
        "f1": round(total.f1, 4),
        "precision": round(total.precision, 4),
        "recall": round(total.recall, 4),
        "exact": round(total.exact, 4),
        "title": _share(m.title for m in row) if tells_title else None,
        "date": _share(m.date for m in row) if tells_date else None,
        "ms_per_page": round(median(spent), 2) if spent else None,
        "failed": sum(result.error is not None for result in results),
    }


def _share(right: Iterable[bool | None]) -> float | None:
    verdicts = [each for each in right if each is not None]
    return round(fmean(verdicts), 4) if verdicts else None


def table(figures: dict[str, Any]) -> str:
    """A table with one row per system, the best F1 first, and one table per set if several."""
    parts = [_table(figures, "all" if "sets" in figures else "")]
    parts += [_table(of_set, name) for name, of_set in figures.get("sets", {}).items()]
    return "\n\n".join(parts)


def _table(figures: dict[str, Any], name: str) -> str:
    systems = figures["systems"]
    width = max(len("system"), *map(len, systems))
    about = f"pages {figures['pages']}, groups {figures['groups']}"
    head = (
        f"{'system':{width}}     F1  95 %             P      R  exact  title   date"
        f"      ms failed  {figures['first']} minus it"
    )
    lines = [f"{name}: {about}" if name else about, head]
    for system, row in sorted(systems.items(), key=lambda item: -item[1]["f1"]):
        low, high = row["f1_interval"]
        line = (
            f"{system:{width}}  {row['f1']:.3f}  {low:.3f}–{high:.3f}  {row['precision']:.3f}  "
            f"{row['recall']:.3f}  {row['exact']:.3f}  "
            f"{_cell(row['title'], 5, 3)}  {_cell(row['date'], 5, 3)}  "
            f"{_cell(row['ms_per_page'], 6, 1)}  {row['failed']:5}"
        )
        if difference := figures["differences"].get(system):
            low, high = difference["interval"]
            line += f"  {difference['f1']:+.3f}  {low:+.3f} to {high:+.3f}"
        lines.append(line)
    return "\n".join(lines)


def _cell(value: float | None, width: int, digits: int) -> str:
    return f"{'–':>{width}}" if value is None else f"{value:{width}.{digits}f}"


def draws(groups: int, count: int = DRAWS) -> NDArray[np.int64]:
    """Number of times each group is drawn: int64, shape (count, groups), rows sum to `groups`.

    The result is the same for the same arguments, so that systems are compared on the same draws
    (paired bootstrap).
    """
    if not groups:
        return np.zeros((count, 0), np.int64)
    chances = np.full(groups, 1 / groups)
    return np.random.default_rng(SEED).multinomial(groups, chances, size=count)


def f1_of_draws(
    samples: NDArray[np.int64], group: NDArray[np.intp], scores: Sequence[PageScore]
) -> NDArray[np.float64]:
    """F1 of the mean precision and mean recall of each draw (Efron and Tibshirani 1993).

    `samples` are those of `draws`, int64, shape (draws, groups), and `group` is that of each page.
    Pages of a site are alike, so drawing single pages would make the interval too narrow.
    """
    groups = samples.shape[1]

    def means(values: list[float]) -> NDArray[np.float64]:
        sums = np.bincount(group, weights=np.array(values, float), minlength=groups)
        pages = samples @ np.bincount(group, minlength=groups)
        return (samples @ sums) / np.maximum(pages, 1)

    p, r = means([s.precision for s in scores]), means([s.recall for s in scores])
    both = p + r
    return np.divide(2 * p * r, both, out=np.zeros_like(both), where=both > 0)


def interval(values: NDArray[np.float64]) -> list[float]:
    """Both ends of the percentile interval of draws."""
    tail = (1 - LEVEL) / 2
    return np.quantile(values, [tail, 1 - tail]).round(4).tolist()


@dataclass(frozen=True)
class Measures:
    """Measures of one answer: its score over shingles of four words, and whether title and date are
    correct, None if the truth is unknown.
    """

    score: PageScore
    title: bool | None
    date: bool | None


def measure(case: Case, answer: Answer) -> Measures:
    """Compare an answer with the truth."""
    return Measures(
        shingle_score(case.text, answer.text),
        same_title(case.title, answer.title),
        same_day(case.date, answer.date),
    )


def same_title(truth: str | None, title: str | None) -> bool | None:
    """Whether two titles have the same words; None if the truth has none.

    >>> same_title("“Brexit”: what’s next?", "Brexit: What's next")
    True
    """
    expected, answer = (
        words(unicodedata.normalize("NFKC", each or "").casefold()) for each in (truth, title)
    )
    return answer == expected if expected else None


def same_day(truth: str | None, date: str | None) -> bool | None:
    """Whether two ISO dates are the same day, each as written in its own time zone.

    None if the truth is not a complete ISO date.
    """
    expected = DAY.match(truth or "")
    if expected is None:
        return None
    actual = DAY.match(date or "")
    return actual is not None and actual[1] == expected[1]
