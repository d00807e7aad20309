"""Words of scripts without spaces, by dictionary, and which language a page is in.

Chinese by `rjieba`, whose dictionary is built in, Japanese by `sudachipy` with the
dictionary of `sudachidict-small`, its shortest units: all three come with
``pip install 'miolo[cjk]'``. Without them each ideograph and each kana is a word; see
`miolo.features.words`.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from .words import SPACELESS, words

__all__ = ["SEGMENTED", "Segmenter", "segment_words", "segmenter", "text_language"]

Segmenter = Callable[[str], list[str]]
"""Cuts a text without spaces into its words, none left out."""

SEGMENTED = {"zh": "Chinese", "ja": "Japanese"}
"""Languages that a dictionary is needed for, by code."""

RUN = re.compile(f"([{SPACELESS}]+)")
KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9f]")

# Of a text's words, counting ideographs and kana one by one: pages about code are Chinese
# with fewer, and pages of elsewhere name their Chinese edition.
SPACELESS_SHARE = 0.2

# Of ideographs and kana: Japanese has half, Chinese now and then a name.
KANA_SHARE = 0.1

# `sudachipy` takes no more than 49,149 bytes at once, and no sentence is so long.
LONGEST = 10_000


def segmenter(language: str) -> Segmenter | None:
    """The segmenter of a language.

    Parameters
    ----------
    language
        BCP 47 tag.

    Returns
    -------
    None for a language that needs none, and where its package is not installed. A segmenter
    serves one thread.
    """
    code = language.strip().lower()[:2]
    try:
        return _chinese() if code == "zh" else _japanese() if code == "ja" else None
    except ModuleNotFoundError:
        return None


def segment_words(text: str, segment: Segmenter | None) -> list[str]:
    """Words of a text as written; runs without spaces are cut by a segmenter, if there is one."""
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
    """Language of a page's texts by its script where that decides, else the declared one.

    Pages declare none, or that of the theme they were made with. Ideographs and kana
    distinguish Chinese and Japanese; nothing else is guessed.

    Parameters
    ----------
    texts
        All that is to be read.
    declared
        BCP 47 tag, or the empty string.
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
    # Without guessing words that the dictionary lacks: the guesses join particles to names.
    return lambda text: cut(text, False)


def _japanese() -> Segmenter:
    tokenizer = _japanese_dictionary().tokenizer()
    shortest = importlib.import_module("sudachipy").SplitMode.A
    return lambda text: [word.surface() for word in tokenizer.tokenize(text, shortest)]


@cache
def _japanese_dictionary() -> Any:
    importlib.import_module("sudachidict_small")
    return importlib.import_module("sudachipy").Dictionary(dict="small")
