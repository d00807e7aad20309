"""This version against another one: seconds and accuracy on the same styled pages, alternately.

    python benchmarks/versions.py --other ../before/.venv/bin/python --pages 80

One page of each styled site is rendered and extracted by both versions in turn, each in a process
of its own that keeps its browser. The figures are mean seconds for rendering, the median wait of
this version for a page to settle, and word F1 by family.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import defaultdict
from contextlib import ExitStack
from itertools import cycle
from statistics import fmean, median
from typing import IO, Any
from urllib.parse import quote

from corpus import parser, serve_folder
from miolo.extract.scoring import shingle_score
from platform_pages import PlatformPage, platform_pages

WORKER = """
import asyncio, json, sys, time
import miolo

async def main():
    options = miolo.RenderOptions(egress=miolo.EgressPolicy("always"))
    async with miolo.Renderer(options) as renderer:
        print(flush=True)
        while url := await asyncio.to_thread(sys.stdin.readline):
            started, row = time.perf_counter(), {"text": ""}
            try:
                snapshot = await renderer.render(url.strip())
                row["seconds"] = time.perf_counter() - started
                row["text"] = miolo.extract_snapshot(snapshot).text
                row["settle"] = dict(getattr(snapshot.page, "stages", ())).get("settle")
            except miolo.MioloError as error:
                print(url, error, file=sys.stderr)
            print(json.dumps(row), flush=True)

asyncio.run(main())
"""

Row = dict[str, Any]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--other", required=True, help="the other version's interpreter")
    options.add_argument("--pages", type=int, default=1000, help="maximum number of pages")
    chosen = options.parse_args()
    pages = [page for page in platform_pages(chosen.data, chosen.cache) if not page.number]
    random.Random(3).shuffle(pages)
    versions = {"this": sys.executable, "other": chosen.other}
    with ExitStack() as stack:
        workers = {name: started(stack, python) for name, python in versions.items()}
        rows = [
            judged(page, workers, order)
            for page, order in zip(
                pages[: chosen.pages], cycle((("this", "other"), ("other", "this")))
            )
        ]
    print(json.dumps(summary([row for row in rows if row["seconds"].keys() == versions.keys()])))


def started(stack: ExitStack, python: str) -> subprocess.Popen[str]:
    """A process that renders and extracts each address that it gets."""
    pipe = subprocess.PIPE
    worker = stack.enter_context(
        subprocess.Popen([python, "-P", "-c", WORKER], stdin=pipe, stdout=pipe, text=True)
    )
    assert worker.stdin is not None
    stack.callback(worker.stdin.close)
    line(worker.stdout)
    return worker


def line(output: IO[str] | None) -> str:
    assert output is not None
    return output.readline()


def judged(page: PlatformPage, workers: dict[str, subprocess.Popen[str]], order: Any) -> Row:
    """F1 and seconds of a page by each version."""
    truth = page.truth()
    row: Row = {"family": page.family, "f1": {}, "seconds": {}}
    root = page.case.site
    assert root is not None
    with serve_folder(root) as origin:
        for name in order:
            worker = workers[name]
            assert worker.stdin is not None
            worker.stdin.write(f"{origin}/{quote(page.case.path)}\n")
            worker.stdin.flush()
            got = json.loads(line(worker.stdout))
            row["f1"][name] = shingle_score(truth, got["text"]).f1
            if "seconds" in got:
                row["seconds"][name] = got["seconds"]
            if name == "this":
                row["settle"] = got.get("settle")
    return row


def summary(rows: list[Row]) -> Row:
    """Seconds and waits over all pages, and F1 by family."""
    families: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        families[row["family"]].append(row)
    mean = {name: fmean(row["seconds"][name] for row in rows) for name in ("this", "other")}
    return {
        "times_other": round(mean["this"] / mean["other"], 3),
        "pages": len(rows),
        "seconds": {name: round(value, 3) for name, value in mean.items()},
        "median_settle": round(median(row["settle"] or 0 for row in rows), 3),
        "f1": {
            family: {name: round(fmean(row["f1"][name] for row in of), 4) for name in mean}
            for family, of in sorted(families.items())
        },
    }


if __name__ == "__main__":
    main()
