"""Reasons for the reader's decisions, which are computed when the first of a page is read.

Explaining a page takes about half as long as reading it, and most users never read the reasons.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...models.article.decision import LOWEST_LEVEL
from ...models.article.roles import ROLES
from ...models.logistic import log_odds
from .auto_decision import Decision
from .auto_judgement import CHOICE, OVERLAY, STORY, Judgement
from .selection import Lazy

if TYPE_CHECKING:
    from ...models.article.explanation import Contribution, Explanation

# Most pages are read without their reasons, so the functions that give these import what they use.

LISTING, SECTION = "listing", "section"
"""Kinds of evidence on decisions, in addition to those on judgements: the text around a code
listing, and the section under a heading."""

LEAST_MOVED = 0.05

MAX_EXPLAINED = 5_000
"""Maximum number of blocks of a page whose blocks are explained; explaining these takes about a
second. On a larger page, a reason is only the verdict."""


@dataclass(eq=False)
class BlockEvidence:
    """Why the b blocks of a page were kept or left out."""

    judged: Judgement
    decision: Decision
    roles: NDArray[np.int8]
    """int8, shape (b,): role of each block."""

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

        judged = self.judged
        return explain(judged.reader, judged.features, judged.text, judged.article)

    def _contributions(self) -> list[tuple[Contribution, ...]]:
        if self._explanation is None:
            return [()] * (len(self.roles) + 1)
        from ...models.article.explanation import Contribution

        of_blocks = self._explanation.contributions()
        judged = self.judged
        moved = log_odds(self.decision.probability) - log_odds(judged.alone)
        is_heading = judged.features.column("tag.heading") <= LOWEST_LEVEL
        masks = (judged.overlay, judged.story, judged.choice, self.decision.listing, is_heading)
        names = (OVERLAY, STORY, CHOICE, LISTING, SECTION)
        kinds = np.select(masks, names, judged.context).tolist()
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
            for block, (naming, base) in enumerate(rows):
                given, decided = self.contributions[block + 1], bool(self._decided[block])
                verdicts[block] = sentence(verdicts[block], given, naming, base, decided=decided)
        return ["no text", *verdicts]

    @cached_property
    def _decided(self) -> NDArray[np.bool_]:
        """bool, shape (b,): blocks that are kept or left out as the threshold says."""
        return (self.decision.probability >= self.judged.threshold) == self.decision.kept

    def _verdict(self, block: int) -> str:
        role, threshold = ROLES[self.roles[block]], self.judged.threshold
        probability = float(self.decision.probability[block])
        # As many digits as the probability and the threshold need to differ.
        digits = 2 if abs(probability - threshold) >= 0.01 else 4
        figures = f"{probability:.{digits}f}, threshold {threshold:.{digits}f}"
        verdict = (
            "kept as {} ({})" if self.decision.kept[block] else "classified as {}, not text ({})"
        )
        # A later step may have restored what the threshold decided.
        step = None if self._decided[block] else self.decision.steps.get(block)
        return verdict.format(role, figures) + (f", {step}" if step else "")
