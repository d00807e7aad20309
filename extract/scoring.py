"""Scores of extracted text against ground truth, for pages and sets of pages.

There are two measures. *Shingles* follow the public article-extraction benchmark: they are
multisets of four consecutive tokens, every page has the same weight, and F1 is computed from the
mean precision and the mean recall. *Tokens* are bags of single tokens, for texts whose order or
spacing is uncertain. A token is a case-sensitive word of `miolo.features.words`, from text that is
normalized to NFKC without soft hyphens, so that a superscript digit is a digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from unicodedata import normalize

from ..features.words import INVISIBLE, words
from ..output.extraction import Extraction
from ..output.write.text import text_units

__all__ = [
    "PageScore",
    "SetScore",
    "score_set",
    "scored_text",
    "shingle_score",
    "token_score",
]

SHINGLE = 4


@dataclass(frozen=True)
class PageScore:
    """Score of one page."""

    precision: float
    recall: float
    """In [0, 1]."""
    exact: bool
    """Whether both multisets are equal."""

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if both are 0."""
        return _harmonic(self.precision, self.recall)


@dataclass(frozen=True)
class SetScore:
    """Score of a set of pages: means over pages, and F1 of these means."""

    precision: float
    recall: float
    f1: float
    exact: float
    """In [0, 1]; `exact` is the share of exact pages."""
    pages: int
    """Number of pages."""


def scored_text(extraction: Extraction) -> str:
    """The text without the numbers of lists and notes, which are not part of the HTML's text."""
    return "\n".join(unit.text for unit in text_units(extraction.body.document()))


def shingle_score(truth: str, predicted: str) -> PageScore:
    """Score by shingles of four tokens; a shorter text is one shingle."""
    return _score(_shingles(_tokens(truth)), _shingles(_tokens(predicted)))


def token_score(truth: str, predicted: str) -> PageScore:
    """Score by single tokens."""
    return _score(Counter(_tokens(truth)), Counter(_tokens(predicted)))


def score_set(scores: Iterable[PageScore]) -> SetScore:
    """Combine the scores of pages; without pages, all values are 0."""
    page_scores = list(scores)
    n = max(1, len(page_scores))
    precision = sum(score.precision for score in page_scores) / n
    recall = sum(score.recall for score in page_scores) / n
    exact = sum(score.exact for score in page_scores) / n
    return SetScore(precision, recall, _harmonic(precision, recall), exact, len(page_scores))


def _tokens(text: str) -> list[str]:
    return words(INVISIBLE.sub("", normalize("NFKC", text)))


def _shingles(tokens: Sequence[str]) -> Counter[tuple[str, ...]]:
    if not tokens:
        return Counter()
    last = max(1, len(tokens) - SHINGLE + 1)
    return Counter(tuple(tokens[i : i + SHINGLE]) for i in range(last))


def _score(truth: Counter, predicted: Counter) -> PageScore:
    # The benchmark divides both sides by their common total, so that all pages have the same
    # weight. That changes neither ratio.
    common = (truth & predicted).total()
    if not truth and not predicted:
        return PageScore(1.0, 1.0, True)
    precision = common / predicted.total() if predicted else 0.0
    recall = common / truth.total() if truth else 0.0
    return PageScore(precision, recall, truth == predicted)


def _harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a + b else 0.0
