"""The kind of a page by the blocks that a method has found."""

from __future__ import annotations

from collections.abc import Sequence

from ...features.blocks import TextBlock
from ...features.readable import readable_texts
from ...models.kinds.model import KindModel, PageKind, shipped_kind_model
from ...renderer.snapshot import Snapshot

__all__ = ["kind_of"]


def kind_of(
    snapshot: Snapshot, blocks: Sequence[TextBlock], model: KindModel | None = None
) -> PageKind:
    """Kind of the page, by the shipped model unless another one is given."""
    # A method may read hidden blocks too, but the kind depends on visible ones.
    seen = readable_texts(snapshot)
    shown = [block for block in blocks if seen[block.nodes[0]]]
    return (model or shipped_kind_model()).judge(snapshot, shown)
