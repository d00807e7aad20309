"""Cost of a page, for the plan in `docs/scale.md`: core time, memory, storage.

    python benchmarks/scale.py [--pages 400] [--workers 2] [--site jakevdp] [--method auto]

As many workers as there are cores render and extract pages of one real site. The same machine
serves the site, so the figures include the server's share. Workers are warmed up before timing.
Storage is that of the site's own posts; their screenshots are not part of the timed run.
"""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import psutil
import pyarrow.parquet as pq
from corpus import OFFLINE, parser, post_url, serve_folder, site_table, unpack
from miolo import RenderOptions, Snapshot
from miolo.collect.distributed import PageReader, PageRecipe
from miolo.extract.options import ExtractOptions
from miolo.output.schema import result_table

PAGES_AT_ONCE = 4
WARM_PAGES = 4
STORED_PAGES = 20
SAMPLE_SECONDS = 0.5
KB, MB, HOUR = 1000, 1_000_000, 3600


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--pages", type=int, default=400)
    options.add_argument("--workers", type=int, default=os.cpu_count())
    options.add_argument("--site", default="jakevdp")
    options.add_argument("--method", default="auto")
    chosen = options.parse_args()
    folder = unpack(chosen.data / "sites" / f"{chosen.site}.tar.xz", chosen.cache)
    paths = site_table(chosen.data)[chosen.site]["posts"]
    recipe = PageRecipe(
        extract=ExtractOptions(chosen.method), pages=PAGES_AT_ONCE, switches=OFFLINE
    )
    with serve_folder(folder) as origin:
        posts = [post_url(origin, path) for path in paths]
        # The same posts again under other addresses, so that no browser has them in its cache.
        turns = ((url, turn) for turn in itertools.count() for url in posts)
        urls = [f"{url}?turn={turn}" for url, turn in itertools.islice(turns, chosen.pages)]
        results = speed(urls, recipe, chosen.workers)
        results["storage_per_page_kb"] = storage(posts[:STORED_PAGES], recipe)
    print(json.dumps(results))


def speed(urls: Sequence[str], recipe: PageRecipe, workers: int) -> dict[str, Any]:
    """Pages per core and hour, and peak memory per worker, its browser included."""
    context = multiprocessing.get_context("spawn")
    gate = context.Barrier(workers + 1)
    parts = [urls[number::workers] for number in range(workers)]
    staff = [context.Process(target=work, args=(part, recipe, gate)) for part in parts]
    for worker in staff:
        worker.start()
    gate.wait()
    watch = MemoryWatch([worker.pid or 0 for worker in staff])
    started = perf_counter()
    gate.wait()
    seconds = perf_counter() - started
    peak = watch.end()
    for worker in staff:
        worker.join()
    cores = os.cpu_count() or 1
    print(f"{len(urls)} pages in {seconds:.1f} s on {cores} cores", file=sys.stderr)
    return {
        "pages_per_core_hour": round(len(urls) / seconds / cores * HOUR),
        "memory_per_worker_mb": round(peak / workers / MB),
    }


def work(urls: Sequence[str], recipe: PageRecipe, gate: Any) -> None:
    """One worker: warm up, wait for the others, process the pages."""
    with PageReader(recipe) as reader:
        list(reader.rows(f"{url}&warm" for url in urls[:WARM_PAGES]))
        gate.wait()
        failed = [row["error"] for row in reader.rows(urls) if row["error"]]
        gate.wait()
    for error in failed:
        print(f"  {error}", file=sys.stderr)


class MemoryWatch:
    """Samples the memory of processes and their descendants at regular intervals."""

    def __init__(self, pids: Sequence[int]) -> None:
        self._roots = [psutil.Process(pid) for pid in pids]
        self._ended = threading.Event()
        self._peak = 0
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(SAMPLE_SECONDS):
            self._peak = max(self._peak, sum(map(private_bytes_of_tree, self._roots)))

    def end(self) -> int:
        """Stop sampling, and return the most bytes that all processes held at once."""
        self._ended.set()
        self._thread.join()
        return self._peak


def private_bytes_of_tree(root: psutil.Process) -> int:
    """Private bytes of a process and its descendants."""
    total = 0
    for process in [root, *root.children(recursive=True)]:
        try:
            total += process.memory_full_info().uss
        except psutil.Error:
            continue
    return total


def storage(posts: Sequence[str], recipe: PageRecipe) -> dict[str, float]:
    """Kilobytes per page of the row, the snapshot and the screenshot."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stored = PageRecipe(
            render=RenderOptions(screenshot=True),
            extract=recipe.extract,
            pages=recipe.pages,
            switches=recipe.switches,
            snapshots=folder,
        )
        with PageReader(stored) as reader:
            rows = [row for row in reader.rows(posts) if row["error"] is None]
        pq.write_table(result_table(rows), folder / "rows.parquet", compression="zstd")
        files = list(folder.rglob("*.miolo"))
        pictures = [len(Snapshot.load(file).screenshot or b"") for file in files]
        whole = sum(file.stat().st_size for file in files)
        sizes = {
            "row": (folder / "rows.parquet").stat().st_size,
            "snapshot": whole - sum(pictures),
            "screenshot": sum(pictures),
        }
    return {kind: round(size / max(1, len(rows)) / KB, 1) for kind, size in sizes.items()}


if __name__ == "__main__":
    main()
