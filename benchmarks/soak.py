"""A long run: does memory stay constant, and is anything left behind?

    python benchmarks/soak.py [--pages 2000] [--hostile 0.05] [--picture docs/images/soak.png]

`miolo batch` processes posts of real sites on loopback repeatedly, each time under new addresses. A
share of the pages comes from the hostile set (tests/hostile), in turn. Memory is the sum of the
private memory of the run, its workers and their browsers. The growth is the median over the last
tenth of pages divided by the median around page 200, minus 1.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import tempfile
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from time import monotonic

import psutil
from corpus import OFFLINE, parser
from miolo.collect.batch.batch_options import BatchOptions
from miolo.collect.batch.hosts import Politeness
from miolo.collect.batch.run_batch import queue_list, run_queue
from miolo.collect.batch.runner import Progress
from miolo.renderer.network.policy import EgressPolicy
from miolo.renderer.options import Limits, RenderOptions
from PIL import Image, ImageDraw
from throughput import serve_sites

sys.path += [str(Path(__file__).resolve().parents[1] / "tests" / "hostile")]

from hostile_set import HOSTILE, serving_hostile

# Deadline of a page; most hostile pages use all of it, and are tried twice.
SECONDS = 10
# Left out: this page asks for minutes of delay for its host, which all hostile pages share.
POSTPONING = "retry-after-odd"
SETTLED = 200
EVERY = 10


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--pages", type=int, default=2000)
    options.add_argument("--hostile", type=float, default=0.0, help="share of hostile pages")
    options.add_argument("--picture", type=Path)
    chosen = options.parse_args()
    before_processes, before_folders = below(), temporary()
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_sites(chosen.data, chosen.cache, 1000) as urls,
        serving_hostile() as origin,
    ):
        servers = below() - before_processes
        pages = list(islice(addresses(urls, origin, chosen.hostile), chosen.pages))
        started = monotonic()
        curve = asyncio.run(memory_curve(Path(folder) / "out", pages))
        seconds = monotonic() - started
        left = below() - before_processes - servers
    print(f"{len(curve)} looks, {curve[0][1]:.0f} MB at first, {curve[-1][1]:.0f} MB at last")
    if chosen.picture:
        draw(curve, chosen.picture)
    figures = {
        "pages": len(pages),
        "hostile": sum(page.startswith(origin) for page in pages),
        "pages_per_minute": round(60 * len(pages) / seconds, 1),
        "memory_growth": round(growth(curve, chosen.pages), 3),
        "processes_left": len(left),
        "folders_left": len(temporary() - before_folders),
    }
    print(json.dumps(figures))


def addresses(urls: list[str], origin: str, share: float) -> Iterator[str]:
    """An endless sequence of pages with distinct addresses, a share of them hostile."""
    kept = [name for name in HOSTILE if name != POSTPONING]
    ordinary, hostile, owed = cycle(urls), cycle(kept), 0.0
    for number, url in enumerate(ordinary):
        owed += share
        if owed >= 1.0:
            owed -= 1.0
            yield f"{origin}/{next(hostile)}?copy={number}"
        yield f"{url}?copy={number}"


async def memory_curve(out: Path, urls: list[str]) -> list[tuple[int, float]]:
    """Numbers of finished pages, and the memory in MB at each."""
    curve: list[tuple[int, float]] = []

    def look(progress: Progress) -> None:
        if progress.done // EVERY > (curve[-1][0] // EVERY if curve else -1):
            curve.append((progress.done, memory()))

    options = BatchOptions(
        render=RenderOptions(egress=EgressPolicy("always"), limits=Limits(SECONDS)),
        politeness=Politeness(0, 8),
        switches=OFFLINE,
    )
    queue_list(out, urls, options)
    await run_queue(out, options, on_progress=look)
    return curve


def memory() -> float:
    """Private memory in MB of this process and all its descendants except the servers."""
    total = 0
    for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
        with contextlib.suppress(psutil.Error):
            if "--serve" not in process.cmdline():
                total += process.memory_full_info().uss
    return total / 1e6


def growth(curve: list[tuple[int, float]], pages: int) -> float:
    settled = [mb for done, mb in curve if SETTLED <= done < SETTLED + pages / 10]
    last = [mb for done, mb in curve if done >= 0.9 * pages]
    return median(last) / median(settled) - 1


def below() -> set[int]:
    return {process.pid for process in psutil.Process().children(recursive=True)}


def temporary() -> set[Path]:
    return {path for path in Path(tempfile.gettempdir()).iterdir() if path.is_dir()}


def draw(curve: list[tuple[int, float]], path: Path, size: tuple[int, int] = (900, 320)) -> None:
    """Draw the curve: pages to the right, MB upwards from 0."""
    width, height = size
    picture = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(picture)
    most, last = 1.2 * max(mb for _, mb in curve), max(done for done, _ in curve)
    left, bottom = 70, height - 40

    def at(done: float, mb: float) -> tuple[float, float]:
        return left + done / last * (width - left - 20), bottom - mb / most * (bottom - 20)

    for mb in range(0, int(most), max(100, int(most / 5) // 100 * 100)):
        pen.line([at(0, mb), at(last, mb)], fill="#dddddd")
        pen.text((8, at(0, mb)[1] - 6), f"{mb:,} MB", fill="#333333")
    for done in range(0, last + 1, max(1, last // 5)):
        pen.text((at(done, 0)[0] - 12, bottom + 8), f"{done:,}", fill="#333333")
    pen.text((width // 2, height - 16), "pages", fill="#333333")
    pen.line([at(*point) for point in curve], fill="#1f5fa8", width=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path)


if __name__ == "__main__":
    main()
