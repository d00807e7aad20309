"""Dictionary-based word segmentation for scripts without spaces, and the language of a page.

Chinese is segmented by `rjieba`, which has a built-in dictionary. Japanese is segmented by
`sudachipy` with the dictionary of `sudachidict-small`, into its shortest units. All three are
installed by ``pip install 'miolo[cjk]'``. Without them, each ideograph and each kana is a word;
see `miolo.features.words`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from ..patterns import lazy_re
from .words import SPACELESS, words

Segmenter = Callable[[str], list[str]]
"""Function that splits a text without spaces into its words, without omissions."""

SEGMENTED = {"zh": "Chinese", "ja": "Japanese"}
"""Languages that need a dictionary, by code."""

RUN = lazy_re(f"([{SPACELESS}]+)")
KANA = lazy_re("[\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9f]")

# Minimum share of ideographs and kana among a text's words, each counted as one. It is low because
# Chinese pages about code have few, and above 0 because other pages name their Chinese edition.
SPACELESS_SHARE = 0.2

# Minimum share of kana among ideographs and kana: in Japanese it is about half, while Chinese has
# an occasional name.
KANA_SHARE = 0.1

# Maximum number of characters per call: `sudachipy` accepts at most 49,149 bytes, and no sentence
# is that long.
LONGEST = 10_000


def segmenter(language: str) -> Segmenter | None:
    """The segmenter of a language.

    None for a language that needs none, or if its package is not installed. A segmenter must not be
    shared between threads.
    """
    code = language.strip().lower()[:2]
    try:
        return _chinese() if code == "zh" else _japanese() if code == "ja" else None
    except ModuleNotFoundError:
        return None


def segment_words(text: str, segment: Segmenter | None) -> list[str]:
    """Words of a text as written; runs without spaces are split by the segmenter, if any."""
    if segment is None:
        return words(text)
    tokens: list[str] = []
    for place, part in enumerate(RUN.split(text)):
        if place % 2 == 0:
            tokens += words(part)
            continue
        for start in range(0, len(part), LONGEST):
            tokens += segment(part[start : start + LONGEST])
    return tokens


def text_language(texts: Iterable[str], declared: str = "") -> str:
    """Language of a page's texts, by their script if that is conclusive, else the declared one.

    Pages may declare no language, or that of their theme. Ideographs and kana identify Chinese
    and Japanese; no other language is guessed.

    `texts`: All readable texts of the page. `declared`: BCP 47 tag, or the empty string.
    """
    total = spaceless = kana = 0
    for text in texts:
        ideographs = sum(map(len, RUN.findall(text)))
        spaceless += ideographs
        total += len(words(text))
        kana += len(KANA.findall(text)) if ideographs else 0
    if not spaceless or spaceless < SPACELESS_SHARE * total:
        return declared
    code = "ja" if kana >= KANA_SHARE * spaceless else "zh"
    return declared if declared.strip().lower()[:2] == code else code


def _chinese() -> Segmenter:
    cut = importlib.import_module("rjieba").cut
    # Words that the dictionary lacks are not guessed: guesses join particles to names.
    return lambda text: cut(text, False)


def _japanese() -> Segmenter:
    tokenizer = _japanese_dictionary().tokenizer()
    shortest = importlib.import_module("sudachipy").SplitMode.A
    return lambda text: [word.surface() for word in tokenizer.tokenize(text, shortest)]


@cache
def _japanese_dictionary() -> Any:
    importlib.import_module("sudachidict_small")
    return importlib.import_module("sudachipy").Dictionary(dict="small")
