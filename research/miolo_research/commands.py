"""Commands that the package adds to `miolo`."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING

from miolo.cli.choice_options import choice
from miolo.cli.console import print_rows
from miolo.cli.page_sources import check_one_stdin, lazy_renderer, load_page
from miolo.cli.shared_options import source_argument, with_page_options
from miolo.renderer.options import RenderOptions

if TYPE_CHECKING:
    from miolo.renderer.page.snapshot import Snapshot

__all__ = ["tree_distance"]


class Kind(StrEnum):
    """Names of `miolo_research.trees.distance.DISTANCES`."""

    general = "general"
    alignment = "alignment"
    constrained = "constrained"
    top_down = "top-down"
    restricted = "restricted"
    bottom_up = "bottom-up"


class Label(StrEnum):
    """Names of `miolo.features.page_tree.LABELS`."""

    tags = "tags"
    classes = "classes"
    looks = "looks"


@with_page_options
def tree_distance(
    options: RenderOptions,
    before: str = source_argument(),
    after: str = source_argument(),
    kind: list[Kind] = choice(
        [Kind.restricted, Kind.top_down, Kind.bottom_up],
        Kind,
        "Kind of distance; general, alignment and constrained are slow. Repeatable.",
    ),
    labels: Label = choice(Label.tags, Label, "Labels of elements."),
) -> None:
    """Print the distances of the trees of two pages."""
    check_one_stdin(before, after)
    pages = asyncio.run(_load(before, after, options))
    for line in _lines(*pages, kind, labels):
        print_rows(line)


async def _load(before: str, after: str, options: RenderOptions) -> tuple[Snapshot, Snapshot]:
    async with lazy_renderer(options) as renderer:
        return (
            await load_page(renderer, before, options),
            await load_page(renderer, after, options),
        )


def _lines(before: Snapshot, after: Snapshot, kinds: list[Kind], labels: Label) -> list[str]:
    from miolo.features.page_tree import page_tree
    from miolo.models.trees.subtree_classes import SubtreeClasses

    from .trees.distance import tree_distance as distance_of

    classes = SubtreeClasses()
    pages = [page_tree(snapshot, labels.value) for snapshot in (before, after)]
    one, two = (classes.tree(page.parent, page.labels) for page in pages)
    lines = [f"trees of {len(one):,} and {len(two):,} nodes"]
    for kind in kinds:
        comparison = distance_of(one, two, kind.value)
        lines.append(f"{kind.value:<12} {comparison.distance:10.6g} ({comparison.cells:,} cells)")
    return lines
