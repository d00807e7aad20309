"""Clustering of pages by template: time, purity and completeness.

    python benchmarks/clustering.py

Two hundred real pages of ten sites are clustered, posts and lists mixed; the template of a page is
known from its site and path. Time is measured from loaded snapshots to clusters, excluding
compilation. Purity is the share of pages that have the most frequent template of their cluster, and
completeness the share of pages in the most frequent cluster of their template. Then growing
collections of the posts of all sites are clustered.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import miolo
import numpy as np
from corpus import fresh_copy, further_pages, parser, rendered_further, rendered_posts, site_table
from miolo.features.outline import Outline, outline
from miolo.features.page_tree import is_text_label, page_tree
from miolo.models.trees.subtree_classes import ClassedTree, SubtreeClasses
from miolo.models.wrappers.clusters import LINKAGES, Linkage, cluster_trees
from numpy.typing import NDArray

# Kinds of pages by path: the first that matches; all other pages are posts. Pages with the same
# markup (mostly lists by tag and lists by author) are of one kind.
KINDS: dict[str, dict[str, str]] = {
    "pythonclub": {"list": r"tag/|author/"},
    "pybites": {"list": r"tag/|archives|authors|blog_index"},
    "vstinner": {"list": r"tag/|category/"},
    "wsbc": {"list": r"tag/"},
    "wechange": {"print": r"spip\.php\?page=print", "english": r"english/spip"},
    "jakevdp": {"list": r"tag/", "front": r"index\d|author/"},
    "algorithmics": {"list": r"tags/"},
    "yulingtianxia": {"front": r"page/", "tags": r"tags/index", "list": r"tags/|archives/"},
    "zhengbomo": {
        "front": r"page/",
        "tags": r"(tags|categories)/index",
        "list": r"tags/|categories/|archives/",
    },
    "flink": {},
    "leonstafford": {"essay": r"essays/"},
}
MIXED = tuple(KINDS)[:10]
POSTS, FURTHER = 11, 10

SIZES, SEED = (200, 500, 1000, 2000), 2004

Labels = NDArray[np.integer]
Figures = dict[str, float]


@dataclass(frozen=True, eq=False)
class Page:
    """The known template of a page, its outline, and the seconds taken to compute the outline."""

    template: str
    outline: Outline
    seconds: float


def main() -> None:
    chosen = parser(__doc__ or "").parse_args()
    cluster_trees(number_trees([Outline(np.array([-1, 0]), ("html", label)) for label in "abc"]))
    files = [pair for name in MIXED for pair in site_files(chosen, name, POSTS)]
    figures = cluster_mixed([kind for kind, _ in files], [loaded(file) for _, file in files])
    every = [pair for name in site_table(chosen.data) for pair in site_files(chosen, name)]
    figures |= growing([outline_page(kind, loaded(file)) for kind, file in every])
    print(json.dumps(figures))


loaded = miolo.Snapshot.load


def site_files(chosen: Namespace, name: str, most: int | None = None) -> Iterator[tuple[str, Path]]:
    """Templates and snapshots of a site's posts and of some of its other pages."""
    posts, kinds = site_table(chosen.data)[name]["posts"], KINDS.get(name, {})
    files = asyncio.run(rendered_posts(chosen.data, chosen.cache, name, posts[:most]))
    pages = [*zip(posts[:most], files, strict=True)]
    if kinds:
        pattern = "|".join(kinds.values())
        paths = further_pages(chosen.data, chosen.cache, name, pattern, posts)
        paths = [paths[place] for place in np.linspace(0, len(paths) - 1, FURTHER).astype(int)]
        files = asyncio.run(rendered_further(chosen.data, chosen.cache, name, paths))
        pages += zip(paths, files, strict=True)
    for path, file in pages:
        if file:
            kind = (kind for kind, pattern in kinds.items() if re.match(pattern, path))
            yield f"{name} {next(kind, 'post')}", file


def cluster_mixed(templates: Sequence[str], snapshots: Sequence[miolo.Snapshot]) -> Figures:
    """Cluster the mixed pages in several ways; returns the figures of the default one."""
    ways: dict[str, tuple[Callable[[miolo.Snapshot], Outline], Linkage]] = {
        f"outlines, {linkage}": (outline, linkage) for linkage in LINKAGES
    }
    ways["whole pages, average"] = (whole, "average")
    print(f"{len(templates)} pages of {len(set(templates))} templates")
    print(f"{'':22} seconds clusters purity complete")
    clusterings: dict[str, tuple[float, Labels]] = {}
    for name, (shape, linkage) in ways.items():
        pages = [fresh_copy(page) for page in snapshots]
        start = time.perf_counter()
        labels = cluster_trees(number_trees([shape(page) for page in pages]), linkage=linkage)
        clusterings[name] = time.perf_counter() - start, labels
        print(f"{name:22} {summary(*clusterings[name], templates)}", flush=True)
    seconds, labels = clusterings["outlines, average"]
    astray(labels, templates)
    purity, completeness = shares(labels, templates)
    return {"seconds_200_pages": round(seconds, 2), "purity": purity, "completeness": completeness}


def growing(pages: Sequence[Page]) -> Figures:
    """Cluster growing collections of pages in random order, repeating pages if necessary."""
    order = np.random.default_rng(SEED).permutation(len(pages))
    print(f"\ngrowing collections of {len(pages)} pages of all sites")
    print("   pages  seconds clusters purity complete")
    seconds = {}
    for size in SIZES:
        part = [pages[place] for place in np.resize(order, size).tolist()]
        start = time.perf_counter()
        labels = cluster_trees(number_trees([page.outline for page in part]))
        seconds[size] = time.perf_counter() - start + sum(page.seconds for page in part)
        print(f"{size:8} {summary(seconds[size], labels, [page.template for page in part])}")
    slope, _ = np.polyfit(np.log(SIZES), np.log([*seconds.values()]), 1)
    return {"seconds_2000_pages": round(seconds[2000], 2), "growth_exponent": round(slope, 2)}


def outline_page(template: str, snapshot: miolo.Snapshot) -> Page:
    start = time.perf_counter()
    page_outline = outline(snapshot)
    return Page(template, page_outline, time.perf_counter() - start)


def whole(snapshot: miolo.Snapshot) -> Outline:
    """The whole page as an outline, in which all texts have the same label."""
    tree = page_tree(snapshot)
    labels = ("#text" if is_text_label(label) else label for label in tree.labels)
    return Outline(tree.parent, tuple(labels))


def number_trees(outlines: Sequence[Outline]) -> list[ClassedTree]:
    collection = SubtreeClasses()
    return [collection.tree(tree.parent, tree.labels) for tree in outlines]


def summary(seconds: float, labels: Labels, templates: Sequence[str]) -> str:
    purity, completeness = shares(labels, templates)
    return f"{seconds:8.2f} {labels.max() + 1:8} {purity:6.3f} {completeness:8.3f}"


def shares(labels: Labels, templates: Sequence[str]) -> tuple[float, float]:
    """Purity and completeness."""
    both = Counter(zip(labels.tolist(), templates, strict=True))
    return largest(both, 0), largest(both, 1)


def largest(both: Counter[tuple[int, str]], side: int) -> float:
    """Share of pages in the largest part of their cluster (`side` 0) or template (`side` 1)."""
    most: Counter[int | str] = Counter()
    for pair, count in both.items():
        most[pair[side]] = max(most[pair[side]], count)
    return round(most.total() / both.total(), 4)


def astray(labels: Labels, templates: Sequence[str]) -> None:
    """Print the templates that are in several clusters, and the clusters of several templates."""
    both = Counter(zip(labels.tolist(), templates, strict=True))
    print()
    for template in sorted(set(templates)):
        parts = {number: count for (number, kind), count in both.items() if kind == template}
        if len(parts) > 1:
            print(f"in several clusters: {template}, pages {sorted(parts.values())[::-1]}")
    for number in range(labels.max() + 1):
        kinds = {kind: count for (label, kind), count in both.items() if label == number}
        if len(kinds) > 1:
            print(f"in one cluster: {kinds}")


if __name__ == "__main__":
    main()
