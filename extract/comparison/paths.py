"""Places of a page as people write them: ``html/body/div[2]/article/p[3]``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ...renderer.snapshot import Snapshot

__all__ = ["MAX_STEPS", "path_writer"]

MAX_STEPS = 16
"""Levels that a path tells, from the node up: pages ten thousand levels deep exist."""


def path_writer(snapshot: Snapshot) -> Callable[[int], str]:
    """Function that writes the path of a node; of a text, that of its element.

    A step is a tag, with its place among its parent's children of this tag where there are
    several. Where levels are left out, an ellipsis stands in their place.
    """
    steps = _steps(snapshot)
    parents: list[int] = snapshot.parent.tolist()
    is_text = snapshot.is_text.tolist()

    def path(node: int) -> str:
        if is_text[node] and parents[node] >= 0:
            node = parents[node]
        written: list[str] = []
        while node >= 0 and len(written) < MAX_STEPS:
            written.append(steps[node])
            node = parents[node]
        if node >= 0:
            written += ["…", steps[0]]
        return "/".join(reversed(written))

    return path


def _steps(snapshot: Snapshot) -> list[str]:
    parents, tags = snapshot.parent.tolist(), snapshot.tag.tolist()
    kinds = list(zip(parents, tags, strict=True))
    total, seen = Counter(kinds), Counter[tuple[int, int]]()
    steps = []
    for kind in kinds:
        seen[kind] += 1
        tag = snapshot.tags[kind[1]]
        steps.append(f"{tag}[{seen[kind]}]" if total[kind] > 1 else tag)
    return steps
