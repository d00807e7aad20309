"""Pages per second and peak memory on pages of real sites on loopback: ours against others.

    python benchmarks/throughput.py [--pages 500] [--concurrency 8] [--peers-python PYTHON]

Ours renders, waits for the text to settle, extracts by `auto` and writes results that survive a
`kill -9`; `adaptive` is the same with `--browser auto`. Plain Playwright: a fresh context, `goto`
to the load event, `content()`. The fastest peer is one that renders all pages; Crawlee's own choice
between a request and the browser is compared with `adaptive`. Peers that are not installed are left
out; `--peers-python` names the Python of an environment that has them. All systems get the same
Chromium, addresses and number of open pages. They run one after the other and again in reverse
order, each in its own process; a site's server is a separate process. Other programs and machines
may take cores away in the middle of a run, so the processor time of each system's processes is
given, too, by what they do.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from itertools import chain, zip_longest
from pathlib import Path

import psutil
from corpus import parser, post_url, serve_folder, site_table, unpack
from miolo.renderer.browser.chromium import find_chromium
from playwright.sync_api import sync_playwright

RUNS = Path(__file__).with_name("throughput_runs.py")
OWN = ("plain", "miolo", "adaptive")
RENDERING = ("crawl4ai", "crawlee")
PEERS = (*RENDERING, "crawlee_adaptive")
# If the machine becomes slower or faster during the run, it does so for all systems.
THERE_AND_BACK = (*OWN, *PEERS, *PEERS[::-1], *OWN[::-1])
PROCESSES: tuple[str, ...] = ("browser", "painting", "renderer", "utility", "driver", "python")
# Reading the private memory of every process is work too, which grows with their number.
SAMPLE_SECONDS, SAMPLES_OF_MEMORY = 0.5, 6


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--pages", type=int, default=500)
    options.add_argument("--concurrency", type=int, default=8)
    options.add_argument("--peers-python", default=sys.executable)
    chosen = options.parse_args()
    pages, seconds, cores = Counter[str](), Counter[str](), Counter[str]()
    with serve_sites(chosen.data, chosen.cache, chosen.pages) as urls:
        for name in THERE_AND_BACK:
            python = chosen.peers_python if name in PEERS else sys.executable
            run = measure(name, urls, chosen.concurrency, python)
            if run:
                pages[name] += run["found"]
                seconds[name] += run["seconds"]
                cores[name] += sum(run["seconds_by_process"].values())
                print(
                    f"{name:10} {run['found']:4} of {len(urls)} pages, "
                    f"{run['found'] / run['seconds']:5.2f} pages/s, "
                    f"{sum(run['seconds_by_process'].values()) / run['found']:5.3f} core-s a page, "
                    f"{run['peak_mb']:6.0f} MB at most; ms a page: "
                    + ", ".join(
                        f"{kind} {1000 * each / run['found']:.0f}"
                        for kind, each in run["seconds_by_process"].items()
                    ),
                    flush=True,
                )
    rates = {name: pages[name] / seconds[name] for name in pages}
    spent = {name: cores[name] / pages[name] for name in pages}
    fastest = max((name for name in RENDERING if name in rates), key=rates.__getitem__, default="")
    figures = {
        "share_of_plain_playwright": ratio(rates, "miolo", "plain"),
        "times_fastest_peer": ratio(rates, "miolo", fastest),
        "adaptive_times_fastest_peer": ratio(rates, "adaptive", fastest),
        "adaptive_times_adaptive_peer": ratio(rates, "adaptive", "crawlee_adaptive"),
        "pages_per_second": round(rates.get("miolo", 0.0), 2),
        "share_by_core_seconds": ratio(spent, "plain", "miolo"),
        "rates": {name: round(rate, 2) for name, rate in rates.items()},
        "core_seconds": {name: round(each, 3) for name, each in spent.items()},
    }
    print(json.dumps(figures))


def ratio(of: dict[str, float], one: str, other: str) -> float | None:
    """Ratio of two systems; None if one of them was not run."""
    return round(of[one] / of[other], 3) if one in of and other in of else None


@contextlib.contextmanager
def serve_sites(data: Path, cache: Path, count: int) -> Iterator[list[str]]:
    """Addresses of posts of all sites in turn, each site served by its own process."""
    with contextlib.ExitStack() as stack:
        by_site = []
        for name, facts in site_table(data).items():
            folder = unpack(data / "sites" / f"{name}.tar.xz", cache)
            origin = stack.enter_context(server(folder))
            by_site.append([post_url(origin, path) for path in facts["posts"]])
        mixed = chain.from_iterable(zip_longest(*by_site))
        yield [url for url in mixed if url][:count]


@contextlib.contextmanager
def server(folder: Path) -> Iterator[str]:
    """A folder served by another process, so that no system pays for it."""
    command = [sys.executable, __file__, "--serve", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def serve(folder: str) -> None:
    with serve_folder(Path(folder)) as origin:
        print(origin, flush=True)
        threading.Event().wait()


def measure(name: str, urls: list[str], concurrency: int, python: str) -> dict | None:
    """The results that a system reports, with its peak memory; None if the system failed."""
    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder) / "urls.json"
        pages.write_text(json.dumps(urls), "utf-8")
        command = [python, str(RUNS), name, str(pages), str(concurrency), str(Path(folder) / "out")]
        environment = {**os.environ, "MIOLO_CHROMIUM": chromium()}
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
            cwd=folder,
        ) as process:  # fmt: skip
            peak = Peak(process.pid)
            out, stderr = process.communicate()
        if process.returncode:
            print(f"{name} left out: {(stderr.strip().splitlines() or ['no reason'])[-1]}")
            return None
        return {
            **json.loads(out.strip().splitlines()[-1]),
            "peak_mb": peak.stop(),
            "seconds_by_process": peak.seconds,
        }


def seconds_by_process(head: psutil.Process) -> dict[str, float]:
    """Processor seconds so far of a process and those below it, by what they do."""
    total = dict.fromkeys(PROCESSES, 0.0)
    for process in (head, *head.children(recursive=True)):
        with contextlib.suppress(psutil.Error):
            command, times = " ".join(process.cmdline()), process.cpu_times()
            if "--serve" not in command:
                kind = process_kind(command)
                total[kind] += times.user + times.system
                # A page's process is a child of a zygote, and most have ended.
                if kind == "renderer":
                    total[kind] += times.children_user + times.children_system
    return total


def process_kind(command: str) -> str:
    """What a process does, by its command line."""
    signs = {
        "--type=gpu-process": "painting", "--type=utility": "utility", "--type=": "renderer",
        "run-driver": "driver", "--headless": "browser",
    }  # fmt: skip
    return next((kind for sign, kind in signs.items() if sign in command), "python")


class Peak:
    """Peak private memory in MB of a process and its descendants, and their processor time by what
    they do, sampled in a thread.
    """

    def __init__(self, pid: int) -> None:
        self.seconds = dict.fromkeys(PROCESSES, 0.0)
        self._process = psutil.Process(pid)
        self._most = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """Stop sampling, and return the peak in MB."""
        self._ended.set()
        self._thread.join()
        return self._most

    def _look(self) -> None:
        for sample in itertools.count(1):
            if self._ended.wait(SAMPLE_SECONDS):
                return
            with contextlib.suppress(psutil.Error):
                for kind, seconds in seconds_by_process(self._process).items():
                    self.seconds[kind] = max(self.seconds[kind], seconds)
                if sample % SAMPLES_OF_MEMORY == 0:
                    self._most = max(self._most, private_mb(self._process))


def private_mb(head: psutil.Process) -> float:
    """Private memory of a process and those below it."""
    total = 0
    for process in (head, *head.children(recursive=True)):
        with contextlib.suppress(psutil.Error):
            total += process.memory_full_info().uss
    return total / 1e6


def chromium() -> str:
    with sync_playwright() as playwright:
        return str(find_chromium(playwright.chromium.executable_path).path)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    else:
        main()
