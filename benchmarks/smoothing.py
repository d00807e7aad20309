"""Isotonic smoothing: the sparse exact algorithm against the cubic reading and dense tables.

    python benchmarks/smoothing.py

The scores are random and all distinct (the hardest case), on trees shaped like pages, with
c = 0.01. Milliseconds are the best of several runs, excluding compilation.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import numpy as np
from miolo.models.templates.smoothing import smooth
from smoothing_oracles import cubic, dense_numba, dense_numpy, objective

SIZES = (250, 500, 1000, 2000, 5000, 10_000, 20_000)
# Each peer has a largest size, beyond which it takes more than a few seconds or too much memory.
PEERS = {
    "cubic": (cubic, 250),
    "dense NumPy": (dense_numpy, 5000),
    "dense Numba": (dense_numba, 10_000),
}
DEPTH, C = 24, 0.01


def main() -> None:
    chance = np.random.default_rng(2007)
    warm = tree(50, chance)
    for run in (ours, dense_numba):
        run(warm, chance.random(50), C)
    print(f"{'nodes':>6} {'Miolo':>9} " + " ".join(f"{name:>12}" for name in PEERS))
    times = {}
    for size in SIZES:
        page = (tree(size, chance), chance.random(size), C)
        times[size] = {"ours": best(ours, page, 7)}
        for name, (peer, largest) in PEERS.items():
            if size <= largest:
                assert abs(peer(*page) - ours(*page)) < 1e-6
                times[size][name] = best(peer, page, 3)
        cells = (f"{times[size][n]:12.1f}" if n in times[size] else f"{'–':>12}" for n in PEERS)
        print(f"{size:6} {times[size]['ours']:9.2f} " + " ".join(cells))
    large = [size for size in SIZES if size >= 1000]
    logs = np.log(large), np.log([times[size]["ours"] for size in large])
    figures = {
        "speedup_vs_cubic_250": round(times[250]["cubic"] / times[250]["ours"]),
        "ms_20000": round(times[20_000]["ours"], 1),
        "growth_exponent": round(float(np.polyfit(*logs, 1)[0]), 2),
    }
    print(json.dumps(figures))


def ours(parent, scores, c: float) -> float:
    return objective(parent, scores, smooth(parent, scores, c), c)


def best(run: Callable[..., float], page: tuple, times: int) -> float:
    """Milliseconds of the fastest run."""
    durations = []
    for _ in range(times):
        start = time.perf_counter()
        run(*page)
        durations.append(1000 * (time.perf_counter() - start))
    return min(durations)


def tree(size: int, chance: np.random.Generator) -> np.ndarray:
    """Parents in preorder, at most `DEPTH` levels."""
    parent, depth = [-1], [0]
    for node in range(1, size):
        above = node - 1
        while parent[above] >= 0 and (depth[above] >= DEPTH or chance.random() < 0.45):
            above = parent[above]
        parent.append(above)
        depth.append(depth[above] + 1)
    return np.array(parent)


if __name__ == "__main__":
    main()
