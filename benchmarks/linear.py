"""How time and memory grow with adversarial pages: parsing, methods, formats, metadata.

    python benchmarks/linear.py                                # 20 minutes of processor time
    python benchmarks/linear.py --budget 0                     # all at three sizes: some hours
    python benchmarks/linear.py --tasks auto,metadata,tei      # only these
    python benchmarks/linear.py --families br,deep-div --sizes 2500,5000,10000

The tasks are every method that runs on one page, every format (of a whole page), `auto` with the
evidence for each of its decisions, the metadata and the inspection. They run on families of pages,
read from HTML without a browser. Each task runs in its own process, forked after the page is read,
and is ended if it exceeds a time limit.

All tasks run at two small sizes first. Those that seem to grow too fast there run at the three
large sizes, and then the slowest of the others, as far as a budget of processor time allows. The
exponent is that of CPU time from the smallest to the largest size, if the time is above a floor.
The exit code is 1 if an exponent is above the target.
"""

from __future__ import annotations

import gc
import json
import math
import os
import resource
import signal
import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from linear_pages import CHAINED, FAMILIES, read_page

# Threads would add CPU time that is not the task's, and do not survive a fork.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
os.environ.update(dict.fromkeys(THREADS, "1"))

import numpy as np  # noqa: E402
from miolo.debug.reports.inspection import inspection  # noqa: E402
from miolo.extract.metadata.describing import Description  # noqa: E402
from miolo.extract.metadata.finding import Scene  # noqa: E402
from miolo.extract.methods.reading import read, select  # noqa: E402
from miolo.extract.methods.registry import method_variants  # noqa: E402
from miolo.extract.methods.selection import Reasons  # noqa: E402
from miolo.extract.pipeline import compose, extract_snapshot  # noqa: E402
from miolo.output.extraction import Extraction  # noqa: E402
from miolo.output.formats import FORMATS, format_extraction  # noqa: E402
from miolo.renderer.page.snapshot import Snapshot  # noqa: E402

SIZES = "10000,20000,40000"
FLOOR_SECONDS = 0.3
SCREEN_SIZES = (2500, 10_000)
# Growth below this time is noise.
SCREEN_FLOOR_SECONDS = 0.1
BUDGET_SECONDS = 1200
LIMIT_SECONDS = 120
TARGET = 1.2
AGAIN = 2


@dataclass(frozen=True)
class Cost:
    """Cost of one task: CPU seconds, and the increase of peak memory in megabytes."""

    seconds: float
    megabytes: float


Task = Callable[[Snapshot, Extraction], object]
Table = dict[tuple[str, str], list[Cost]]


def tasks() -> dict[str, Task]:
    """All tasks on a page, by name."""
    methods = {
        name: _method(name) for name, each in method_variants().items() if not each.needs_site
    }
    formats = {form: _format(form) for form in FORMATS}
    return {
        **methods,
        **formats,
        "auto-json": lambda page, _: format_extraction(extract_snapshot(page, "auto"), "json"),
        "metadata": lambda page, _: Description(Scene(page)).metadata,
        "inspection": inspection,
    }


def _method(name: str) -> Task:
    return lambda page, _: extract_snapshot(page, name)


def _format(form: str) -> Task:
    return lambda _, whole: format_extraction(whole, form)


def main() -> None:
    options = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    options.add_argument("--tasks", help="names, with commas; parse is one")
    options.add_argument("--families", help="names, with commas")
    options.add_argument("--sizes", default=SIZES, help="nodes, ascending, with commas")
    options.add_argument(
        "--budget", type=float, default=BUDGET_SECONDS, help="CPU seconds; 0 measures all"
    )
    chosen = options.parse_args()
    all_tasks = tasks()
    task_names = chosen.tasks.split(",") if chosen.tasks else ["parse", *all_tasks]
    families = chosen.families.split(",") if chosen.families else [*FAMILIES, *CHAINED]
    sizes = [int(size) for size in chosen.sizes.split(",")]
    _warm(all_tasks)
    keys = {(family, name) for family in families for name in task_names}
    screened: Table = {}
    if chosen.budget:
        for family in families:
            screened |= measure(
                family, SCREEN_SIZES, {name: all_tasks.get(name) for name in task_names}
            )
            print(f"{family}: screened, {_cpu_seconds():.0f} s of CPU so far", flush=True)
        keys = affordable(screened, chosen.budget - _cpu_seconds(), sizes)
        print(f"{len(keys)} of {len(screened)} are measured at the large sizes")
    table: Table = {}
    for family in families:
        names = [name for name in task_names if (family, name) in keys]
        if names:
            of_family = {name: all_tasks.get(name) for name in names}
            table |= measure_steadily(family, sizes, of_family)
        for name in names:
            print(row(family, name, table[family, name], sizes), flush=True)
    figures = summary(table, sizes) | {
        "screened": len(screened),
        "cpu_seconds": round(_cpu_seconds()),
    }
    print(json.dumps(figures))
    sys.exit(bool(figures["over"]))


def is_doubtful(costs: Sequence[Cost]) -> bool:
    """Whether a task seems to grow too fast at the small sizes."""
    power = growth_exponent(costs, SCREEN_SIZES, SCREEN_FLOOR_SECONDS)
    return power is not None and power > TARGET


def affordable(screened: Table, budget: float, sizes: Sequence[int]) -> set[tuple[str, str]]:
    """Tasks to measure at the large sizes: doubtful ones, then the slowest within a budget."""
    times = sum(sizes) / SCREEN_SIZES[-1]
    keys: set[tuple[str, str]] = set()
    by_seconds = sorted(
        (key for key, costs in screened.items() if costs),
        key=lambda key: -screened[key][-1].seconds,
    )
    for key in by_seconds:
        expected = times * screened[key][-1].seconds
        if is_doubtful(screened[key]):
            keys.add(key)
        elif expected <= budget:
            keys.add(key)
            budget -= expected
    return keys


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _warm(all_tasks: dict[str, Task]) -> None:
    """Load all models, and compile all code that is compiled."""
    page = read_page("records", 400)
    whole = whole_page(page)
    for task in all_tasks.values():
        task(page, whole)


def whole_page(page: Snapshot) -> Extraction:
    """An extraction that keeps the whole of a page, for the formats to write."""
    nodes, reasons = np.ones(len(page), bool), Reasons(len(page), "on the page")
    return compose(page, select(read(page), nodes, nodes, reasons), "whole page")


def measure(family: str, sizes: Sequence[int], chosen: dict[str, Task | None]) -> Table:
    """Costs of tasks at each size; a task that exceeded the limit is not run on larger pages."""
    table: Table = {(family, name): [] for name in chosen}
    for size in sizes:
        if "parse" in chosen:
            table[family, "parse"].append(cost(partial(read_page, family, size)))
        page = read_page(family, size)
        whole = whole_page(page)
        page.cached_values.clear()
        for name, task in chosen.items():
            before = table[family, name]
            if task is not None and not (before and math.isinf(before[-1].seconds)):
                before.append(cost(partial(task, page, whole)))
    return table


def measure_steadily(family: str, sizes: Sequence[int], chosen: dict[str, Task | None]) -> Table:
    """Like `measure`, but repeats tasks that seem to grow too fast: other programs add time."""
    table = measure(family, sizes, chosen)
    for _ in range(AGAIN):
        powers = {name: growth_exponent(table[family, name], sizes) for name in chosen}
        doubtful = [name for name, power in powers.items() if power and TARGET < power < math.inf]
        if not doubtful:
            break
        again = measure(family, sizes, {name: chosen[name] for name in doubtful})
        for key, costs in again.items():
            pairs = zip(table[key], costs, strict=False)
            table[key] = [min(pair, key=lambda each: each.seconds) for pair in pairs]
    return table


def cost(task: Callable[[], object]) -> Cost:
    """Cost of a task in its own process; infinite if the task is ended or fails."""
    gc.collect()
    gc.freeze()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _run(task, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as answer:
        reply = answer.read()
    os.waitpid(child, 0)
    return Cost(*json.loads(reply)) if reply else Cost(math.inf, math.inf)


def _run(task: Callable[[], object], writer: int) -> None:
    """Run the task in the child process, which then exits."""
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_SECONDS, LIMIT_SECONDS))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        before, start = _megabytes(), time.process_time()
        task()
        seconds = time.process_time() - start
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        os.write(writer, json.dumps([seconds, max(most - before, 0.0)]).encode())
    finally:
        os._exit(0)


def _megabytes() -> float:
    with open("/proc/self/statm", encoding="ascii") as figures:
        return int(figures.read().split()[1]) * resource.getpagesize() / (1 << 20)


def exponent(small: float, large: float, times: float) -> float:
    """Exponent of the growth of a cost with the size."""
    return math.log(max(large, 1e-9) / max(small, 1e-9)) / math.log(times)


def growth_exponent(
    costs: Sequence[Cost], sizes: Sequence[int], floor: float = FLOOR_SECONDS
) -> float | None:
    """Exponent of the time from the first size to the last; None below the floor."""
    if not costs or costs[-1].seconds < floor:
        return None
    if math.isinf(costs[-1].seconds):
        return math.inf
    return exponent(costs[0].seconds, costs[-1].seconds, sizes[-1] / sizes[0])


def row(family: str, name: str, costs: Sequence[Cost], sizes: Sequence[int]) -> str:
    """One line of the table."""
    power = growth_exponent(costs, sizes)
    times = " ".join(f"{each.seconds:8.3f}" for each in costs)
    most = costs[-1].megabytes if costs else 0.0
    mark = "" if power is None or power <= TARGET else "  <<<"
    shown = "   -" if power is None else f"{power:4.2f}"
    return f"{family:20} {name:20} {times} s {most:7.0f} MB {shown}{mark}"


def summary(table: Table, sizes: Sequence[int]) -> dict[str, Any]:
    """The largest exponent and its task, the share within the target, and the largest costs."""
    powers = {key: growth_exponent(costs, sizes) for key, costs in table.items()}
    exponents = {key: power for key, power in powers.items() if power is not None}
    worst = max(exponents, key=lambda key: exponents[key], default=("", ""))
    over = sorted(
        (key for key in exponents if exponents[key] > TARGET), key=lambda key: -exponents[key]
    )
    done = [(costs[-1], key) for key, costs in table.items() if costs]
    slowest = max(done, key=lambda each: each[0].seconds, default=(Cost(0, 0), ("", "")))
    heaviest = max(done, key=lambda each: each[0].megabytes, default=(Cost(0, 0), ("", "")))
    return {
        "largest_exponent": round(exponents.get(worst, 0.0), 2),
        "where": "/".join(worst),
        "share_within_target": round(1 - len(over) / max(len(exponents), 1), 4),
        "judged": len(exponents),
        "tried": len(table),
        "over": {"/".join(key): round(exponents[key], 2) for key in over[:30]},
        "slowest_seconds": {"/".join(slowest[1]): round(slowest[0].seconds, 2)},
        "most_megabytes": {"/".join(heaviest[1]): round(heaviest[0].megabytes)},
    }


if __name__ == "__main__":
    main()
