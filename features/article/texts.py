"""Features of a block's text."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, lru_cache, reduce
from itertools import accumulate
from operator import or_

import numpy as np
from numpy.typing import NDArray

from ...renderer.page.tree import subtree_mask
from ..blocks import TextBlocks
from ..links import link_mask
from .characters import CharacterCounts
from .columns import Columns

BOLD = 600

PHRASES: dict[str, str] = {
    "more": r"more:|related|recommended|関連|相关|続き",
    "credit": r"photo|image|picture|credit|getty|reuters|afp\b|\bap\b|shutterstock"
    r"|foto|bild|©|\(c\)|imago|dpa|source:|quelle|fuente|courtesy|写真|图源",
    "rights": r"©|copyright|privacy|cookie|derechos",
    "subscribe": r"subscri|newsletter|register|abonn|suscr|anmelden|inbox|unlimited"
    r"|telegram",
    "share": r"share|facebook|twitter|whatsapp|print|e-?mail|bookmark|teilen"
    r"|compartir",
    "advert": r"advert|sponsored|anzeige|publicidad|werbung|publicité|pubblicità"
    r"|promoted|affiliate|commission",
    "byline": r"editor|correspondent|reporter|contributed|redaktion|author|@\w",
    "date": r"\b(19|20)\d\d\b|\d{1,2}[:.]\d\d|\d{1,2}[./]\d{1,2}[./]\d|ago\b|updated"
    r"|published|uhr\b|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|年|月|日",
    "price": r"[$€£¥₹₽]\d|\d ?(?:[€£₽]|zł|kr\b|руб)|\busd\b|\beur\b",
    "comment": r"comment|reply|kommentar|respuesta|responder|antworten",
    "tags": r"\0tags?\b|\0topics?\b|categor|\0themen|\0keywords|etiquetas",
}
"""Patterns of words that hint at a block's role, in the most common languages; ``\\0`` marks the
beginning of a block."""

LINES: dict[str, str] = {
    "more": "read more|read also|also read|see also|don't miss|continue reading|lee también"
    "|leer más|lea también|mehr zum thema|lesen sie|lire aussi|à lire|leia também|leggi anche"
    "|lees ook|läs också|les også",
    "rights": "all rights reserved|alle rechte|terms of",
    "subscribe": "sign up|log in|sign in|follow us|join |free trial|download the|whatsapp channel"
    "|support ",
    "share": "copy link",
    "byline": "\0by |\0von |\0por |\0par |\0di |\0av |written by|reporting by|edited by"
    "|additional report|staff writer",
    "date": "min read|minute read",
    "tags": "filed under|\0more on",
}
"""Texts of several words that hint at a role, separated by bars."""

LONGEST = 300
"""Maximum number of characters of a block that are searched for phrases."""


def text_shares(page: TextBlocks) -> dict[str, NDArray[np.float64]]:
    """Shares of characters in links, bold and italics; numbers of links and of text nodes.

    Each is float64, shape (b,).
    """
    snapshot, text = page.snapshot, page.snapshot.text
    nodes = (page.of >= 0).nonzero()[0]
    block = page.of[nodes]
    lengths = np.array([len(text[node].strip()) for node in nodes.tolist()], float)
    linked = subtree_mask(link_mask(snapshot), snapshot.end)[nodes]
    strong = snapshot.in_tag("b", "strong")[nodes]
    slanted = snapshot.in_tag("i", "em", "cite")[nodes]
    bold = strong | (snapshot.font_weight[nodes] >= BOLD)

    def total(weights: NDArray[np.generic]) -> NDArray[np.float64]:
        return np.bincount(block, weights, len(page)).astype(np.float64)

    chars = np.maximum(total(lengths), 1)
    starts = linked.copy()
    starts[1:] &= ~linked[:-1] | (block[1:] != block[:-1])
    return {
        "linked": total(lengths * linked) / chars,
        "bold": total(lengths * bold) / chars,
        "slanted": total(lengths * slanted) / chars,
        "links": total(starts),
        "parts": total(np.ones(len(nodes))),
    }


def put_texts(
    columns: Columns,
    page: TextBlocks,
    counts: CharacterCounts,
    shares: dict[str, NDArray[np.float64]],
) -> None:
    """Add features of length, characters, links, emphasis and phrases."""
    chars = np.maximum(counts.kinds.sum(axis=1), 1)
    words = np.maximum(counts.words, 1)
    dense = np.maximum(chars - counts.of("space"), 1)
    columns.put(
        "text",
        words=np.log1p(counts.words),
        chars=np.log1p(chars),
        word_length=(counts.of("small") + counts.of("capital")) / words,
        capitals=counts.of("capital") / dense,
        digits=counts.of("digit") / dense,
        ideographs=counts.of("ideograph") / dense,
        commas=counts.of("comma") / words,
        stops=counts.of("stop") / words,
        quotes=counts.of("quote"),
        bars=counts.of("bar") / words,
        others=counts.of("other") / dense,
        colons=counts.of("colon"),
        begins_capital=counts.begins("capital", "ideograph"),
        begins_small=counts.begins("small"),
        begins_other=counts.begins("other", "bar", "bracket"),
        ends_stop=counts.ends("stop", "quote"),
        ends_colon=counts.ends("colon"),
        ends_letter=counts.ends("small", "capital", "ideograph"),
        ends_other=counts.ends("other", "bar", "bracket", "digit"),
        linked=shares["linked"],
        links=shares["links"],
        links_per_word=shares["links"] / words,
        bold=shares["bold"],
        slanted=shares["slanted"],
        parts=shares["parts"],
        hidden=page.hidden,
    )
    columns.put("phrase", **dict(zip(PHRASES, _hint(page.texts).T, strict=True)))


def _hint(texts: list[str]) -> NDArray[np.bool_]:
    """bool, shape (b, len(PHRASES)): hints that each text gives."""
    lowered = ["\0" + text[:LONGEST].lower() for text in texts]
    words = [text.split() for text in lowered]
    # Words repeat more often than blocks, and few give a hint.
    distinct = set[str]().union(*words)
    hints = {word: bits for word in distinct if (bits := _hints_of_word(word))}
    bits = [reduce(or_, map(hints.__getitem__, hints.keys() & each), 0) for each in words]
    hinted = (np.array(bits, np.int64).reshape(-1, 1) >> np.arange(len(PHRASES)) & 1) > 0
    starts = list(accumulate(map(len, lowered), initial=0))
    whole_text, vocabulary = "".join(lowered), " ".join(distinct)
    for column, name in enumerate(PHRASES):
        for line in filter(None, LINES.get(name, "").split("|")):
            at = whole_text.find(line) if line.split()[0] in vocabulary else -1
            while at >= 0:
                hinted[bisect_right(starts, at) - 1, column] = True
                at = whole_text.find(line, at + 1)
    return hinted


@lru_cache(maxsize=1 << 16)
def _hints_of_word(word: str) -> int:
    # Cached, since pages share words. Few give a hint: one search settles most.
    any_phrase, *phrases = _phrases()
    if not any_phrase.search(word):
        return 0
    return sum(1 << bit for bit, phrase in enumerate(phrases) if phrase.search(word))


@cache
def _phrases() -> tuple[re.Pattern[str], ...]:
    """A pattern of all phrases, and those of each group."""
    return tuple(map(re.compile, ("|".join(PHRASES.values()), *PHRASES.values())))
