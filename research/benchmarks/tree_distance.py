"""Tree distances: RTDM against the top-down distance without its cuts, and against peers.

    python benchmarks/tree_distance.py [--picture docs/images/tree_distance.svg]

The benchmark repeats section 3.4 of the RTDM dissertation, time against size. The pairs are
synthetic pages of one template at exact sizes, the worst case, and neighbouring posts of the real
sites (elements labelled by tag, texts by their content). Milliseconds are for one call on numbered
trees, the best of several runs, excluding compilation. Subtrees are numbered once per collection,
which has its own column. edist, apted and zss compute the general distance, which RTDM does not.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import miolo
import numpy as np
from corpus import parser, rendered_posts, site_table
from miolo.features.page_tree import page_tree
from miolo.models.trees.subtree_classes import ClassedTree, SubtreeClasses
from miolo_research.trees.distance import DISTANCES, Distance, tree_distance
from tree_pairs import PEERS, Preorder, template_pair, worst_pair

SIZES, PAIRS, SEED = (100, 300, 1000, 3000, 10_000), 5, 2004
POSTS = 12

Times = dict[str, float]

# The algorithms that are compared, and their colours in the picture.
COLORS = {"restricted": "#0072b2", "top-down": "#d55e00", "edist": "#6a6a6a"}
PANEL, MARGIN, INK = (620, 340), (62, 44), "#1c1c1c"


@dataclass(frozen=True)
class Measurement:
    """A pair of pages: their mean size in nodes, and milliseconds by algorithm."""

    nodes: float
    times: Times


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--picture", type=Path, help="where to draw the times of real pairs")
    chosen = options.parse_args()
    compile_kernels()
    pages = {size: synthetic(size) for size in SIZES}
    print_times("pages of one template, ms", pages, ("classes", "restricted", "top-down", *PEERS))
    others = {kind: mean(measured_kind(pair, kind) for pair in pairs(1000)) for kind in DISTANCES}
    print("\n1,000 nodes, ms: " + ", ".join(f"{kind} {ms:.2f}" for kind, ms in others.items()))
    worst = worst_case()
    real = real_pairs(chosen.data, chosen.cache)
    print_times("neighbouring posts of the sites, median ms", bands(real), tuple(COLORS))
    if chosen.picture:
        chosen.picture.write_text("\n".join(draw_figure(real)) + "\n", "utf-8")
    print(json.dumps(figures(pages, worst, real)))


def figures(pages: dict[int, Times], worst: Times, real: Sequence[Measurement]) -> dict[str, Any]:
    at = pages[1000]
    large = {size: times["restricted"] for size, times in pages.items() if size >= 1000}
    return {
        "speedup_vs_edist_1000": round(at["edist"] / at["restricted"]),
        "speedup_vs_topdown_1000": round(at["top-down"] / at["restricted"], 1),
        "worst_case_vs_topdown": round(worst["top-down"] / worst["restricted"], 2),
        "growth_exponent": exponent(large.keys(), large.values()),
        "real_speedup_vs_topdown": round(
            sum(pair.times["top-down"] for pair in real)
            / sum(pair.times["restricted"] for pair in real),
            1,
        ),
        "real_growth_exponent": {
            kind: exponent((pair.nodes for pair in real), (pair.times[kind] for pair in real))
            for kind in ("restricted", "top-down")
        },
        "restricted_ms": {size: round(times["restricted"], 3) for size, times in pages.items()},
        "classes_ms_1000": round(at["classes"], 2),
        "edist_ms_1000": round(at["edist"], 1),
    }


def exponent(sizes: Any, times: Any) -> float:
    """Exponent of the growth of the time with the size."""
    slope, _ = np.polyfit(np.log([*sizes]), np.log([*times]), 1)
    return round(float(slope), 2)


def compile_kernels() -> None:
    """Make Numba compile everything that is timed."""
    one, two = number_trees(*(tree.preorder() for tree in worst_pair(2, 3)))
    for kind in DISTANCES:
        tree_distance(one, two, kind)


def pairs(size: int) -> Iterator[tuple[Preorder, Preorder]]:
    chance = np.random.default_rng((SEED, size))
    for _ in range(PAIRS):
        one, two = template_pair(size, chance)
        yield one.preorder(), two.preorder()


def synthetic(size: int) -> Times:
    """Mean times over several pairs of pages of one template."""
    samples = [measure(*pair, size) for pair in pairs(size)]
    return {name: mean(times[name] for times in samples) for name in samples[0]}


def worst_case() -> Times:
    """Times if nothing is cut."""
    pair = [tree.preorder() for tree in worst_pair(10, 3)]
    times = both(*number_trees(*pair))
    print(f"\nworst case, {len(pair[0][0])} nodes, ms: restricted {times['restricted']:.2f}, "
          f"top-down {times['top-down']:.2f}")  # fmt: skip
    return times


def measure(one: Preorder, two: Preorder, size: float) -> Times:
    """Times of a pair: numbering, both distances, and the peers that can handle its size."""
    first, second = number_trees(one, two)
    times = {"classes": best(lambda: number_trees(one, two)), **both(first, second)}
    peers = {name: peer(one, two) for name, (peer, largest) in PEERS.items() if size <= largest}
    if peers:
        general = tree_distance(first, second, "general").distance
        assert {float(run()) for run in peers.values()} == {general}
    return times | {name: best(run) for name, run in peers.items()}


def both(one: ClassedTree, two: ClassedTree) -> Times:
    """RTDM, and the top-down distance without its cuts; alternating, so that load affects both."""
    runs: list[Callable[[], object]] = [
        lambda: tree_distance(one, two, "restricted"),
        lambda: tree_distance(one, two, "top-down", by_class=False),
    ]
    ours, plain = np.min([[best(run) for run in runs] for _ in range(3)], axis=0).tolist()
    return {"restricted": ours, "top-down": plain}


def measured_kind(pair: tuple[Preorder, Preorder], kind: Distance) -> float:
    one, two = number_trees(*pair)
    return best(lambda: tree_distance(one, two, kind))


def number_trees(*trees: Preorder) -> list[ClassedTree]:
    collection = SubtreeClasses()
    return [collection.tree(*tree) for tree in trees]


def best(run: Callable[[], object]) -> float:
    """Milliseconds of the fastest run; slower functions get fewer runs."""
    durations: list[float] = []
    while sum(durations) < 0.05 or (len(durations) < 3 and sum(durations) < 2):
        start = time.perf_counter()
        run()
        durations.append(time.perf_counter() - start)
    return 1000 * min(durations)


def mean(values: Any) -> float:
    return float(np.mean([*values]))


def real_pairs(data: Path, cache: Path) -> list[Measurement]:
    """Times of neighbouring posts of each site."""
    measurements = []
    for name, facts in site_table(data).items():
        files = asyncio.run(rendered_posts(data, cache, name, facts["posts"][:POSTS]))
        trees = [page_tree(miolo.Snapshot.load(file)) for file in files if file]
        forms = [(tree.parent.tolist(), tree.labels) for tree in trees]
        for one, two in pairwise(forms):
            nodes = (len(one[0]) + len(two[0])) / 2
            times = both(*number_trees(one, two))
            peer, largest = PEERS["edist"]
            if nodes <= largest:
                times["edist"] = best(peer(one, two))
            measurements.append(Measurement(nodes, times))
    return measurements


def bands(real: Sequence[Measurement]) -> dict[int, Times]:
    """Median times of real pairs by band of sizes, given as its upper bound."""
    by_size = {}
    for low, high in pairwise((0, 200, 500, 1000, 2000, 5000, 20_000)):
        inside = [pair.times for pair in real if low < pair.nodes <= high]
        if inside:
            shared = set.intersection(*(set(times) for times in inside))
            by_size[high] = {name: median(times[name] for times in inside) for name in shared}
    return by_size


def print_times(title: str, rows: dict[int, Times], names: Sequence[str]) -> None:
    print(f"\n{title}\n{'nodes':>6} " + " ".join(f"{name:>11}" for name in names))
    for size, times in rows.items():
        cells = (f"{times[n]:11.3f}" if n in times else f"{'–':>11}" for n in names)
        print(f"{size:6} " + " ".join(cells))


def draw_figure(real: Sequence[Measurement]) -> Iterator[str]:
    """The dissertation's figure 3.4 as lines of SVG, with a dot for each pair and algorithm."""
    width, height = PANEL[0] + 2 * MARGIN[0], PANEL[1] + 2 * MARGIN[1]
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}">'
    )
    yield f'<rect width="{width}" height="{height}" fill="#fcfcfa"/>'
    parts = ", ".join(f'<tspan fill="{color}">{name}</tspan>' for name, color in COLORS.items())
    yield f'<text x="{MARGIN[0]}" y="22">Milliseconds by nodes of a pair of pages: {parts}</text>'
    scale = Scale.of([pair.nodes for pair in real], [t for p in real for t in p.times.values()])
    yield f'<g transform="translate({MARGIN[0]} {MARGIN[1]})">'
    yield from scale.grid()
    for name, color in COLORS.items():
        points = sorted((pair.nodes, pair.times[name]) for pair in real if name in pair.times)
        for nodes, ms in points:
            x, y = scale.place(nodes, ms)
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{color}" fill-opacity="0.4"/>'
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in scale.running(points))
        yield f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>'
    yield "</g>\n</svg>"


@dataclass(frozen=True)
class Scale:
    """Logarithmic axes: the decimal logarithms at both ends."""

    x: tuple[float, float]
    y: tuple[float, float]

    @classmethod
    def of(cls, nodes: Sequence[float], times: Sequence[float]) -> Scale:
        """Axes that contain all points."""
        x, y = np.log10(nodes), np.log10(times)
        return cls((x.min() - 0.05, x.max() + 0.05), (y.min() - 0.1, y.max() + 0.1))

    def place(self, nodes: float, ms: float) -> tuple[float, float]:
        """Position of a point in the panel."""
        across = (np.log10(nodes) - self.x[0]) / (self.x[1] - self.x[0])
        up = (np.log10(ms) - self.y[0]) / (self.y[1] - self.y[0])
        return PANEL[0] * across, PANEL[1] * (1 - up)

    def running(self, points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """Smoothed curve: the running mean of the logarithms over some neighbours."""
        span = max(3, len(points) // 8)
        logs = np.log10(points)
        means = [logs[start : start + span].mean(0) for start in range(len(logs) - span + 1)]
        return [self.place(*(10.0**mean).tolist()) for mean in means]

    def grid(self) -> Iterator[str]:
        """Grid lines and their labels."""
        for nodes in (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000):
            if self.x[0] <= np.log10(nodes) <= self.x[1]:
                x, _ = self.place(nodes, 1)
                yield f'<path d="M{x:.1f} 0V{PANEL[1]}" stroke="#d6d6d0"/>'
                at = f'x="{x:.1f}" y="{PANEL[1] + 18}"'
                yield f'<text {at} text-anchor="middle">{nodes:,}</text>'
        for decade in range(int(np.ceil(self.y[0])), int(np.floor(self.y[1])) + 1):
            _, y = self.place(1, 10.0**decade)
            yield f'<path d="M0 {y:.1f}H{PANEL[0]}" stroke="#d6d6d0"/>'
            yield f'<text x="-8" y="{y + 4:.1f}" text-anchor="end">{10.0**decade:,g}</text>'


if __name__ == "__main__":
    main()
