"""Measures that compare an answer with the truth for one page."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from ..extract.scoring import shingle_score
from ..features.words import words
from .case import Case
from .systems import Answer

__all__ = ["Measures", "measure", "rouge_l", "same_day", "same_title"]

MAX_WORDS = 200_000
"""Maximum number of words for ROUGE-L, whose time grows with the product of both lengths."""

DAY = re.compile(r"\s*(\d{4}-\d\d-\d\d)(?!\d)")


@dataclass(frozen=True)
class Measures:
    """Measures of one answer.

    Attributes
    ----------
    precision, recall, f1
        Scores over shingles of four words, in [0, 1].
    exact
        Whether all shingles are equal.
    rouge_l
        ROUGE-L, in [0, 1].
    title, date
        Whether title and date are correct; None if the truth is unknown.
    """

    precision: float
    recall: float
    f1: float
    exact: bool
    rouge_l: float
    title: bool | None
    date: bool | None


def measure(case: Case, answer: Answer) -> Measures:
    """Compare an answer with the truth."""
    score = shingle_score(case.text, answer.text)
    return Measures(
        score.precision,
        score.recall,
        score.f1,
        score.exact,
        rouge_l(case.text, answer.text),
        same_title(case.title, answer.title),
        same_day(case.date, answer.date),
    )


def rouge_l(truth: str, answer: str) -> float:
    """ROUGE-L (Lin 2004): F1 of the longest common subsequence of words, in [0, 1].

    Words are compared by their casefolded forms. Only the first 200,000 words of a text are used.
    The score of two texts without words is 1.

    >>> rouge_l("the cat sat on the mat", "The cat on a mat")
    0.7272727272727273
    """
    number: dict[str, int] = {}
    a, b = (
        [number.setdefault(word, len(number)) for word in words(text.casefold())[:MAX_WORDS]]
        for text in (truth, answer)
    )
    if not a and not b:
        return 1.0
    return 2 * LCSseq.similarity(a, b) / (len(a) + len(b))


def same_title(truth: str | None, title: str | None) -> bool | None:
    """Whether two titles have the same words, regardless of case and punctuation.

    None if the truth has no words.

    >>> same_title("“Brexit”: what’s next?", "Brexit: What's next")
    True
    """
    expected = _plain_words(truth)
    return _plain_words(title) == expected if expected else None


def _plain_words(title: str | None) -> list[str]:
    return words(unicodedata.normalize("NFKC", title or "").casefold())


def same_day(truth: str | None, date: str | None) -> bool | None:
    """Whether two ISO dates are the same day, each as written in its own time zone.

    None if the truth is not a complete ISO date.
    """
    expected = DAY.match(truth or "")
    if expected is None:
        return None
    actual = DAY.match(date or "")
    return actual is not None and actual[1] == expected[1]
