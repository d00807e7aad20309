"""Time to import the package, and to print the command line's help, in fresh processes.

python benchmarks/importing.py
"""

from __future__ import annotations

import json
import subprocess
import sys
from statistics import median
from time import perf_counter

RUNS = 9


def main() -> None:
    bare = wall([sys.executable, "-c", "pass"])
    figures = {
        "import_ms": round(wall([sys.executable, "-c", "import miolo"]) - bare, 1),
        "help_ms": round(wall([sys.executable, "-m", "miolo", "--help"]), 1),
    }
    print(f"a bare interpreter takes {bare:.1f} ms")
    print(json.dumps(figures))


def wall(command: list[str]) -> float:
    """Median milliseconds of a command."""
    times = []
    for _ in range(RUNS):
        start = perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(perf_counter() - start)
    return 1000 * median(times)


if __name__ == "__main__":
    main()
