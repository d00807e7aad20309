"""`Selection`: which nodes of one page a method keeps, with scores and reasons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ...errors import PageWarning
    from ...features.blocks import TextBlocks
    from ...models.article.explanation import Contribution
    from ...models.kinds.model import PageKind
    from ...models.templates.model import TemplateScores
    from ...output.extraction import TemplateField
    from ...output.extraction_parts import RecordTable
    from ...renderer.page.snapshot import Snapshot

Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Selection:
    """Nodes that a method selects as the article, with scores and reasons."""

    kept: NDArray[np.bool_]
    """bool, shape (n,): nodes of the body."""
    scores: NDArray[np.float32]
    """float32, shape (n,), in [0, 1]: higher for nodes that more clearly belong to the body."""
    reason: NDArray[np.int32]
    """int32, shape (n,): index into `reasons`."""
    reasons: Sequence[str]
    """Explanations, each of which states the rule and its figures."""
    comments: NDArray[np.bool_]
    """bool, shape (n,): nodes of the comment area."""
    title: int | None = None
    """Node of the headline, or None."""
    marks: dict[str, int] = field(default_factory=dict)
    """Single nodes to highlight, by name, such as ``{"separator": 214}``."""
    warnings: tuple[PageWarning, ...] = ()
    """Warnings for the reader of the result."""
    passages: tuple[TemplateField, ...] = ()
    """Texts that vary at fixed places, in document order, if the method finds them."""
    records: RecordTable | None = None
    """The main list of the page, if the method searches for one; without rows if there is none."""
    template: TemplateScores | None = None
    """Scores before and after smoothing, if the method is a template detector."""
    blocks: TextBlocks | None = None
    """Blocks of the page as the method reads it, if they differ from the painted ones."""
    roles: NDArray[np.int8] | None = None
    blocks_kept: NDArray[np.bool_] | None = None
    """Roles and decisions of these blocks, if the method has roles: int8, shape (b,), codes into
    `models.article.roles.ROLES`; and bool, shape (b,), blocks of the text."""
    custom_roles: tuple[str, ...] = ()
    """Custom roles of these blocks, empty for none; or none at all."""
    contributions: Sequence[tuple[Contribution, ...]] = ()
    """The contributions that each of `reasons` is written from, the largest first."""
    kind: PageKind | None = None
    """Kind of the page, if the method determines it."""
    site_names: tuple[str, ...] = ()
    """Texts that look like headlines and that most pages of the site have, which are its name."""


class Reasons:
    """Collects a reason for every node while a method runs; the last one given is kept."""

    def __init__(self, nodes: int, first: str) -> None:
        self._table = {first: 0}
        self.codes = np.zeros(nodes, np.int32)

    def give(self, nodes: slice | int | NDArray[np.bool_ | np.intp], why: str) -> None:
        """Give nodes a reason."""
        self.codes[nodes] = self._table.setdefault(why, len(self._table))

    @property
    def table(self) -> tuple[str, ...]:
        """Distinct reasons in the order of their codes."""
        return tuple(self._table)


class Lazy(Sequence[Item]):
    """A sequence that is computed when one of its items is first accessed."""

    def __init__(self, make: Callable[[], Sequence[Item]], length: int) -> None:
        self._make = make
        self._length = length

    @cached_property
    def _items(self) -> Sequence[Item]:
        return self._make()

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        return self._items[index]


def subtree(snapshot: Snapshot, node: int) -> slice:
    """The subtree of a node as a slice of any per-node array."""
    return slice(node, int(snapshot.end[node]))
