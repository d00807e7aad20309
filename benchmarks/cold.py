"""Cost of a first article in fresh processes, measured from outside, and that of trafilatura.

    python benchmarks/cold.py

Each figure is the median of ten processes, after one that warms the disk cache and writes the
bytecode, which an installed package has already. `rendered_vs_playwright` is the ratio of the
wall-clock times of `miolo extract URL` and of a minimal script that launches the same Chromium,
goes to the page and reads `content()`, each until its last output; `ended_vs_playwright` until the
end of the process, and `rendered_vs_playwright_cpu` of the processor times. The size is that of the
files of Miolo's required packages and their dependencies.
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
from subprocess import DEVNULL, PIPE, Popen
from time import perf_counter

from miolo.evaluate.rendering import serve_folder
from miolo.renderer.browser.chromium import find_chromium
from packaging.requirements import Requirement

RUNS = 10
PROSE = "The bakery on the corner has sold the same loaf for sixty years, says its owner. "
PAGE = (
    "<!doctype html><html lang=en><title>The loaf of the corner</title>"
    "<nav><a href=/>Home</a></nav>"
    f"<article><h1>The loaf of the corner</h1>{f'<p>{4 * PROSE}</p>' * 12}</article>"
)


# What reads a rendered page with nothing but Playwright, in the same Chromium.
PLAYWRIGHT = """
import sys
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=sys.argv[1])
    page = browser.new_page()
    page.goto(sys.argv[2])
    print(page.content(), flush=True)
    browser.close()
"""


def main() -> None:
    command = [sys.executable, "-m", "miolo"]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        os.environ |= {"NO_COLOR": "1", "PYTHONPYCACHEPREFIX": cache}
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        page = Path(folder, "page.html")
        page.write_text(PAGE, encoding="utf-8")
        with serve_folder(Path(folder)) as origin:
            url = f"{origin}/{page.name}"
            spent = costs(
                extract=([*command, "extract", str(page), "--browser", "never"], None),
                trafilatura=([sys.executable, "-m", "trafilatura.cli"], page),
                help=([*command, "--help"], None),
                imported=([sys.executable, "-c", "import miolo"], None),
                bare=([sys.executable, "-c", "pass"], None),
                rendered=([*command, "extract", url], None),
                playwright=([sys.executable, "-c", PLAYWRIGHT, find_chromium().path, url], None),
            )
    wall, cpu, shown = ({name: each[at] for name, each in spent.items()} for at in range(3))
    print(f"a bare interpreter takes {wall['bare']:.3f} s, {cpu['bare']:.3f} s of them of a core")
    figures = {
        "extract_vs_trafilatura_cpu": cpu["extract"] / cpu["trafilatura"],
        "trafilatura_cpu_s": cpu["trafilatura"],
        "extract_static_cpu_s": cpu["extract"],
        "extract_static_s": wall["extract"],
        "rendered_vs_playwright": shown["rendered"] / shown["playwright"],
        "ended_vs_playwright": wall["rendered"] / wall["playwright"],
        "rendered_vs_playwright_cpu": cpu["rendered"] / cpu["playwright"],
        "rendered_s": shown["rendered"],
        "help_s": wall["help"],
        "import_s": wall["imported"] - wall["bare"],
        "base_install_mb": installed_bytes("miolo") / 1e6,
    }
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))


def costs(**commands: tuple[list[str], Path | None]) -> dict[str, tuple[float, ...]]:
    """Median seconds of commands, each with a file as its input or none, which take turns.

    They are the wall-clock time, the processor time, and the wall-clock time of the last output.
    """
    rounds = [{name: cost(*each) for name, each in commands.items()} for _ in range(RUNS + 1)]
    return {
        name: tuple(median(run[name][at] for run in rounds[1:]) for at in range(3))
        for name in commands
    }


def cost(command: list[str], given: Path | None) -> tuple[float, float, float]:
    before, start, shown = spent(), perf_counter(), 0.0
    with (
        open(given or os.devnull, "rb") as source,
        Popen(command, stdin=source, stdout=PIPE, stderr=DEVNULL) as run,
    ):
        assert run.stdout is not None
        while os.read(run.stdout.fileno(), 1 << 20):
            shown = perf_counter() - start
    if run.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {run.returncode}")
    return perf_counter() - start, spent() - before, shown


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
