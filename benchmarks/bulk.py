"""Pages of a WARC, read in bulk: pages for each second of processor time, beside two peers.

    python benchmarks/bulk.py [--pages 5000] [--ray]

`miolo batch` reads the archive into a folder with one and with two workers, without a browser; its
rows have text, HTML, Markdown and metadata. trafilatura gives the text alone, and all its metadata
with it; resiliparse gives the main text. The peers read the same bytes in one process. Systems
take turns on parts of the archive, so that a slower hour of the machine is one for all of them.
Seconds are processor time of the processes that read pages, their start included; `parent` is the
share of the process that keeps the state, and `speedup` the ratio of the wall-clock times of one
and two workers, which needs an idle machine. `--ray` reads the parts through Ray Data, too, with
one actor: `ray` is the ratio of its wall-clock time to that of `miolo batch` with one worker.
"""

# ruff: noqa: E402

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import miolo
import trafilatura
from corpus import parser, unpack
from miolo.collect.batch.batch_options import BatchOptions
from miolo.collect.batch.run_batch import queue_list, run_queue
from miolo.renderer.archives.warc import warc_records
from miolo.renderer.network.exchange import Exchange
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import detect_encoding
from resiliparse.parse.html import HTMLTree

SETS = ("news2023", "publishers", "world", "wcxb", "blogs2012")
HTML = (("Content-Type", "text/html"),)
PART = 500
"""Number of pages that a system reads before it is the next one's turn."""
ARCHIVE = "pages.warc.gz"


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--pages", type=int, default=5000)
    options.add_argument("--ray", action="store_true", help="read through Ray Data, too")
    chosen = options.parse_args()
    files = corpus_files(chosen.data, chosen.cache)[: chosen.pages]
    seconds: dict[str, float] = defaultdict(float)
    for start in range(0, len(files), PART):
        pages = [(url, file.read_bytes()) for url, file in files[start : start + PART]]
        for name, read in PEERS.items():
            seconds[name] += cpu_seconds(read, pages)
        with TemporaryDirectory() as folder:
            for name, spent in batch_seconds(Path(folder), pages).items():
                seconds[name] += spent
            if chosen.ray:
                seconds["wall ray"] += ray_seconds(Path(folder))
    report(seconds, len(files))


def corpus_files(data: Path, cache: Path) -> list[tuple[str, Path]]:
    """Addresses and files of pages in random order, without those of the exam."""
    files = []
    for name in SETS:
        folder = unpack(data / "pages" / f"{name}.tar.xz", cache)
        for facts in sorted(folder.glob("*.json")):
            values, file = json.loads(facts.read_text("utf-8")), facts.with_suffix(".html")
            if file.exists() and not values.get("exam"):
                files.append((values.get("url") or f"http://{name}.test/{facts.stem}", file))
    Random(1).shuffle(files)
    return files


def read_text(url: str, html: bytes) -> None:
    trafilatura.extract(html, url=url)


def read_metadata(url: str, html: bytes) -> None:
    trafilatura.extract(html, url=url, output_format="json", with_metadata=True)


def read_main(url: str, html: bytes) -> None:
    tree = HTMLTree.parse_from_bytes(html, detect_encoding(html) or "utf-8")
    extract_plain_text(tree, main_content=True)


PEERS = {
    "trafilatura": read_text,
    "trafilatura, JSON with metadata": read_metadata,
    "resiliparse": read_main,
}


def cpu_seconds(read: Callable[[str, bytes], None], pages: Sequence[tuple[str, bytes]]) -> float:
    start = process_time()
    for url, html in pages:
        try:
            read(url, html)
        except Exception as error:
            print(f"  {url}: {type(error).__name__}: {error}")
    return process_time() - start


def batch_seconds(folder: Path, pages: Sequence[tuple[str, bytes]]) -> dict[str, float]:
    """Seconds of `miolo batch` with one and two workers."""
    archive, seconds = folder / ARCHIVE, {}
    exchanges = (Exchange(url, 200, HTML, html) for url, html in pages)
    archive.write_bytes(warc_records(exchanges))
    for count in (1, 2):
        options = BatchOptions(
            render=miolo.RenderOptions(browser="never"), browsers=count, replay=archive
        )
        begun = children_seconds(), process_time(), perf_counter()
        with miolo.open_archive(archive) as opened:
            queue_list(folder / str(count), opened.pages(), options)
            asyncio.run(run_queue(folder / str(count), options))
        ended = children_seconds(), process_time(), perf_counter()
        for name, start, end in zip(("workers", "parent", "wall"), begun, ended, strict=True):
            seconds[f"{name} {count}"] = end - start
    return seconds


def ray_seconds(folder: Path) -> float:
    """Wall-clock seconds in which one actor reads the archive, once Ray itself runs."""
    import ray
    from miolo.collect.distributed import PageRecipe, extract_to_parquet

    if not ray.is_initialized():
        ray.init(num_cpus=2, log_to_driver=False)
    recipe = PageRecipe(render=miolo.RenderOptions(browser="never"), archives=True, column="path")
    start = perf_counter()
    extract_to_parquet([str(folder / ARCHIVE)], folder / "ray", recipe, actors=1, batch=1)
    return perf_counter() - start


def children_seconds() -> float:
    usage = getrusage(RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def report(seconds: dict[str, float], pages: int) -> None:
    names = {"miolo batch": "workers 1", **{name: name for name in PEERS}}
    for name, key in names.items():
        print(f"{name:34}{pages / seconds[key]:8.1f} pages/s")
    figures = {
        "times_trafilatura": seconds["trafilatura"] / seconds["workers 1"],
        "times_trafilatura_json": seconds["trafilatura, JSON with metadata"] / seconds["workers 1"],
        "times_resiliparse": seconds["resiliparse"] / seconds["workers 1"],
        "parent": seconds["parent 1"] / seconds["workers 1"],
        "speedup": seconds["wall 1"] / seconds["wall 2"],
        "workers_2_to_1": seconds["workers 2"] / seconds["workers 1"],
    }
    if "wall ray" in seconds:
        figures["ray"] = seconds["wall ray"] / seconds["wall 1"]
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
