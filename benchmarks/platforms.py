"""Score readers on styled sites of many platforms: rendered, as served, and peers.

    python benchmarks/platforms.py
    python benchmarks/platforms.py --reader other.npz --sites docs threads --rows rows.json
    python benchmarks/platforms.py --sources held.json --peers trafilatura,readability.js,defuddle

The truth is the text that the selectors of `platforms.json` choose: on a rendered page, as rendered
if they match there, since scripts rewrite text. Pages are rendered the first time.
`benchmarks/reader.py --folds` scores readers on sites that they were not trained on, and
`--sources` names the sources that a reader has not seen.

A structure of the page's own content is torn if it comes out neither whole nor absent. Structures
are lists, definition lists, data tables, runs of notes, and headings with what follows them up to
the next one.
"""

from __future__ import annotations

import json
import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before NumPy is imported
    os.environ.setdefault(name, "1")

from argparse import ArgumentParser  # noqa: E402
from collections import Counter, defaultdict  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from itertools import groupby, pairwise  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import miolo  # noqa: E402
import numpy as np  # noqa: E402
import trafilatura  # noqa: E402
from corpus import parser  # noqa: E402
from miolo.evaluate.case import Page  # noqa: E402
from miolo.evaluate.systems import PEERS, peer_systems  # noqa: E402
from miolo.extract.pipeline import extract_snapshot  # noqa: E402
from miolo.extract.scoring import scored_text, shingle_score  # noqa: E402
from miolo.features.article.features import block_features  # noqa: E402
from miolo.features.blocks import TextBlocks, article_blocks  # noqa: E402
from miolo.models.article.decision import LOWEST_LEVEL  # noqa: E402
from miolo.models.article.model import Reader, shipped_reader  # noqa: E402
from miolo.models.article.roles import LETTERS  # noqa: E402
from miolo.models.article.samples import UNKNOWN, align_roles  # noqa: E402
from miolo.models.article.units import find_units  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from platform_pages import (  # noqa: E402
    NodeTruth,
    PlatformPage,
    block_truth,
    node_truth,
    platform_pages,
    render_pages,
)

THREADS = ("forum", "mail", "issue", "qa")
"""Kinds whose comments are the text."""

FAMILIES = ("news", "blogs", "misc", "docs", "threads", "lists")

WHOLE, PART = 0.95, 0.05
"""Shares of a structure's words that count as all of it, and as nothing of it."""

Row = dict[str, Any]


def main() -> None:
    options = with_snapshots(parser(__doc__ or ""))
    options.add_argument(
        "--reader", type=Path, nargs="*", default=[], help="beside the shipped one"
    )
    options.add_argument("--sites", nargs="*", default=[], help="families or <family>/<site>")
    options.add_argument("--per-site", type=int, default=100, help="pages of each site")
    options.add_argument("--sources", type=Path, help="JSON file of sources; all without")
    options.add_argument("--peers", default="trafilatura", help="with commas")
    options.add_argument("--rows", type=Path, help="file for the scores of every page")
    chosen = options.parse_args()
    pages = platform_pages(chosen.data, chosen.cache, chosen.snapshots)
    if chosen.sources:
        sources = set(json.loads(chosen.sources.read_text("utf-8")))
        pages = [page for page in pages if page.case.group in sources]
    wanted = set(chosen.sites)
    pages = [p for p in pages if not wanted or wanted & {p.family, f"{p.family}/{p.site}"}]
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
    torn = sum_torn(rows)
    report(json.dumps(torn))
    print(json.dumps(figures | {"torn": torn}))


def with_snapshots(options: ArgumentParser) -> ArgumentParser:
    """Add the option for the folder of the snapshots of styled sites."""
    options.add_argument(
        "--snapshots", type=Path, default=None, help="folder of the snapshots of styled sites"
    )
    return options


def report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def score_page(page: PlatformPage, readers: dict[str, Reader]) -> Row:
    """Scores of each reader on a page, rendered and as served; 0 where it cannot be read."""
    row: Row = {"site": f"{page.family}/{page.site}", "page": page.case.path}
    row |= {"kind": page.facts["kind"]}
    for variant, read in (("rendered", page.rendered), ("served", page.served)):
        try:
            snapshot = read()
        except (miolo.MioloError, OSError) as error:
            report(f"{row['site']}/{row['page']}: {error}")
            row |= {variant + suffix: 0.0 for suffix in readers}
            continue
        marked = miolo.Snapshot.from_html(page.marked, url=page.case.url)
        of_page = snapshot if variant == "rendered" else marked
        structures = Structures.of(article_blocks(of_page), node_truth(of_page, page.facts))
        truth = page.truth(snapshot if variant == "rendered" else None)
        for suffix, reader in readers.items():
            extraction = extract_snapshot(snapshot, model=reader)
            row[variant + suffix] = shingle_score(truth, scored_text(extraction)).f1
            row[f"{variant} kind{suffix}"] = extraction.kind
            blocks = [(block.kept, block.text) for block in extraction.blocks]
            row[f"{variant} torn{suffix}"] = structures.torn(blocks)
    return row


@dataclass(frozen=True, eq=False)
class Structures:
    """The structures of a page that belong to its own content as a whole."""

    texts: list[str]
    """Texts of the page's blocks."""
    words: NDArray[np.float64]
    """float64, shape (b,): number of own words of each block; captions have none."""
    spans: list[tuple[str, int, int]]
    """Kind of each structure, its first block, and the block after it."""

    @classmethod
    def of(cls, blocks: TextBlocks, truth: NodeTruth) -> Structures:
        """The structures of a page's blocks."""
        features = block_features(blocks)
        words = np.maximum(features.words, 1)
        roles, own = block_truth(blocks, truth)
        is_heading = features.column("tag.heading") <= LOWEST_LEVEL
        spans = [
            (kind, start, stop)
            for kind, start, stop in _spans(blocks, roles, is_heading)
            if (own[start] or kind != "section") and _share(words, own, start, stop) >= WHOLE
        ]
        return cls(blocks.shown_texts, words * own, spans)

    def torn(self, blocks: Sequence[tuple[bool, str]]) -> dict[str, tuple[int, int]]:
        """Torn structures and all structures by kind, where these blocks are kept or not."""
        labelled = [("B" if kept else ".", text) for kept, text in blocks]
        roles = align_roles(self.texts, labelled)
        kept, known = roles == LETTERS.index("B"), roles != UNKNOWN
        torn, total = Counter[str](), Counter[str]()
        for kind, start, stop in self.spans:
            if not known[start:stop].all():
                continue
            share = _share(self.words, kept, start, stop)
            # A section that keeps its heading alone, or loses it, is torn.
            alone = kind == "section" and kept[start] != (share > 0.5)
            torn[kind] += PART < share < WHOLE or bool(alone)
            total[kind] += 1
        return {kind: (torn[kind], total[kind]) for kind in total}


def _share(words: NDArray[np.float64], chosen: NDArray[np.bool_], start: int, stop: int) -> float:
    return float((words * chosen)[start:stop].sum() / words[start:stop].sum())


def _spans(
    blocks: TextBlocks, roles: NDArray[np.int8], is_heading: NDArray[np.bool_]
) -> list[tuple[str, int, int]]:
    """Kind, first block and block after the last of each structure of several blocks."""
    units, snapshot = find_units(blocks), blocks.snapshot
    tags = [snapshot.tags[code] for code in snapshot.tag[units.node].tolist()]
    names = {"dl": "definitions", "table": "table"}
    spans = [
        (names.get(tag, "list"), int(start), int(stop))
        for tag, start, stop in zip(tags, units.start, units.stop, strict=True)
    ]
    heads = [*is_heading.nonzero()[0].tolist(), len(blocks)]
    spans += [("section", a, b) for a, b in pairwise(heads) if b - a > 1]
    runs = groupby(range(len(blocks)), lambda place: roles[place] == LETTERS.index("N"))
    notes = [list(places) for is_note, places in runs if is_note]
    return spans + [("notes", run[0], run[-1] + 1) for run in notes if len(run) > 1]


def score_peers(page: PlatformPage, peers: Sequence[str]) -> Row:
    """F1 of other extractors on a page, rendered and as served; 0 where one fails."""
    comments = page.facts["kind"] in THREADS
    files, row = Page(page.case), {}
    for variant in ("rendered", "served"):
        truth = page.truth(page.rendered() if variant == "rendered" else None)
        markup = files.raw if variant == "served" else files.markup
        for peer in peers:
            if peer == "trafilatura":
                text = trafilatura.extract(markup, include_comments=comments) or ""
            else:
                text = PEERS[peer].read(markup, page.case.url).text
            row[f"{variant} {peer}"] = shingle_score(truth, text).f1
    return row


def sum_torn(rows: Sequence[Row]) -> dict[str, dict[str, list[int]]]:
    """Torn structures and all structures by kind, for each reader and form of the pages."""
    sums: dict[str, dict[str, list[int]]] = {}
    for row in rows:
        for column in (name for name in row if " torn" in name):
            for kind, counts in row[column].items():
                total = sums.setdefault(column, {}).setdefault(kind, [0, 0])
                total[:] = [x + y for x, y in zip(total, counts, strict=True)]
    return sums


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
