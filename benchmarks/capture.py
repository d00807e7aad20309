"""Cost of our capture relative to plain Playwright, on the same pages in the same browser.

    python benchmarks/capture.py [--rounds 5]
    python benchmarks/capture.py --processes [--rounds 5]

Plain: a fresh context, `goto` to the load event, `content()`. Ours: the same with a snapshot as
arrays in place of `content()`, without settling and without a screenshot. The two alternate. The
Python side is the work from the protocol's reply, a string, to the `Snapshot`.

`--processes` gives the milliseconds of processor time that each process takes for a page: a plain
one, a post of a site, and one with many scripts. `waited` is Miolo's default, which waits for the
text to settle.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import psutil
from corpus import OFFLINE, parser, post_url, serve_folder, site_table, unpack
from miolo.renderer.browser.assemble import assemble, decode
from miolo.renderer.browser.capture import Capture, capture
from miolo.renderer.browser.engine import Engine
from miolo.renderer.browser.visit import Request, visit
from miolo.renderer.network.egress_proxy import Network
from miolo.renderer.network.policy import EgressPolicy
from miolo.renderer.options import Limits, RenderOptions
from miolo.renderer.page.snapshot import PageInfo
from throughput import PROCESSES, seconds_by_process, server

NAMED = EgressPolicy("named")
SITES = ("algorithmics", "flink", "jakevdp", "moxfive", "relopezbriega", "wsbc", "yulingtianxia")
NODES = (1000, 4000)
POSTS = 5

# What `--processes` visits in one turn of a system, and the time in which its processes end.
VISITS, ENDING_SECONDS = 8, 0.5
SCRIPTS = 60
PROSE = "A sentence that goes on for a while and says what the page is about. "
SCRIPT = """for (let i = 0; i < 200; i++) {
  const box = document.createElement('div');
  box.textContent = 'Box ' + i;
  document.body.append(box);
  if (i % 10) box.remove();
}"""


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--processes", action="store_true", help="processor time by process")
    chosen = options.parse_args()
    work = process_times if chosen.processes else measure
    print(json.dumps(asyncio.run(work(chosen))))


async def measure(chosen) -> dict[str, float]:
    engine = await Engine.start(OFFLINE)
    overheads, python_side, settling = [], [], []
    try:
        for name in SITES:
            folder = unpack(chosen.data / "sites" / f"{name}.tar.xz", chosen.cache)
            with serve_folder(folder) as origin:
                for path in site_table(chosen.data)[name]["posts"][:POSTS]:
                    url = post_url(origin, path)
                    nodes, milliseconds = await python_time(engine, url)
                    if not NODES[0] <= nodes <= NODES[1]:
                        continue
                    plain, ours, settled = await page_times(engine, url, chosen.rounds)
                    overheads.append(ours / plain - 1)
                    settling.append(settled - ours)
                    python_side.append(1000 * milliseconds / nodes)
                    print(
                        f"{name:15} {nodes:5} nodes  plain {1000 * plain:5.0f} ms  "
                        f"ours {1000 * ours:5.0f} ms  settled {1000 * settled:5.0f} ms  "
                        f"Python {python_side[-1]:4.1f} ms a 1,000 nodes",
                        file=sys.stderr,
                    )
    finally:
        await engine.close()
    print(f"{len(overheads)} pages; settling adds {1000 * median(settling):.0f} ms at the median")
    return {
        "overhead": round(median(overheads), 3),
        "python_ms_per_1000_nodes": round(median(python_side), 2),
    }


async def page_times(engine: Engine, url: str, rounds: int) -> tuple[float, float, float]:
    """Median seconds of plain Playwright, of ours, and of ours with settling."""
    network = Network()
    plain, ours, settled = [], [], []
    for _ in range(rounds):
        plain.append(await time_work(plain_visit(engine, url)))
        ours.append(
            await time_work(
                visit(engine, network, Request(url), RenderOptions(wait="load", egress=NAMED))
            )
        )
        settled.append(
            await time_work(visit(engine, network, Request(url), RenderOptions(egress=NAMED)))
        )
    return median(plain), median(ours), median(settled)


async def time_work(work) -> float:
    start = perf_counter()
    await work
    return perf_counter() - start


async def plain_visit(engine: Engine, url: str) -> str:
    context = await engine.browser.new_context(viewport={"width": 1280, "height": 1024})
    try:
        page = await context.new_page()
        await page.goto(url)
        return await page.content()
    finally:
        await context.close()


async def process_times(chosen) -> dict[str, dict[str, dict[str, float]]]:
    """Milliseconds of processor time a page, by page, system and process."""
    figures: dict[str, dict[str, dict[str, float]]] = {}
    post = site_table(chosen.data)["jakevdp"]["posts"][0]
    site = unpack(chosen.data / "sites" / "jakevdp.tar.xz", chosen.cache)
    with tempfile.TemporaryDirectory() as folder:
        write_pages(Path(folder))
        with server(Path(folder)) as origin, server(site) as of_site:
            urls = {
                "plain page": f"{origin}/plain.html",
                "post": post_url(of_site, post),
                "many scripts": f"{origin}/scripts.html",
            }
            engine = await Engine.start(OFFLINE)
            try:
                for name, url in urls.items():
                    figures[name] = await times_of_page(engine, url, chosen.rounds)
            finally:
                await engine.close()
    print(f"{'ms a page':24}" + "".join(f"{name:>10}" for name in (*PROCESSES, "all")))
    for name, systems in figures.items():
        for system, spent in systems.items():
            cells = (*(spent[each] for each in PROCESSES), sum(spent.values()))
            print(f"{name:14}{system:10}" + "".join(f"{cell:10.1f}" for cell in cells))
    return figures


async def times_of_page(engine: Engine, url: str, rounds: int) -> dict[str, dict[str, float]]:
    """Milliseconds of each system by process, with the systems in turn."""
    network = Network()

    def ours(**more: Any) -> Coroutine[Any, Any, Any]:
        return visit(engine, network, Request(url), RenderOptions(egress=NAMED, **more))

    systems: dict[str, Callable[[], Coroutine[Any, Any, Any]]] = {
        "plain": lambda: plain_visit(engine, url),
        "captured": lambda: ours(wait="load"),
        "waited": ours,
    }
    totals = {name: dict.fromkeys(PROCESSES, 0.0) for name in systems}
    for number in range(rounds + 1):
        for name, work in systems.items():
            before = seconds_by_process(psutil.Process())
            for _ in range(VISITS):
                await work()
            await asyncio.sleep(ENDING_SECONDS)
            if number:  # the first round warms up
                for kind, seconds in seconds_by_process(psutil.Process()).items():
                    totals[name][kind] += seconds - before[kind]
    pages = rounds * VISITS
    return {
        system: {name: round(1000 * spent[name] / pages, 2) for name in PROCESSES}
        for system, spent in totals.items()
    }


def write_pages(folder: Path) -> None:
    """Write a page without scripts, and one with many."""
    prose = "".join(f"<p>{6 * PROSE}</p>" for _ in range(20))
    page = f"<!doctype html><title>A page</title><h1>A page</h1>{prose}"
    (folder / "plain.html").write_text(page, "utf-8")
    for number in range(SCRIPTS):
        (folder / f"{number}.js").write_text(SCRIPT, "utf-8")
    scripts = "".join(f"<script src={number}.js></script>" for number in range(SCRIPTS))
    (folder / "scripts.html").write_text(page + scripts, "utf-8")


async def python_time(engine: Engine, url: str) -> tuple[int, float]:
    """Number of nodes of a page, and best milliseconds from the reply's text to the snapshot."""
    context = await engine.browser.new_context(viewport={"width": 1280, "height": 1024})
    page = await context.new_page()
    await page.goto(url)
    probe = await context.new_cdp_session(page)
    target = (await probe.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
    session = await engine.wire.attach(target)
    page_capture = await capture(engine.wire, session, Limits().nodes)
    await context.close()
    texts = [json.dumps(reply) for reply in page_capture.replies]
    best, nodes = float("inf"), 0
    for _ in range(7):
        start = perf_counter()
        replies = [json.loads(text) for text in texts]
        raw = decode(Capture(replies, page_capture.hosts, page_capture.insets))
        nodes = len(assemble(raw, PageInfo(url=url)))
        best = min(best, perf_counter() - start)
    return nodes, 1000 * best


if __name__ == "__main__":
    main()
