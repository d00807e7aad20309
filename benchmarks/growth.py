"""Growth of a collection: time per page, memory and time to open, at 100, 1,000 and 5,000 pages.

    python benchmarks/growth.py                     # all, with nce
    python benchmarks/growth.py --sizes 20,60       # smaller

Posts of real sites are served on loopback; a query ``?copy=N`` makes each address distinct. The
same folder grows step by step, like a run that is resumed. Time per page is measured from the first
page that finishes in a step to the last. Memory is the peak of the sum of the proportional set
sizes (private memory and a share of shared memory) of each kind of process.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import count, islice
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from corpus import OFFLINE, parser, post_url, serve_folder, site_table, unpack
from miolo.collect.batch.batch_options import BatchOptions, Kept
from miolo.collect.batch.hosts import Politeness
from miolo.collect.batch.run_batch import queue_list, run_queue
from miolo.collect.batch.runner import Progress
from miolo.collect.collections.collection import Collection
from miolo.extract.options import ExtractOptions
from miolo.renderer.network.policy import EgressPolicy
from miolo.renderer.options import RenderOptions

SIZES = "100,1000,5000"
SITES = "jakevdp,maku77,leonstafford"
POSTS = 12
OPENINGS = 5
SAMPLE_SECONDS = 0.5
KINDS = ("parent", "workers", "browsers")


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--sizes", default=SIZES, help="pages, ascending, with commas")
    options.add_argument("--sites", default=SITES, help="names, with commas")
    chosen = options.parse_args()
    batch = BatchOptions(
        render=RenderOptions(egress=EgressPolicy("always")),
        extract=ExtractOptions("nce"),
        browsers=1,
        politeness=Politeness(delay=0.0, concurrency=1 << 10),
        kept=Kept(snapshots=True),
        switches=OFFLINE,
    )
    sizes = [int(size) for size in chosen.sizes.split(",")]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        posts = _posts(chosen.data, chosen.cache, chosen.sites.split(","), stack)
        print(json.dumps(growth(folder, posts, sizes, batch)))


def _posts(data: Path, cache: Path, names: Sequence[str], stack: ExitStack) -> list[str]:
    """Addresses of posts, except those behind a hash route, which a query cannot distinguish."""
    table, urls = site_table(data), []
    for name in names:
        folder = unpack(data / "sites" / f"{name}.tar.xz", cache)
        origin = stack.enter_context(serve_folder(folder))
        paths = [path for path in table[name]["posts"] if not path.endswith(".md")]
        urls += [post_url(origin, path) for path in paths[:POSTS]]
    return urls


def _copies(posts: Sequence[str]) -> Iterator[str]:
    for copy in count():
        for url in posts:
            yield f"{url}{'&' if urlsplit(url).query else '?'}copy={copy}"


def growth(
    folder: Path, posts: Sequence[str], sizes: Sequence[int], options: BatchOptions
) -> dict[str, dict[str, object]]:
    """Figures by the number of pages in the collection."""
    figures: dict[str, dict[str, object]] = {"ms_per_page": {}, "memory_mb": {}, "open_ms": {}}
    for size in sizes:
        clock = Clock()
        with Memory() as memory:
            pages = islice(_copies(posts), size)
            queue_list(folder, pages, options)
            counts = asyncio.run(run_queue(folder, options, on_progress=clock.on_progress))
        figures["ms_per_page"][str(size)] = clock.ms_per_page()
        figures["memory_mb"][str(size)] = memory.most
        figures["open_ms"][str(size)] = opening(folder, counts.done)
        usage = ", ".join(f"{kind} {mb} MB" for kind, mb in memory.most.items())
        print(
            f"{size:>6} pages ({counts.failed} failed): {clock.ms_per_page()} ms a page, {usage}, "
            f"opened in {figures['open_ms'][str(size)]} ms",
            flush=True,
        )
    return figures


class Clock:
    """Times at which the pages of a step finish."""

    def __init__(self) -> None:
        self._first: tuple[float, int] | None = None
        self._last = (0.0, 0)

    def on_progress(self, progress: Progress) -> None:
        """Record the progress of the run."""
        ended = progress.done + progress.failed
        if ended > self._last[1]:
            self._last = (time.perf_counter(), ended)
            self._first = self._first or self._last

    def ms_per_page(self) -> float | None:
        """Mean milliseconds from the end of one page to the end of the next."""
        if self._first is None or self._last[1] == self._first[1]:
            return None
        seconds = self._last[0] - self._first[0]
        return round(1000 * seconds / (self._last[1] - self._first[1]), 1)


class Memory:
    """Peak memory of the program's processes inside the context, in MB by kind of process."""

    def __init__(self) -> None:
        self.most: dict[str, float] = dict.fromkeys(KINDS, 0.0)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        own = psutil.Process()
        while not self._ended.wait(SAMPLE_SECONDS):
            held: dict[str, float] = dict.fromkeys(KINDS, 0.0)
            held["parent"] = _megabytes(own)
            for child in own.children(recursive=True):
                held[_kind(child)] += _megabytes(child)
            self.most = {kind: round(max(held[kind], self.most[kind]), 1) for kind in KINDS}


def _kind(process: psutil.Process) -> str:
    try:
        return "workers" if "python" in process.name() else "browsers"
    except psutil.Error:
        return "browsers"


def _megabytes(process: psutil.Process) -> float:
    try:
        return process.memory_full_info().pss / 1e6
    except psutil.Error:
        # The process has ended in the meantime.
        return 0.0


def opening(folder: Path, done: int) -> float:
    """Milliseconds to open a collection, read its size and load its first snapshot; median."""
    times = []
    for _ in range(OPENINGS):
        start = time.perf_counter()
        collection = Collection(folder)
        assert len(collection) == done
        next(collection.snapshots())
        times.append(1000 * (time.perf_counter() - start))
    return round(statistics.median(times), 1)


if __name__ == "__main__":
    main()
