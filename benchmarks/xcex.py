"""X-CEX: seconds against the thesis's loop, and every table of the thesis on real sites.

    python benchmarks/xcex.py                    # speed
    python benchmarks/xcex.py --table 5.1,5.8    # tables of the thesis, site by site
    python benchmarks/xcex.py --table all        # all of them, means over sites

For speed, all blocks of 40 posts of one site are classified. `naive` is the loop as printed in the
thesis, which compares every block with every block, in plain Python (its cosine compares sets,
which is far less work than the thesis's dense vectors). Both give the same verdicts, which is
checked. For quality see `xcex_tables.py`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import miolo
from corpus import parser
from miolo.features.block_sets import Cut
from miolo.models.blocks.likeness import X_CEX
from miolo.models.blocks.profiles import Profile, block_profiles
from miolo.models.blocks.redundancy import RedundancyOptions, Verdicts, classify
from xcex_naive import cosine, verdicts, weight_content
from xcex_tables import TABLES, site_snapshots, tables
from xcex_variants import CONTENTS, STRUCTURES, THESIS, edit_similarities

SITE, PAGES = "wsbc", 40
BEST_OF = 3


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--table", help=f"all, or some of {', '.join(TABLES)}")
    chosen = options.parse_args()
    if chosen.table:
        whole = chosen.table == "all"
        table_names = list(TABLES) if whole else chosen.table.split(",")
        tables(chosen.data, chosen.cache, table_names, by_site=not whole)
    else:
        speed(site_snapshots(chosen.data, chosen.cache, SITE, 2 * PAGES))


def speed(snapshots: Sequence[miolo.Snapshot]) -> None:
    every = [list(profiles(snapshot)) for snapshot in snapshots]
    pages = every[:PAGES]
    print(f"{len(pages)} pages, {sum(map(len, pages))} blocks, {mean_chars(pages):.0f} characters")
    cosines = {}
    for kind, structure in STRUCTURES.items():
        likeness = replace(X_CEX, structure=structure)
        cosines[kind] = time_classify(pages, RedundancyOptions(likeness=likeness))
        print(f"  cosine, structure by {kind:8} {cosines[kind]:8.3f} s")
    edits = {}
    for kind, content in CONTENTS.items():
        if getattr(content, "func", None) is not edit_similarities:
            continue
        likeness = replace(X_CEX, content=content)
        edits[kind] = time_classify(pages, RedundancyOptions(likeness=likeness))
        print(f"  {kind:28} {edits[kind]:8.3f} s")
    vector = time_classify(pages, RedundancyOptions.content_extractor())
    print(f"  {'Content Extractor':28} {vector:8.3f} s")
    ratio, seconds = against_naive(pages)
    growth = {str(count): growing(every, count) for count in (10, 20, 40, 80)}
    print("growth: " + ", ".join(f"{k} pages {b} blocks {s:.3f} s" for k, (b, s) in growth.items()))
    figures = {
        "speedup_vs_naive": round(ratio, 1),
        "seconds_cosine": round(max(*cosines.values(), vector), 4),
        "seconds_levenshtein": round(edits["levenshtein"], 4),
        "seconds_naive": round(seconds, 2),
        "seconds": {kind: round(duration, 4) for kind, duration in (cosines | edits).items()},
        "growth": {
            count: [blocks, round(duration, 4)] for count, (blocks, duration) in growth.items()
        },
    }
    print(json.dumps(figures))


def profiles(snapshot: miolo.Snapshot) -> Sequence[Profile]:
    return list(block_profiles(snapshot, Cut().blocks(snapshot)).values())


def mean_chars(pages: Sequence[Sequence[Profile]]) -> float:
    lengths = [len(block.text) for blocks in pages for block in blocks]
    return sum(lengths) / len(lengths)


def labels(pages: Sequence[Sequence[Profile]], options: RedundancyOptions) -> list[list[bool]]:
    """Whether each block of each page is content."""
    is_content, index = [], {b: i for i, b in enumerate(dict.fromkeys(b for p in pages for b in p))}
    for blocks, result in zip(pages, ours(pages, options), strict=True):
        content = dict(zip(result.blocks.tolist(), result.content.tolist(), strict=True))
        is_content.append([content[index[block]] for block in blocks])
    return is_content


def ours(pages: Sequence[Sequence[Profile]], options: RedundancyOptions) -> list[Verdicts]:
    """Verdicts from the blocks' profiles, including the grouping of equal blocks."""
    index = {b: i for i, b in enumerate(dict.fromkeys(b for p in pages for b in p))}
    numbers = [[index[block] for block in blocks] for blocks in pages]
    return classify(numbers, list(index), range(len(pages)), options)


def time_classify(pages: Sequence[Sequence[Profile]], options: RedundancyOptions) -> float:
    return min(seconds(lambda: ours(pages, options)) for _ in range(BEST_OF))


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def growing(pages: Sequence[Sequence[Profile]], count: int) -> tuple[int, float]:
    some = pages[:count]
    return sum(map(len, some)), time_classify(some, RedundancyOptions())


def against_naive(pages: Sequence[Sequence[Profile]]) -> tuple[float, float]:
    """Speed-up over the printed loop, whose verdicts are the same, and the seconds of the loop."""
    options = RedundancyOptions(likeness=THESIS)
    similarity = weight_content(options, cosine)
    start = time.perf_counter()
    expected = verdicts(pages, similarity, options)
    naive = time.perf_counter() - start
    quick = time_classify(pages, options)
    assert labels(pages, options) == [[content for *_, content in rows] for rows in expected]
    print(f"the printed loop {naive:.2f} s, Miolo with the same options {quick:.4f} s")
    return naive / quick, naive


if __name__ == "__main__":
    main()
