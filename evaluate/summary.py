"""Figures of a run: by system, by set, with intervals, as a table and as JSON.

Intervals of F1 and of differences of F1 are bootstrapped: groups of pages are drawn as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..extract.scoring import PageScore, score_set
from .case import Case
from .measures import Measures, measure
from .running import Results
from .store import Result

__all__ = ["JudgedRun", "draws", "f1_of_draws", "interval", "judge", "summary", "table"]

DRAWS = 2000
SEED = 0
LEVEL = 0.95


@dataclass(frozen=True)
class JudgedRun:
    """A run with what its answers are worth.

    Attributes
    ----------
    cases
        The pages.
    results, measures
        By system, in the order of the pages; the first system is the one compared with all
        others.
    """

    cases: tuple[Case, ...]
    results: Results
    measures: dict[str, list[Measures]]

    @property
    def first(self) -> str:
        """The system compared with all others."""
        return next(iter(self.results))

    def of_set(self, name: str) -> JudgedRun:
        """The pages of one set alone."""
        places = [place for place, case in enumerate(self.cases) if case.set == name]

        def take(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
            return {system: [row[place] for place in places] for system, row in rows.items()}

        cases = tuple(self.cases[place] for place in places)
        return JudgedRun(cases, take(self.results), take(self.measures))


def judge(
    cases: Sequence[Case], results: Results, advance: Callable[[], None] = lambda: None
) -> JudgedRun:
    """Measure all answers; `advance` is called once for every one."""
    measures: dict[str, list[Measures]] = {}
    for system, row in results.items():
        measures[system] = []
        for case, result in zip(cases, row, strict=True):
            measures[system].append(measure(case, result.answer))
            advance()
    return JudgedRun(tuple(cases), results, measures)


def summary(run: JudgedRun) -> dict[str, Any]:
    """All figures, as JSON has them.

    Returns
    -------
    ``systems``: by name ``f1``, ``precision``, ``recall``, ``exact``, ``rouge_l``, ``title``,
    ``date`` (shares; None where there is no truth, or the system never gives one),
    ``ms_per_page`` (median of the answers; None without any), ``failed`` (pages), and
    ``f1_interval`` (95 %, bootstrap over groups; over pages where there is one group).
    ``differences``: the first system's F1 minus each other's, with the interval of the paired
    difference. ``pages``, ``groups``;
    ``sets``: the same of each set where there are several.
    """
    figures = _mean_figures(run)
    names = list(dict.fromkeys(case.set for case in run.cases))
    if len(names) > 1:
        figures["sets"] = {name: _mean_figures(run.of_set(name)) for name in names}
    return figures


def _mean_figures(run: JudgedRun) -> dict[str, Any]:
    groups, group = np.unique([case.group for case in run.cases], return_inverse=True)
    if len(groups) == 1:  # drawn as a whole it would be the same each time
        group = np.arange(len(run.cases))
    samples = draws(int(group.max()) + 1)
    spread = {
        system: f1_of_draws(samples, group, [m.precision for m in row], [m.recall for m in row])
        for system, row in run.measures.items()
    }
    systems = {
        system: {**_system(row, run.results[system]), "f1_interval": _round(spread[system])}
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
                "interval": _round(spread[first] - spread[system]),
            }
            for system in systems
            if system != first
        },
    }


def _round(values: NDArray[np.float64]) -> list[float]:
    return [round(end, 4) for end in interval(values)]


def _system(row: Sequence[Measures], results: Sequence[Result]) -> dict[str, Any]:
    total = score_set(PageScore(m.precision, m.recall, m.exact) for m in row)
    spent = [result.ms for result in results if result.error is None]
    tells_title = any(result.title for result in results)
    tells_date = any(result.date for result in results)
    return {
        "f1": round(total.f1, 4),
        "precision": round(total.precision, 4),
        "recall": round(total.recall, 4),
        "exact": round(total.exact, 4),
        "rouge_l": round(fmean(m.rouge_l for m in row), 4),
        "title": _share(m.title for m in row) if tells_title else None,
        "date": _share(m.date for m in row) if tells_date else None,
        "ms_per_page": round(median(spent), 2) if spent else None,
        "failed": sum(result.error is not None for result in results),
    }


def _share(right: Iterable[bool | None]) -> float | None:
    verdicts = [each for each in right if each is not None]
    return round(fmean(verdicts), 4) if verdicts else None


def table(figures: dict[str, Any]) -> str:
    """One row a system, the best F1 first; a table for each set where there are several."""
    parts = [_table(figures, "all" if "sets" in figures else "")]
    parts += [_table(of_set, name) for name, of_set in figures.get("sets", {}).items()]
    return "\n\n".join(parts)


def _table(figures: dict[str, Any], name: str) -> str:
    systems = figures["systems"]
    width = max(len("system"), *map(len, systems))
    about = f"pages {figures['pages']}, groups {figures['groups']}"
    head = (
        f"{'system':{width}}     F1  95 %             P      R  exact  ROUGE-L  title   date"
        f"      ms failed  {figures['first']} minus it"
    )
    lines = [f"{name}: {about}" if name else about, head]
    for system in sorted(systems, key=lambda each: -systems[each]["f1"]):
        lines.append(f"{system:{width}}  {_cells(systems[system])}{_difference(figures, system)}")
    return "\n".join(lines)


def _cells(row: dict[str, Any]) -> str:
    low, high = row["f1_interval"]
    return (
        f"{row['f1']:.3f}  {low:.3f}–{high:.3f}  {row['precision']:.3f}  {row['recall']:.3f}  "
        f"{row['exact']:.3f}    {row['rouge_l']:.3f}  {_cell(row['title'], 5, 3)}  "
        f"{_cell(row['date'], 5, 3)}  {_cell(row['ms_per_page'], 6, 1)}  {row['failed']:5}"
    )


def _cell(value: float | None, width: int, digits: int) -> str:
    return f"{'–':>{width}}" if value is None else f"{value:{width}.{digits}f}"


def _difference(figures: dict[str, Any], system: str) -> str:
    difference = figures["differences"].get(system)
    if difference is None:
        return ""
    low, high = difference["interval"]
    return f"  {difference['f1']:+.3f}  {low:+.3f} to {high:+.3f}"


def draws(groups: int, count: int = DRAWS) -> NDArray[np.int64]:
    """How often each group is drawn: int64, shape (count, groups), each row with sum `groups`.

    The same for the same arguments, so that systems are compared on the same draws (a paired
    bootstrap).
    """
    if not groups:
        return np.zeros((count, 0), np.int64)
    chances = np.full(groups, 1 / groups)
    return np.random.default_rng(SEED).multinomial(groups, chances, size=count)


def f1_of_draws(
    samples: NDArray[np.int64],
    group: NDArray[np.intp],
    precision: Sequence[float],
    recall: Sequence[float],
) -> NDArray[np.float64]:
    """F1 of the means of precision and recall, for every draw (Efron and Tibshirani 1993).

    Parameters
    ----------
    samples
        int64, shape (draws, groups); see `draws`.
    group
        intp, shape (pages,): the group of each page. Pages of a site are alike, so pages drawn
        one by one would make the interval too narrow.
    precision, recall
        Of each page.

    Returns
    -------
    float64, shape (draws,).
    """
    groups = samples.shape[1]

    def means(values: Sequence[float]) -> NDArray[np.float64]:
        sums = np.bincount(group, weights=np.asarray(values, float), minlength=groups)
        pages = samples @ np.bincount(group, minlength=groups)
        return (samples @ sums) / np.maximum(pages, 1)

    p, r = means(precision), means(recall)
    both = p + r
    return np.divide(2 * p * r, both, out=np.zeros_like(both), where=both > 0)


def interval(values: NDArray[np.float64], level: float = LEVEL) -> tuple[float, float]:
    """Percentile interval of draws."""
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
