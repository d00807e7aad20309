"""Cost of a first article in fresh processes, measured from outside, and that of trafilatura.

    python benchmarks/cold.py

Each figure is the median of ten processes, after one that warms the disk cache and writes the
bytecode, which an installed package has already. The size is that of the files of Miolo's required
packages and their dependencies.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from statistics import median
from subprocess import DEVNULL, Popen
from time import perf_counter

from packaging.requirements import Requirement

RUNS = 10
PROSE = "The bakery on the corner has sold the same loaf for sixty years, says its owner. "
PAGE = (
    "<!doctype html><html lang=en><title>The loaf of the corner</title>"
    "<nav><a href=/>Home</a></nav>"
    f"<article><h1>The loaf of the corner</h1>{f'<p>{4 * PROSE}</p>' * 12}</article>"
)


def main() -> None:
    command = [sys.executable, "-m", "miolo"]
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"NO_COLOR": "1", "PYTHONPYCACHEPREFIX": folder}
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        page = Path(folder, "page.html")
        page.write_text(PAGE, encoding="utf-8")
        extract = costs([*command, "extract", str(page), "--browser", "never"])
        peer = costs([sys.executable, "-m", "trafilatura.cli"], page)
        shown = costs([*command, "--help"])
        imported = costs([sys.executable, "-c", "import miolo"])
        bare = costs([sys.executable, "-c", "pass"])
    print(f"a bare interpreter takes {bare[0]:.3f} s, {bare[1]:.3f} s of them of a core")
    figures = {
        "extract_vs_trafilatura_cpu": round(extract[1] / peer[1], 3),
        "trafilatura_cpu_s": round(peer[1], 3),
        "extract_static_cpu_s": round(extract[1], 3),
        "extract_static_s": round(extract[0], 3),
        "help_s": round(shown[0], 3),
        "import_s": round(imported[0] - bare[0], 3),
        "base_install_mb": round(installed_bytes("miolo") / 1e6, 1),
    }
    print(json.dumps(figures))


def costs(command: list[str], given: Path | None = None) -> tuple[float, float]:
    """Median seconds of a command on a file as its input: wall-clock time and processor time."""
    runs = [cost(command, given) for _ in range(RUNS + 1)][1:]
    return median(run[0] for run in runs), median(run[1] for run in runs)


def cost(command: list[str], given: Path | None) -> tuple[float, float]:
    before, start = spent(), perf_counter()
    with (
        open(given or os.devnull, "rb") as source,
        Popen(command, stdin=source, stdout=DEVNULL, stderr=DEVNULL) as run,
    ):
        run.wait()
    if run.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {run.returncode}")
    return perf_counter() - start, spent() - before


def spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def installed_bytes(name: str) -> int:
    """Size of the dependencies of a package without extras, excluding the package itself."""
    sizes: dict[str, int] = {}
    waiting = [name]
    while waiting:
        try:
            package = distribution(waiting.pop())
        except PackageNotFoundError:
            continue  # required on other systems only
        own = package.metadata["Name"].lower()
        if own in sizes:
            continue
        files = [Path(str(file.locate())) for file in package.files or ()]
        sizes[own] = sum(file.stat().st_size for file in files if file.is_file())
        for line in package.requires or ():
            required = Requirement(line)
            if required.marker is None or required.marker.evaluate({"extra": ""}):
                waiting.append(required.name)
    return sum(size for own, size in sizes.items() if own != name)


if __name__ == "__main__":
    main()
