"""Detect the language of a text with py3langid (naive Bayes over byte n-grams).

The language that a page declares is often that of its template or of its publisher.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

MIN_BYTES = 40
"""Bytes in UTF-8; texts with fewer bytes of letters are too short for detection."""

MAX_CHARS = 500

ALIKE = (frozenset(("no", "nb", "nn")), frozenset(("bs", "hr", "sr")), frozenset(("id", "ms")))
"""Groups of similar languages; within a group the declared one is trusted."""

MARGIN = 0.3
"""Minimum lead of another language over the declared one, in log-odds per character.

If the declared language of a page is clearly wrong, the difference is 0.5 or more. On texts that
mix languages it was at most 0.3 (`docs/metadata.md`).
"""


@dataclass(frozen=True)
class LanguageScores:
    """How similar a text is to each language."""

    scores: dict[str, float]
    """Log-odds by code, the highest first; empty if the text is too short."""
    chars: int
    """Length of the text."""

    @classmethod
    def of(cls, text: str) -> LanguageScores:
        """The scores of the first 500 characters of a running text."""
        text = text[:MAX_CHARS].encode("utf-8", "replace").decode()
        if len("".join(filter(str.isalpha, text)).encode()) < MIN_BYTES:
            return cls({}, len(text))
        detector = _detector()
        # The detector mistakes text in capitals for other languages.
        counts = detector.instance2fv(text.lower())
        # A text has some hundred of its 7,480 features, and `rank` multiplies with all of them.
        present = counts.nonzero()[0]
        scores = counts[present] @ detector.nb_ptc[present] + detector.nb_pc
        order = scores.argsort(kind="stable")[::-1].tolist()
        return cls({detector.nb_classes[i]: float(scores[i]) for i in order}, len(text))

    def choose(self, declared: str = "") -> str:
        """The most similar language, or the declared one if the text is nearly as similar to it.

        >>> text = "Der Hafen war gestern voller Boote, und niemand wusste, warum."
        >>> LanguageScores.of(text).choose("en"), LanguageScores.of("Hafen").choose("en")
        ('de', '')
        """
        if not self.scores:
            return ""
        code, best = next(iter(self.scores.items()))
        declared_code = declared.replace("_", "-").partition("-")[0].lower()
        if any({code, declared_code} <= group for group in ALIKE):
            return declared_code
        score = self.scores.get(declared_code)
        return declared_code if score is not None and best - score < MARGIN * self.chars else code


@cache
def _detector() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_pickled_model(MODEL_FILE)
