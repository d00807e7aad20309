"""Terms: normalised words that characterise the topic of a text.

Case is folded, and stop words of the text's language are left out (package `stop-words`; languages
that it does not know have none). Chinese and Japanese words from a dictionary are also left out if
they have a single character or consist of hiragana: most are particles, of which the lists of stop
words contain few.
"""

from __future__ import annotations

import re
from functools import cache

from ..patterns import lazy_re
from .segmenters import Segmenter, segment_words
from .words import SPACELESS

PARTICLE = lazy_re(f"[\u3041-\u3096\u30fc]+|[{SPACELESS}]")


def terms(text: str, language: str = "", *, segment: Segmenter | None = None) -> list[str]:
    """Terms of a text in order, duplicates included.

    `language`: BCP 47 tag, as in `PageInfo.language`; the empty string where it is not known.
    `segment`: Splits runs of Chinese and Japanese; see `miolo.features.segmenters`. Without it,
    each ideograph and each kana is a word.
    """
    words = segment_words(text, segment)
    if segment is not None:
        words = [word for word in words if not PARTICLE.fullmatch(word)]
    dropped = stop_words(language)
    return [term for word in words if (term := word.casefold()) not in dropped]


def stop_words(language: str) -> frozenset[str]:
    """Case-folded stop words of a language; empty for an unknown language."""
    return _stop_words(re.split("[-_]", language.strip().lower())[0])


@cache
def _stop_words(code: str) -> frozenset[str]:
    from stop_words import LANGUAGE_MAPPING, get_stop_words

    if code not in LANGUAGE_MAPPING:
        return frozenset()
    return frozenset(word.strip().casefold() for word in get_stop_words(code))
