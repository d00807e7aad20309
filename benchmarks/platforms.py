"""Score readers on styled sites of many platforms: rendered, as served, and peers.

    python benchmarks/platforms.py
    python benchmarks/platforms.py --reader other.npz --sites docs threads --rows rows.json

The truth is the text that the selectors of `platforms.json` choose on the page as served, so text
that scripts rewrite lowers the scores of rendered pages a little. Pages are rendered the first
time. `benchmarks/reader.py --folds` scores readers on sites that they were not trained on.
"""

from __future__ import annotations

import json
import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before NumPy is imported
    os.environ.setdefault(name, "1")

from argparse import ArgumentParser  # noqa: E402
from collections import defaultdict  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import miolo  # noqa: E402
import trafilatura  # noqa: E402
from corpus import parser  # noqa: E402
from miolo.evaluate.systems import PEERS, peer_systems  # noqa: E402
from miolo.extract.pipeline import extract_snapshot  # noqa: E402
from miolo.extract.scoring import scored_text, shingle_score  # noqa: E402
from miolo.models.article.model import Reader, shipped_reader  # noqa: E402
from platform_pages import PlatformPage, platform_pages, render_pages  # noqa: E402

THREADS = ("forum", "mail", "issue", "qa")
"""Kinds whose comments are the text."""

FAMILIES = ("news", "blogs", "misc", "docs", "threads", "lists")

Row = dict[str, Any]


def main() -> None:
    options = with_snapshots(parser(__doc__ or ""))
    options.add_argument(
        "--reader", type=Path, nargs="*", default=[], help="beside the shipped one"
    )
    options.add_argument("--sites", nargs="*", default=[], help="families or <family>/<site>")
    options.add_argument("--per-site", type=int, default=100, help="pages of each site")
    options.add_argument("--peers", default="", help="beside trafilatura, with commas")
    options.add_argument("--rows", type=Path, help="file for the scores of every page")
    chosen = options.parse_args()
    pages = platform_pages(chosen.data, chosen.cache, chosen.snapshots)
    names = [{page.family, f"{page.family}/{page.site}"} for page in pages]
    wanted = set(chosen.sites)
    pages = [p for p, of in zip(pages, names, strict=True) if not wanted or of & wanted]
    pages = [page for page in pages if page.number < chosen.per_site]
    render_pages(pages, report)
    readers = {"": shipped_reader()} | {f":{x.stem}": Reader.load(x) for x in chosen.reader}
    peers = [peer for peer in chosen.peers.split(",") if peer]
    peer_systems(peers, ["raw"])  # which fails at once where one is missing
    rows = [score_page(page, readers) | score_peers(page, peers) for page in pages]
    if chosen.rows:
        chosen.rows.write_text(json.dumps(rows), "utf-8")
    figures = summarise(rows)
    report(table(figures))
    print(json.dumps(figures))


def with_snapshots(options: ArgumentParser) -> ArgumentParser:
    """Add the option for the folder of the snapshots of styled sites."""
    options.add_argument(
        "--snapshots", type=Path, default=None, help="folder of the snapshots of styled sites"
    )
    return options


def report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def score_page(page: PlatformPage, readers: dict[str, Reader]) -> Row:
    """F1 of each reader on a page, rendered and as served; 0 where it cannot be read."""
    row: Row = {"site": f"{page.family}/{page.site}", "page": page.case.path}
    row |= {"kind": page.facts["kind"]}
    truth = page.truth()
    for variant, read in (("rendered", page.rendered), ("served", page.served)):
        try:
            snapshot = read()
        except (miolo.MioloError, OSError) as error:
            report(f"{row['site']}/{row['page']}: {error}")
            row |= {variant + suffix: 0.0 for suffix in readers}
            continue
        for suffix, reader in readers.items():
            extraction = extract_snapshot(snapshot, model=reader)
            row[variant + suffix] = shingle_score(truth, scored_text(extraction)).f1
            row[f"{variant} kind{suffix}"] = extraction.kind
    return row


def score_peers(page: PlatformPage, peers: Sequence[str]) -> Row:
    """F1 of trafilatura and of other peers on a page as served."""
    comments = page.facts["kind"] in THREADS
    markup, truth = page.case.source.read_bytes(), page.truth()
    texts = {"trafilatura": trafilatura.extract(markup, include_comments=comments) or ""}
    texts |= {peer: PEERS[peer].read(markup, page.case.url).text for peer in peers}
    return {peer: shingle_score(truth, text).f1 for peer, text in texts.items()}


def summarise(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Number of pages and mean scores of each family."""
    by_family: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_family[row["site"].partition("/")[0]].append(row)
    return {
        family: {"pages": len(by_family[family])} | _means(by_family[family])
        for family in FAMILIES
        if family in by_family
    }


def _means(rows: Sequence[Row]) -> dict[str, float]:
    columns = [name for name, value in rows[0].items() if isinstance(value, float)]
    return {name: round(sum(row[name] for row in rows) / len(rows), 4) for name in columns}


def table(figures: dict[str, dict[str, float]]) -> str:
    """The figures as a table in Markdown."""
    columns = list(dict.fromkeys(name for row in figures.values() for name in row))
    lines = [["", *columns], ["---"] * (len(columns) + 1)]
    for family, row in figures.items():
        lines.append([family, *(_cell(row[name]) for name in columns)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cell(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}".removeprefix("0")


if __name__ == "__main__":
    main()
