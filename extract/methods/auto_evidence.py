"""Reasons for the reader's decisions, computed lazily.

Explaining a page takes about half as long as reading it, and most users never read the reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ...features.article.features import BlockFeatures
from ...models.article.model import Reader
from ...models.article.roles import ROLES

if TYPE_CHECKING:
    from ...models.article.explanation import Contribution, Explanation

# Most pages are read without their reasons, so the functions that give these import what they use.

Item = TypeVar("Item")

SITE, ALIKE, OVERLAY, STORY, LISTING = "site", "alike", "overlay", "story", "listing"
SECTION, CHOICE = "section", "choice"
"""Kinds of evidence in addition to `EVIDENCE`: the site; similar blocks, on pages that are
certainly not articles; a layer over the page; another story below the article; the text around a
code listing; the section under a heading; the buttons of a line."""

LEAST_MOVED = 0.05

MAX_EXPLAINED = 5_000
"""Maximum number of blocks of a page whose blocks are explained; explaining these takes about a
second. On a larger page, a reason is only the verdict."""


class Lazy(Sequence[Item]):
    """A sequence whose items are computed when they are accessed."""

    def __init__(self, make: Callable[[int], Item], blocks: Iterable[int]) -> None:
        self._make = make
        self._blocks = tuple(blocks)

    def __len__(self) -> int:
        return len(self._blocks)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        if isinstance(index, slice):
            return tuple(map(self._make, self._blocks[index]))
        return self._make(self._blocks[index])


@dataclass(eq=False)
class BlockEvidence:
    """Why the b blocks of a page were kept or left out."""

    reader: Reader
    features: BlockFeatures
    text: frozenset[str]
    """The reader, the features of the blocks, and the roles that count as the text."""
    article: float
    """Probability that the page is an article."""
    alone: NDArray[np.float64]
    probability: NDArray[np.float64]
    """float64, shape (b,): probability that a block belongs to the text. `alone` uses only the
    page; `probability` adds the evidence of the site or of similar blocks, of layers over the page,
    of other stories and of the text around code listings."""
    context: str
    """Whether the site or similar blocks are used: `SITE` or `ALIKE`."""
    overlay: NDArray[np.bool_]
    story: NDArray[np.bool_]
    choice: NDArray[np.bool_]
    """bool, shape (b,): blocks in a layer and in another story, and calls to action and choices of
    buttons. Their probability is 0."""
    listing: NDArray[np.bool_]
    """bool, shape (b,): code listings that are kept because of the blocks around them."""
    roles: NDArray[np.int8]
    """int8, shape (b,): role of each block."""
    kept: NDArray[np.bool_]
    chosen: NDArray[np.bool_]
    """bool, shape (b,): final decision, and decision before copies were removed."""
    in_unit: NDArray[np.bool_]
    heading: NDArray[np.bool_]
    """bool, shape (b,): blocks that are kept or left out with the rest of their list or table, and
    headings."""
    threshold: float
    """Probability from which a block of the page is kept, unless what is said beside it decides."""

    @cached_property
    def _explanation(self) -> Explanation:
        from ...models.article.explanation import explain

        return explain(self.reader, self.features, self.text, self.article)

    @cached_property
    def _contributions(self) -> dict[int, tuple[Contribution, ...]]:
        return {}

    @property
    def sentences(self) -> Lazy[str]:
        """The sentence for nodes without text, followed by one sentence per block."""
        return Lazy(self.sentence, range(-1, len(self.roles)))

    def of_blocks(self, blocks: NDArray[np.intp]) -> Lazy[tuple[Contribution, ...]]:
        """Contributions of some blocks."""
        return Lazy(self.contributions, blocks.tolist())

    def contributions(self, block: int) -> tuple[Contribution, ...]:
        """Contributions to the log-odds of a block, the largest first; see `MAX_EXPLAINED`."""
        if block not in self._contributions:
            self._contributions[block] = self._contributions_to(block)
        return self._contributions[block]

    def _contributions_to(self, block: int) -> tuple[Contribution, ...]:
        if len(self.roles) > MAX_EXPLAINED:
            return ()
        of_page = self._explanation.of(block)
        moved = _log_odds(self.probability[block]) - _log_odds(self.alone[block])
        if abs(moved) < LEAST_MOVED:
            return of_page
        kinds = (
            (OVERLAY, self.overlay),
            (STORY, self.story),
            (CHOICE, self.choice),
            (LISTING, self.listing),
            (SECTION, self.heading),
        )
        kind = next((kind for kind, blocks in kinds if blocks[block]), self.context)
        from ...models.article.explanation import Contribution

        beside = Contribution(kind, float("nan"), round(moved, 4))
        return tuple(sorted((*of_page, beside), key=lambda each: -abs(each.log_odds)))

    def sentence(self, block: int) -> str:
        """Why a block was kept or left out; -1 stands for a node without text."""
        if block < 0:
            return "no text"
        role = ROLES[self.roles[block]]
        if self.kept[block]:
            verdict = f"kept as {role} ({self._figures(block)})"
        elif self.chosen[block]:
            return f"left out: duplicates text that is kept ({self.probability[block]:.2f})"
        else:
            verdict = f"classified as {role}, not text ({self._figures(block)})"
        if self.in_unit[block]:
            verdict += ", as the rest of its list, table or post"
        contributions = self.contributions(block)
        if not contributions:
            return verdict
        from ...models.article.explanation import sentence

        page = self._explanation
        return sentence(verdict, contributions, page.naming(block), float(page.base[block]))

    def _figures(self, block: int) -> str:
        """The probability and the threshold of the page, with as many digits as tell them apart."""
        probability = float(self.probability[block])
        digits = 2 if abs(probability - self.threshold) >= 0.01 else 4
        return f"{probability:.{digits}f}, threshold {self.threshold:.{digits}f}"


def _log_odds(probability: float) -> float:
    sure = min(max(float(probability), 1e-6), 1 - 1e-6)
    return float(np.log(sure / (1 - sure)))
