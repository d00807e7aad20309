"""Cost of template detection on one page: features, then scores, smoothing and decision.

    python benchmarks/template_speed.py

The pages are those of the real sites with 1,500 to 2,500 nodes. Each time is the best of five runs,
scaled to 2,000 nodes; the figures are medians over pages.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from statistics import median

import miolo
from corpus import fresh_copy, parser, rendered_posts, site_table
from miolo.features.counts import count_nodes
from miolo.features.template import template_features
from miolo.models.templates.model import feature_rows, scored_tree, shipped_model


def main() -> None:
    chosen = parser(__doc__ or "").parse_args()
    pages = []
    for name, facts in site_table(chosen.data).items():
        files = asyncio.run(rendered_posts(chosen.data, chosen.cache, name, facts["posts"][:12]))
        pages += [miolo.Snapshot.load(file) for file in files if file]
    pages = [page for page in pages if 1500 <= len(page) <= 2500]
    model = shipped_model()
    features = [milliseconds(template_features, page) for page in pages]
    layout = [milliseconds(layout_rows, page) for page in pages]
    rest = [milliseconds(judge(model, page), page) for page in pages]
    print(f"{len(pages)} pages of 1,500 to 2,500 nodes, ms for 2,000 nodes, median and worst")
    for name, durations in (
        ("features, report", features),
        ("features, ours", layout),
        ("score, smooth, decide", rest),
    ):
        print(f"{name:24} {median(durations):6.2f} {max(durations):6.2f}")
    figures = {
        "features_ms": median(features),
        "our_features_ms": median(layout),
        "score_and_smooth_ms": median(rest),
    }
    print(json.dumps({name: round(value, 2) for name, value in figures.items()}))


def layout_rows(page: miolo.Snapshot):
    counts = count_nodes(page)
    return feature_rows(page, scored_tree(page, counts), counts, "layout")


def judge(model, page: miolo.Snapshot) -> Callable[[miolo.Snapshot], object]:
    """Everything that comes after the features."""
    counts = count_nodes(page)
    rows = feature_rows(page, scored_tree(page, counts), counts, model.features)

    def run(fresh: miolo.Snapshot) -> object:
        tree = scored_tree(fresh, counts)
        raw = model.probabilities(tree.area, rows)
        return model.decide(tree.parent, raw, model.smooth(tree.parent, raw))

    return run


def milliseconds(run: Callable[[miolo.Snapshot], object], page: miolo.Snapshot) -> float:
    durations = []
    for _ in range(5):
        fresh = fresh_copy(page)
        start = time.perf_counter()
        run(fresh)
        durations.append(time.perf_counter() - start)
    return 1000 * min(durations) * 2000 / len(page)


if __name__ == "__main__":
    main()
