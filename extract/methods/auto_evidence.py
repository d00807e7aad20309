"""Reasons for the reader's decisions, which are computed when the first of a page is read.

Explaining a page takes about half as long as reading it, and most users never read the reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ...features.article.features import BlockFeatures
from ...models.article.model import Reader, log_odds
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
    def contributions(self) -> Lazy[tuple[Contribution, ...]]:
        """Contributions to the log-odds of each block, the largest first, after the empty ones to
        nodes without text.
        """
        return Lazy(self._contributions, len(self.roles) + 1)

    @property
    def reasons(self) -> Lazy[str]:
        """The reason for nodes without text, followed by the reason for each block."""
        return Lazy(self._sentences, len(self.roles) + 1)

    @cached_property
    def _explanation(self) -> Explanation | None:
        """The evidence of the page; see `MAX_EXPLAINED`."""
        if len(self.roles) > MAX_EXPLAINED:
            return None
        from ...models.article.explanation import explain

        return explain(self.reader, self.features, self.text, self.article)

    def _contributions(self) -> list[tuple[Contribution, ...]]:
        if self._explanation is None:
            return [()] * (len(self.roles) + 1)
        from ...models.article.explanation import Contribution

        of_blocks = self._explanation.contributions()
        moved = log_odds(self.probability) - log_odds(self.alone)
        masks = (self.overlay, self.story, self.choice, self.listing, self.heading)
        kinds = np.select(masks, (OVERLAY, STORY, CHOICE, LISTING, SECTION), self.context).tolist()
        for block in (np.abs(moved) >= LEAST_MOVED).nonzero()[0].tolist():
            beside = Contribution(kinds[block], float("nan"), round(float(moved[block]), 4))
            each = (*of_blocks[block], beside)
            of_blocks[block] = tuple(sorted(each, key=lambda each: -abs(each.log_odds)))
        return [(), *of_blocks]

    def _sentences(self) -> list[str]:
        verdicts = [self._verdict(block) for block in range(len(self.roles))]
        if self._explanation is not None:
            from ...models.article.explanation import sentence

            rows = zip(self._explanation.namings(), self._explanation.base.tolist(), strict=True)
            is_copy = self.chosen & ~self.kept
            for block, (naming, base) in enumerate(rows):
                if not is_copy[block]:
                    given = self.contributions[block + 1]
                    verdicts[block] = sentence(verdicts[block], given, naming, base)
        return ["no text", *verdicts]

    def _verdict(self, block: int) -> str:
        role, probability = ROLES[self.roles[block]], float(self.probability[block])
        if self.chosen[block] and not self.kept[block]:
            return f"left out: duplicates text that is kept ({probability:.2f})"
        # As many digits as the probability and the threshold need to differ.
        digits = 2 if abs(probability - self.threshold) >= 0.01 else 4
        figures = f"{probability:.{digits}f}, threshold {self.threshold:.{digits}f}"
        verdict = "kept as {} ({})" if self.kept[block] else "classified as {}, not text ({})"
        unit = ", as the rest of its list, table or post" if self.in_unit[block] else ""
        return verdict.format(role, figures) + unit
