"""Whether the boxes of an annotated screenshot lie on the text that they name, and its cost.

    python benchmarks/registration.py [--sites zhangrxiang] [--pages 4]

Posts of saved sites are rendered with screenshots. Right after the screenshot the page is captured
again, and the boxes of the kept blocks are computed from the texts of both captures. A box is
misplaced if an edge differs by more than 2 px, or if its text is gone. The time of a screenshot,
including the hiding of layers over the text, is compared with that of Playwright's
``screenshot(full_page=True)`` on the same pages. The last line is JSON.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import miolo
import numpy as np
from corpus import parser, site_table, unpack
from miolo.evaluate.rendering import OFFLINE, serve_folder
from miolo.evaluate.site_sets import post_url
from miolo.renderer.browser import visit
from miolo.renderer.browser.assemble import snapshot_of
from miolo.renderer.browser.capture import STYLES, Capture
from miolo.renderer.browser.chromium import find_chromium
from miolo.workers.system import is_root
from playwright.async_api import async_playwright

TOLERANCE = 2.0

after_picture: list[miolo.Snapshot] = []
spent: list[float] = []


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--sites", help="comma-separated; all without")
    options.add_argument("--pages", type=int, default=4, help="posts of each site")
    chosen = options.parse_args()
    capture_after_pictures()
    table = site_table(chosen.data)
    names = chosen.sites.split(",") if chosen.sites else list(table)
    rows = []
    for name in names:
        folder = unpack(chosen.data / "sites" / f"{name}.tar.xz", chosen.cache)
        row = asyncio.run(site(folder, table[name]["posts"][: chosen.pages]))
        print(f"| {name} | {' | '.join(f'{value:.3g}' for value in row.values())} |", flush=True)
        rows.append(row)
    boxes, misplaced = (sum(row[key] for row in rows) for key in ("boxes", "misplaced"))
    ours, theirs = (sum(row[key] for row in rows) for key in ("picture_s", "playwright_s"))
    figures = {
        "share_misplaced": round(misplaced / max(boxes, 1), 5),
        "times_playwright": round(ours / max(theirs, 1e-9), 3),
        "boxes": boxes,
        "misplaced": misplaced,
        "warned_pages": sum(row["warned"] for row in rows),
        "pages": sum(row["pages"] for row in rows),
        "picture_s": round(ours, 2),
        "playwright_s": round(theirs, 2),
    }
    print(json.dumps(figures))


def capture_after_pictures() -> None:
    """Make the renderer capture each page again, right after its screenshot."""
    take = visit.take_screenshot

    async def take_and_capture(session: Any, snapshot: Any, *rest: Any) -> Any:
        started = perf_counter()
        result = await take(session, snapshot, *rest)
        spent.append(perf_counter() - started)
        reply = await session.send(
            "DOMSnapshot.captureSnapshot", computedStyles=list(STYLES), includePaintOrder=True
        )
        after_picture.append(snapshot_of(Capture([reply]), snapshot.page, miolo.Limits()))
        return result

    visit.take_screenshot = take_and_capture
    visit.hide_layers = time_calls(visit.hide_layers)
    visit.show_layers = time_calls(visit.show_layers)


def time_calls(call: Any) -> Any:
    """The same coroutine function, whose time counts as part of the screenshot's."""

    async def timed_call(*arguments: Any) -> Any:
        started = perf_counter()
        result = await call(*arguments)
        spent.append(perf_counter() - started)
        return result

    return timed_call


async def site(folder: Path, posts: list[str]) -> dict[str, float]:
    """Figures of one site."""
    row: dict[str, float] = dict.fromkeys(("pages", "boxes", "misplaced", "warned", "picture_s"), 0)
    with serve_folder(folder) as origin:
        egress = miolo.EgressPolicy("never", allowed=(origin.partition("//")[2],))
        options = miolo.RenderOptions(egress=egress)
        picture = replace(options, screenshot=True, hide_overlays=True)
        async with miolo.Renderer(options, switches=OFFLINE) as renderer:
            for path in posts:
                url = post_url(origin, path)
                after_picture.clear()
                spent.clear()
                snapshot = await renderer.render(url, picture)
                row["picture_s"] += sum(spent)
                row["pages"] += 1
                row["warned"] += any(each.code == "moved" for each in snapshot.page.warnings)
                if after_picture:
                    boxes, misplaced = compare(snapshot, after_picture[-1])
                    row["boxes"] += boxes
                    row["misplaced"] += misplaced
        row["playwright_s"] = await playwright_seconds([post_url(origin, path) for path in posts])
    return row


def compare(snapshot: miolo.Snapshot, later: miolo.Snapshot) -> tuple[int, int]:
    """Number of kept blocks with a box, and of misplaced ones among them."""
    extraction = miolo.extract_snapshot(snapshot)
    places = text_boxes(later)
    partner = {
        node: box
        for key, boxes in text_boxes(snapshot).items()
        for (node, _), (_, box) in zip(boxes, places[key], strict=False)
    }
    boxes = misplaced = 0
    for block in extraction.blocks:
        if not block.kept or not block.box[2]:
            continue
        texts = [
            node
            for node in range(block.node, int(snapshot.end[block.node]))
            if snapshot.is_text[node] and snapshot.box[node][2] > 0
        ]
        if not texts:
            continue
        boxes += 1
        if any(node not in partner for node in texts):
            misplaced += 1
            continue
        one = hull(np.array([snapshot.box[node] for node in texts]))
        two = hull(np.array([partner[node] for node in texts]))
        misplaced += bool(np.abs(one - two).max() > TOLERANCE)
    return boxes, misplaced


def text_boxes(snapshot: miolo.Snapshot) -> dict[str, list[tuple[int, Any]]]:
    """Nodes of painted texts and their boxes, by text, in document order."""
    boxes: dict[str, list[tuple[int, Any]]] = defaultdict(list)
    for node in np.flatnonzero(snapshot.is_text & (snapshot.box[:, 2] > 0)).tolist():
        boxes[snapshot.text[node]].append((node, snapshot.box[node]))
    return boxes


def hull(boxes: np.ndarray) -> np.ndarray:
    return np.concatenate([boxes[:, :2].min(0), (boxes[:, :2] + boxes[:, 2:]).max(0)])


async def playwright_seconds(urls: list[str]) -> float:
    """Seconds that Playwright takes for screenshots of pages that it has opened."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium().path,
            args=list(OFFLINE),
            chromium_sandbox=not is_root(),
        )
        spent = []
        for url in urls:
            page = await browser.new_page(viewport={"width": 1280, "height": 1024})
            await page.goto(url)
            await page.wait_for_timeout(500)
            started = perf_counter()
            await page.screenshot(full_page=True)
            spent.append(perf_counter() - started)
            await page.close()
        await browser.close()
    return sum(spent)


if __name__ == "__main__":
    main()
