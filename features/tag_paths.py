"""How alike the structures of two pages are: the paths of tags and classes that they share.

Linear in the nodes and without a mapping of the trees: enough to tell pages of one template
from pages of two. For a distance, see `miolo.models.trees`.
"""

from __future__ import annotations

from ..renderer.snapshot import Snapshot

__all__ = ["path_likeness"]


def path_likeness(one: Snapshot, other: Snapshot) -> float:
    """Dice similarity of the sets of paths of two pages, in [0, 1].

    A path is the tags and first classes from the root down to an element. How often one
    occurs does not count, so a longer article is as alike as a shorter one.
    """
    numbers: dict[tuple[int, str, str], int] = {}
    first, second = _paths(one, numbers), _paths(other, numbers)
    return 2 * len(first & second) / (len(first) + len(second))


def _paths(snapshot: Snapshot, numbers: dict[tuple[int, str, str], int]) -> set[int]:
    """Numbers of the paths of all elements, shared by pages that share `numbers`."""
    classes = dict(snapshot.attributes.with_attribute("class"))
    at: list[int] = []
    for node, (above, tag) in enumerate(
        zip(snapshot.parent.tolist(), snapshot.tag.tolist(), strict=True)
    ):
        if not tag:
            at.append(-1)  # a text, which has nothing below it
            continue
        first = classes.get(node, "").split(maxsplit=1)[:1]
        key = (at[above] if above >= 0 else -1, snapshot.tags[tag], "".join(first))
        at.append(numbers.setdefault(key, len(numbers)))
    return {number for number in at if number >= 0}
