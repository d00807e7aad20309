"""Every benchmark of speed in a short form, with its ratios beside those of the last commit.

    python benchmarks/run.py [static cold ...]
    python benchmarks/run.py --write

A figure that is more than a tenth worse than in `docs/tables/speed.csv` is marked, in red on a
terminal. Other programs must not run at the same time. `--write` replaces the table.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus import parser

HERE = Path(__file__).parent
TABLE = HERE.parent / "docs" / "tables" / "speed.csv"
TOLERANCE = 0.1
RED, PLAIN = "\033[31m", "\033[0m"


@dataclass(frozen=True)
class Short:
    """The short form of a benchmark.

    Attributes
    ----------
    arguments
        Arguments of its program.
    lower, higher
        Figures of its last line, as ``figure`` or ``group.figure``, of which smaller and larger
        values are better.
    with_data
        Whether the program takes the shared data.
    """

    arguments: str = ""
    lower: tuple[str, ...] = ()
    higher: tuple[str, ...] = ()
    with_data: bool = True


PROGRAMS = {
    "static": Short("--limit 20 --posts 0", ("vs_trafilatura_time", "whole_vs_trafilatura_time")),
    "extract": Short("--pages 2", ("vs_trafilatura",)),
    "cold": Short(
        "",
        ("extract_vs_trafilatura_cpu", "rendered_vs_playwright", "help_s", "import_s"),
        with_data=False,
    ),
    "capture": Short("--rounds 2", ("overhead",)),
    "throughput": Short(
        "--pages 60",
        higher=(
            "share_of_plain_playwright", "times_fastest_peer", "adaptive_times_adaptive_peer",
            "share_by_core_seconds",
        ),
    ),
    "bulk": Short("--pages 500", higher=("times_trafilatura", "times_trafilatura_json", "speedup")),
    "service": Short(
        "--requests 20 --hostile 0",
        ("p99_ms.1",),
        ("requests_per_second.1", "requests_per_second.4"),
        with_data=False,
    ),
}  # fmt: skip


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("programs", nargs="*", help="all without")
    options.add_argument("--write", action="store_true", help="replace the committed figures")
    chosen = options.parse_args()
    if unknown := set(chosen.programs) - set(PROGRAMS):
        options.error(f"no program {', '.join(sorted(unknown))}; there are {', '.join(PROGRAMS)}")
    before = committed()
    figures: dict[str, dict[str, float]] = {}
    for name in chosen.programs or PROGRAMS:
        figures[name] = measure(name, PROGRAMS[name], chosen)
        for figure, value in figures[name].items():
            print(compared(name, figure, value, before.get((name, figure))), flush=True)
    if chosen.write:
        write({**before, **{(n, f): v for n, of in figures.items() for f, v in of.items()}})
    print(json.dumps(figures))


def measure(name: str, short: Short, chosen: Namespace) -> dict[str, float]:
    """The figures of a program that are compared."""
    command = [sys.executable, str(HERE / f"{name}.py"), *short.arguments.split()]
    if short.with_data:
        command += ["--data", str(chosen.data), "--cache", str(chosen.cache)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    last = json.loads(done.stdout.strip().splitlines()[-1])
    figures = {name: figure_of(last, name) for name in (*short.lower, *short.higher)}
    return {name: value for name, value in figures.items() if value is not None}


def figure_of(last: Any, name: str) -> float | None:
    """The figure of a name such as ``group.figure``; None where a peer is missing."""
    for part in name.split("."):
        last = last.get(part) if last else None
    return last


def compared(name: str, figure: str, value: float, before: float | None) -> str:
    """A line with a figure, that of the last commit, and whether it is worse."""
    line = f"{name:12} {figure:32} {value:9.3f}"
    if before is None:
        return f"{line}  (new)"
    line += f" {before:9.3f}"
    is_lower = figure in PROGRAMS[name].lower
    worse = value / before - 1 if is_lower else before / max(value, 1e-9) - 1
    if before <= 0 or worse <= TOLERANCE:
        return line
    line += f"  {worse:+.0%} worse"
    return f"{RED}{line}{PLAIN}" if sys.stdout.isatty() else line


def committed() -> dict[tuple[str, str], float]:
    """Figures of the table, by program and name."""
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="", encoding="utf-8") as file:
        return {
            (row["program"], row["figure"]): float(row["value"]) for row in csv.DictReader(file)
        }


def write(figures: dict[tuple[str, str], float]) -> None:
    """Write the table."""
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("program", "figure", "value"))
        rows.writerows((*key, value) for key, value in sorted(figures.items()))


if __name__ == "__main__":
    main()
