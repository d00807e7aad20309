"""What `miolo compare`, and `miolo inspect` of two pages, do; each returns its exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from ..debug.comparison.compare import Comparison, compare_snapshots
from ..debug.reports.compare_report import html_report_of_pair
from ..errors import MioloError
from ..extract.output.terminal import printable
from ..renderer.browser.chromium import runs_as_root
from ..renderer.options import RenderOptions
from ..renderer.snapshot import Snapshot
from .console import print_error
from .sources import lazy_renderer, load_page

__all__ = ["compare_sources", "comparison_json", "inspect_pair_sources"]


async def compare_sources(
    before: str, after: str, options: RenderOptions, form: str, output: Path | None
) -> int:
    """Tell what changed between two sources, as lines or as one JSON object."""
    pages = await _both(before, after, options)
    comparison = compare_snapshots(*pages)
    _log(comparison)
    lines = [comparison_json(*pages, comparison)] if form == "json" else comparison.lines()
    text = "".join(f"{line}\n" for line in lines)
    if output:
        output.write_text(text, encoding="utf-8", errors="replace")
    else:
        print(
            printable(text.encode("utf-8", "replace").decode()), end="", file=sys.stdout, flush=True
        )
    return 0


async def inspect_pair_sources(
    before: str, after: str, options: RenderOptions, output: Path
) -> int:
    """Write the report of two sources, side by side."""
    pages = await _both(before, after, replace(options, screenshot=True))
    comparison = compare_snapshots(*pages)
    _log(comparison)
    output.write_text(html_report_of_pair(*pages, comparison), encoding="utf-8")
    print_error(f"report of {' and '.join(page.page.url for page in pages)} written to {output}")
    return 0


def comparison_json(before: Snapshot, after: Snapshot, comparison: Comparison) -> str:
    """A comparison as one line of JSON; without the mapping, which is as long as the pages."""
    pages = [
        {"url": page.page.url, "time": page.page.time, "content_hash": page.page.content_hash}
        for page in (before, after)
    ]
    data = {
        "before": pages[0],
        "after": pages[1],
        "distance": comparison.distance,
        "similarity": comparison.similarity,
        "nodes": comparison.nodes,
        "changes": [asdict(change) for change in comparison.changes],
        "warnings": [asdict(warning) for warning in comparison.warnings],
    }
    return json.dumps(data, ensure_ascii=False)


async def _both(before: str, after: str, options: RenderOptions) -> tuple[Snapshot, Snapshot]:
    if runs_as_root():
        print_error(
            "running as root, so Chromium has no sandbox; trust no page, or use another user"
        )
    pages = []
    async with lazy_renderer(options) as renderer:
        for source in (before, after):
            try:
                pages.append(await load_page(renderer, source, options))
            except MioloError:
                print_error(f"{source} is not to be compared")
                raise
    return pages[0], pages[1]


def _log(comparison: Comparison) -> None:
    for line in _summary(comparison):
        print_error(line)


def _summary(comparison: Comparison) -> Iterator[str]:
    for warning in comparison.warnings:
        yield f"{warning.message} ({warning.code})"
    yield (
        f"{len(comparison.changes):,} changes; {comparison.distance:,} nodes apart, "
        f"similarity {comparison.similarity:.3f}"
    )
