"""Parameters of NCE, each with the chapter's symbol and default."""

from __future__ import annotations

from dataclasses import dataclass

from ...models.headline import HeadlineRule
from ...models.repetition import RepetitionRule
from ...models.separator import SeparatorRule

__all__ = ["NCEOptions"]


@dataclass(frozen=True)
class NCEOptions:
    """Parameters of NCE; the chapter's symbols and defaults.

    Attributes
    ----------
    min_leaf_chars
        Alpha 0 = 200.
    min_chars
        Alpha 1 = 600.
    min_link_density
        Alpha 2 = 0.1 (a density; its table swaps the descriptions of alpha 2 and 3).
    min_sibling_chars
        Alpha 3 = 0 (characters).
    min_comment_chars, max_comment_chars
        Alpha 4 = 30 and alpha 5 = 120: texts that enter the comment graph.
    max_distance
        Alpha 6 = 5: positions between two joined texts.
    min_common
        Alpha 7 = 0.8: longest common subsequence over the shorter text.
    title_words
        Alpha 8 = 4, as (minimum, maximum): (4, 20), or (1, 4) to the letter.
    min_title_overlap
        Alpha 9 = 0.7: share of the title's words that also occur in the body.
    max_link_density
        tr = 0.4: link density of a child of the separator that is kept.
    chars_per_repetition
        Not in the source: an area that begins with a repetition contains comments only if
        similar texts recur, on average, at least once in so many characters.
    literal
        Everything as published: code points for characters, condition 4 with its subscripts,
        single text nodes as leaves, no second try with smaller texts, titles of one to four
        words with the title element among the candidates, no guard on comment removal, and
        no special treatment of layers over the page.
    """

    min_leaf_chars: int = 200
    min_chars: int = 600
    min_link_density: float = 0.1
    min_sibling_chars: int = 0
    min_comment_chars: int = 30
    max_comment_chars: int = 120
    max_distance: int = 5
    min_common: float = 0.8
    title_words: tuple[int, int] | None = None
    min_title_overlap: float = 0.7
    max_link_density: float = 0.4
    chars_per_repetition: int = 1000
    literal: bool = False

    @property
    def separator(self) -> SeparatorRule:
        """Rule of stage 1."""
        return SeparatorRule(
            self.min_leaf_chars,
            self.min_chars,
            self.min_link_density,
            self.min_sibling_chars,
            self.literal,
        )

    @property
    def repetition(self) -> RepetitionRule:
        """Rule of stage 2."""
        ratio = 0.0 if self.literal else RepetitionRule.min_length_ratio
        return RepetitionRule(self.max_distance, self.min_common, ratio)

    @property
    def headline(self) -> HeadlineRule:
        """Rule of stage 3."""
        low, high = self.title_words or ((1, 4) if self.literal else (4, 20))
        return HeadlineRule(low, high, self.min_title_overlap)
