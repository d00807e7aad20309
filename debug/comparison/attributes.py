"""Attributes that matter to a reader, and differences of two elements in them."""

from __future__ import annotations

from collections import defaultdict
from urllib.parse import urljoin

import numpy as np
from numpy.typing import NDArray

from ...features.words import collapse
from ...renderer.snapshot import Snapshot

__all__ = ["ADDRESSES", "SAYINGS", "attribute_changes"]

ADDRESSES = ("href", "src", "action", "cite", "data", "poster")
"""Attributes that lead somewhere: compared as the addresses that they come to."""

SAYINGS = (
    "alt", "title", "aria-label", "placeholder", "value", "label", "datetime", "lang", "dir",
    "start", "colspan", "rowspan",
)  # fmt: skip
"""Attributes that are seen, heard or announced.

Classes, ids, styles, ``data-``, handlers, sizes and `srcset` are left out: they change with
every build of a site, and what they do to the page is seen in what it shows.
"""


def attribute_changes(
    before: Snapshot, after: Snapshot, pairs: NDArray[np.int32]
) -> list[tuple[int, int, str, str]]:
    """Paired elements whose telling attributes differ.

    Parameters
    ----------
    before, after
        The pages.
    pairs
        int32, shape (m, 2): paired nodes.

    Returns
    -------
    Node, node, and the attributes that differ as markup writes them, of both sides.
    """
    old, new = _attribute_values(before), _attribute_values(after)
    found = []
    for one, two in pairs.tolist():
        first, second = old.get(one, {}), new.get(two, {})
        if first == second:
            continue
        names = [
            name
            for name in (*ADDRESSES, *SAYINGS)
            if first.get(name) != second.get(name)
            and (name not in ADDRESSES or not _lead_to_one((before, one), (after, two), name))
        ]
        if names:
            found.append((one, two, _format(first, names), _format(second, names)))
    return found


def _attribute_values(snapshot: Snapshot) -> dict[int, dict[str, str]]:
    values: dict[int, dict[str, str]] = defaultdict(dict)
    for name in (*ADDRESSES, *SAYINGS):
        for node, value in snapshot.attributes.with_attribute(name):
            values[node][name] = collapse(value)
    return values


def _lead_to_one(one: tuple[Snapshot, int], two: tuple[Snapshot, int], name: str) -> bool:
    """Pages of two folders write one address in two ways."""
    addresses = [_address(snapshot, node, name) for snapshot, node in (one, two)]
    return addresses[0] is not None and addresses[0] == addresses[1]


def _address(snapshot: Snapshot, node: int, name: str) -> str | None:
    value = snapshot.attributes.get(node, name)
    if value is None:
        return None
    try:
        return urljoin(snapshot.frames[snapshot.frame[node]].base_url, value.strip())
    except ValueError:  # a page may write anything: http://[
        return value


def _format(values: dict[str, str], names: list[str]) -> str:
    return " ".join(f'{name}="{values[name]}"' for name in names if name in values)
