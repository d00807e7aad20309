"""Random `kill -9` of a batch: is the result the same as that of an undisturbed run?

    python benchmarks/kill.py [--kills 50] [--pages 400]

Posts of real sites are served on loopback, each under a distinct address. The run's own process is
repeatedly killed after a random time, and finally left to finish. Then the same list runs
undisturbed in another folder. A page of the second run is lost if the first run lacks it or has
another row for it, and duplicated if it has two rows. No process of a killed run may be left.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import psutil
from corpus import parser
from throughput import serve_sites

SECONDS = (0.5, 6.0)
END_SECONDS = 30.0


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--kills", type=int, default=50)
    options.add_argument("--pages", type=int, default=400)
    chosen = options.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_sites(chosen.data, chosen.cache, chosen.pages) as urls,
    ):
        pages = Path(folder) / "urls.txt"
        pages.write_text("\n".join(urls), "utf-8")
        killed, undisturbed = Path(folder) / "killed", Path(folder) / "undisturbed"
        kills, left = kill_repeatedly(command(pages, killed), chosen.kills)
        subprocess.run(command(pages, undisturbed), check=False)
        print(json.dumps({"kills": kills, **compare(killed, undisturbed), "processes_left": left}))


def command(pages: Path, out: Path) -> list[str]:
    run = [sys.executable, "-m", "miolo", "batch", str(pages), "-o", str(out)]
    # With auto, the pages that are read as served depend on what is known about their hosts so far.
    run += ["--browser", "always"]
    return [*run, "--delay", "0", "--per-host", "8", "--browsers", "1", "--allow-private"]


def kill_repeatedly(run: list[str], kills: int) -> tuple[int, int]:
    """Kill a run at random moments, then let it finish; returns the kills and processes left."""
    chance, done, left = random.Random(0), 0, 0
    while done < kills:
        process = subprocess.Popen(run, stderr=subprocess.DEVNULL)
        try:
            process.wait(chance.uniform(*SECONDS))
            break  # all pages were done before the last of the kills
        except subprocess.TimeoutExpired:
            below = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(signal.SIGKILL)
            process.wait()
            done += 1
            left += len(psutil.wait_procs(below, timeout=END_SECONDS)[1])
        print(f"kill {done}", file=sys.stderr, flush=True)
    subprocess.run(run, check=False)
    return done, left


def compare(killed: Path, undisturbed: Path) -> dict[str, int]:
    first, second = rows(killed), rows(undisturbed)
    by_page = {row["requested_url"]: row for row in first}
    pairs = [(by_page.get(row["requested_url"], {}), row) for row in second]
    other = Counter(key for a, b in pairs for key in a.keys() | b if a.get(key) != b.get(key))
    if other:
        print(f"fields that differ, with their pages: {dict(other)}")
    return {
        "pages": len(second),
        "lost": sum(one != row for one, row in pairs),
        "duplicated": len(first) - len(by_page),
    }


def rows(folder: Path) -> list[dict]:
    lines = (folder / "results.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


if __name__ == "__main__":
    main()
