"""The article with and without a browser: F1 and milliseconds, against others on raw HTML.

    python benchmarks/static.py [--limit 40] [--posts 3]

The news sets are single pages without style sheets, rendered with scripts off; the sites are
complete and served on loopback. F1 is of four-token shingles, from means of precision and recall.
`never` goes from a page's bytes to its text in one process, and `whole` to all of its JSON;
`always` renders the page first; `auto` is what `browser="auto"` does: it reads the page without a
browser, and renders it if the result cannot be trusted. Its agreement is the mean F1 of its text,
with that of the rendered page as the truth. Milliseconds are processor time, except that those of
`always` are wall-clock time, most of it Chromium's. A reader's time on a page is the minimum over
its rounds; the ratios are over all news pages together.
"""

# ruff: noqa: E402

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from statistics import mean
from time import perf_counter, process_time

import miolo
import trafilatura
from corpus import parser, unpack, unpack_sites
from miolo.evaluate.case import Case
from miolo.evaluate.page_sets import page_cases
from miolo.evaluate.rendering import OFFLINE, PAGE_OPTIONS, SITE_OPTIONS, render_case, serve_folder
from miolo.evaluate.site_sets import site_cases
from miolo.evaluate.systems import PEERS
from miolo.extract.plain import is_trusted
from miolo.extract.scoring import score_set, scored_text, shingle_score

SETS = ("news2023", "publishers")
OTHERS = ("readability-lxml", "resiliparse", "newspaper4k")
TIMED = ("never", "whole", "trafilatura")
ROUNDS = 3


@dataclass
class Row:
    """Texts of one page by each way of reading, and the times."""

    case: Case
    trusted: bool
    text: dict[str, str] = field(default_factory=dict)
    ms: dict[str, float] = field(default_factory=dict)


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--limit", type=int, default=40, help="pages of a set")
    options.add_argument("--posts", type=int, default=3, help="posts of a site")
    chosen = options.parse_args()
    folders = [unpack(chosen.data / "pages" / f"{name}.tar.xz", chosen.cache) for name in SETS]
    pages = [
        case
        for folder in folders
        for case in page_cases([folder], chosen.cache, limit=chosen.limit, log=log)
    ]
    rows = measure(pages, PAGE_OPTIONS)
    if chosen.posts:
        sites = unpack_sites(chosen.data, chosen.cache)
        posts = [
            case
            for site in site_cases(sites, chosen.cache, posts=chosen.posts, log=log)
            for case in site.judged
        ]
        rows += measure(posts, SITE_OPTIONS)
    report(rows)


def log(sentence: str) -> None:
    print(f"  {sentence}", file=sys.stderr)


def measure(cases: Sequence[Case], options: miolo.RenderOptions) -> list[Row]:
    """Read every page in every way; the first page is read twice, so that models are loaded."""
    by_raw(cases[0], 1)
    rows = [by_raw(case, ROUNDS) for case in cases]
    asyncio.run(by_browser(rows, options))
    return rows


def by_raw(case: Case, rounds: int) -> Row:
    """Read a page with all systems that read HTML as served."""
    source = case.source.read_bytes()

    def read_plain() -> tuple[miolo.Snapshot, miolo.Extraction]:
        snapshot = miolo.Snapshot.from_html(source, url=case.url)
        return snapshot, miolo.extract_snapshot(snapshot)

    row = Row(case, is_trusted(*read_plain()))
    systems: dict[str, Callable[[], str]] = {
        "never": lambda: scored_text(read_plain()[1]),
        "whole": lambda: json.dumps(read_plain()[1].to_dict()),
        "trafilatura": lambda: trafilatura.extract(source, include_comments=False) or "",
    }
    for name in OTHERS:
        systems[name] = partial(peer_text, name, source, case.url)
    for name, read in systems.items():
        best = float("inf")
        # The slow systems, whose times are not compared, are timed once.
        for _ in range(rounds if name in TIMED else 1):
            start = process_time()
            row.text[name] = read()
            best = min(best, process_time() - start)
        row.ms[name] = 1000 * best
    return row


def peer_text(name: str, source: bytes, url: str) -> str:
    try:
        return PEERS[name].read(source, url or "https://page.invalid/").text or ""
    except Exception as error:
        log(f"{name}: {type(error).__name__}: {error}")
        return ""


async def by_browser(rows: Sequence[Row], options: miolo.RenderOptions) -> None:
    """Render all pages, one after the other, and read them."""
    options = replace(options, browser="always")
    async with miolo.Renderer(options, switches=OFFLINE) as renderer:
        for folder, group in groupby(rows, key=lambda row: str(row.case.site or "")):
            with serve_folder(Path(folder)) if folder else nullcontext("") as origin:
                for row in group:
                    await by_renderer(renderer, row, origin)


async def by_renderer(renderer: miolo.Renderer, row: Row, origin: str) -> None:
    start = perf_counter()
    try:
        snapshot = await render_case(renderer, row.case, origin)
        row.text["always"] = scored_text(miolo.extract_snapshot(snapshot))
    except miolo.MioloError as error:
        log(f"{row.case.id}: {error}")
        row.text["always"] = ""
    row.ms["always"] = 1000 * (perf_counter() - start)
    row.text["auto"] = row.text["never" if row.trusted else "always"]
    row.ms["auto"] = row.ms["never"] + (0 if row.trusted else row.ms["always"])


def report(rows: Sequence[Row]) -> None:
    names = ("never", "auto", "always", "trafilatura", *OTHERS)
    groups = {
        **{name: [row for row in rows if row.case.set == name] for name in SETS},
        "sites": [row for row in rows if row.case.site is not None],
    }
    print(f"{'':18}" + "".join(f"{name:>20}" for name in groups))
    f1: dict[str, dict[str, float]] = {}
    for name in names:
        cells = []
        for group, members in groups.items():
            value = score_set(
                shingle_score(row.case.text or "", row.text[name]) for row in members
            ).f1
            f1.setdefault(group, {})[name] = round(value, 4)
            spent = mean(row.ms[name] for row in members) if members else 0.0
            cells.append(f"{value:8.3f} {spent:8.1f} ms")
        print(f"{name:18}" + "".join(f"{cell:>20}" for cell in cells))
    agreement = {
        group: round(mean(agreed(row) for row in members), 4)
        for group, members in groups.items()
        if members
    }
    share = {
        group: round(mean(row.trusted for row in members), 3)
        for group, members in groups.items()
        if members
    }
    news = [row for row in rows if row.case.site is None]
    ms = {name: sum(row.ms[name] for row in news) for name in TIMED}
    figures = {
        "vs_trafilatura_time": round(ms["never"] / ms["trafilatura"], 3),
        "whole_vs_trafilatura_time": round(ms["whole"] / ms["trafilatura"], 3),
        "agreement_auto": round(mean(agreed(row) for row in rows), 4),
        "agreement": agreement,
        "without_browser": share,
        "f1": f1,
        "pages": len(rows),
    }
    print(json.dumps(figures))


def agreed(row: Row) -> float:
    """F1 of the text by `auto`, with that of the rendered page as the truth."""
    if row.text["auto"] == row.text["always"]:
        return 1.0
    return shingle_score(row.text["always"], row.text["auto"]).f1


if __name__ == "__main__":
    main()
