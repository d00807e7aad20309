"""Posts of the real sites as the template study sees them: features, labels and truth."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import miolo
import numpy as np
from bs4 import BeautifulSoup
from corpus import rendered_posts, site_table
from miolo.features.counts import count_nodes
from miolo.features.hashes import HASHINGS
from miolo.models.templates.model import FEATURE_SETS, feature_rows, scored_tree
from miolo.models.templates.sitelevel import SiteLevel
from numpy.typing import NDArray

NEWS = ("flink", "openehr", "wechange")
"""News sites; all others are blogs."""

TEST = ("jerryc127", "moxfive", "openehr", "relopezbriega", "yulingtianxia")
"""Test sites: every third blog by name, and one news site. No model is trained on these sites or on
their templates."""


@dataclass(frozen=True, eq=False)
class StudyPage:
    """One page: arrays of shape (m,) over its nodes in the model.

    `labels` has SiteLevel's labels for every hashing. `truth` marks the template nodes by hand: all
    except the node that holds the article, its descendants and its ancestors. `nodes` and
    `template_nodes` count the nodes of the whole page.
    """

    news: bool
    nodes: int
    template_nodes: int
    area: NDArray[np.float64]
    parent: NDArray[np.int64]
    features: dict[str, NDArray[np.float64]]
    labels: dict[str, NDArray[np.bool_]]
    truth: NDArray[np.bool_] | None


def study_sites(data: Path, cache: Path, limit: int) -> dict[str, list[StudyPage]]:
    """Pages of all sites, by site; rendered the first time."""
    table = site_table(data)
    for name, facts in table.items():
        print(f"{name}: rendered", file=sys.stderr)
        asyncio.run(rendered_posts(data, cache, name, facts["posts"][: limit or None]))
    with ProcessPoolExecutor(2) as workers:
        pages = workers.map(partial(site_pages, cache, limit), table, table.values())
        return dict(zip(table, pages, strict=True))


def site_pages(cache: Path, limit: int, name: str, facts: dict[str, Any]) -> list[StudyPage]:
    files = sorted((cache / f"{name}-snapshots").glob("*.miolo"))[: limit or None]
    snapshots = [miolo.Snapshot.load(file) for file in files]
    sites = {hashing: SiteLevel(hashing=hashing) for hashing in HASHINGS}
    for site in sites.values():
        for snapshot in snapshots:
            site.add(snapshot)
    pages = []
    for snapshot in snapshots:
        counts = count_nodes(snapshot)
        tree = scored_tree(snapshot, counts)
        labels = {hashing: site.label(snapshot).template for hashing, site in sites.items()}
        truth = truth_of(snapshot, facts["body_selector"])
        pages.append(
            StudyPage(
                news=name in NEWS,
                nodes=len(snapshot),
                template_nodes=int(labels["structure"].sum()),
                area=tree.area,
                parent=tree.parent,
                features={f: feature_rows(snapshot, tree, counts, f) for f in FEATURE_SETS},
                labels={hashing: marks[tree.nodes] for hashing, marks in labels.items()},
                truth=None if truth is None else truth[tree.nodes],
            )
        )
    return pages


def truth_of(snapshot: miolo.Snapshot, selector: str | None) -> NDArray[np.bool_] | None:
    """Template nodes as the report labels its test pages, bool, shape (n,)."""
    node = None if selector is None else body_node(snapshot, selector)
    if node is None:
        return None
    template = np.ones(len(snapshot), bool)
    template[node : snapshot.end[node]] = False
    template[snapshot.ancestors(node)] = False
    return template


def body_node(snapshot: miolo.Snapshot, selector: str) -> int | None:
    """The node with the most text that a CSS selector matches."""
    soup = BeautifulSoup("", "lxml")
    numbers = {id(tag): node for node, tag in _tags(snapshot, soup)}
    chars = count_nodes(snapshot).text.chars
    matches = [numbers[id(tag)] for tag in soup.select(selector)]
    return max(matches, key=lambda node: chars[node], default=None)


def _tags(snapshot: miolo.Snapshot, soup: BeautifulSoup) -> Iterator[tuple[int, Any]]:
    tag_of: dict[int, Any] = {-1: soup}
    for node in np.flatnonzero(~snapshot.is_text).tolist():
        tag_of[node] = soup.new_tag(snapshot.tag_name(node), attrs=snapshot.attributes.of(node))
        tag_of[int(snapshot.parent[node])].append(tag_of[node])
        yield node, tag_of[node]
