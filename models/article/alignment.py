"""Alignment of blocks with a ground-truth text: which blocks contain the text, in its order.

A truth is plain text that somebody considered to be the article. Its paragraphs are in the page's
order, but it may lack headlines, captions or lists, join what the page separates, or contain once
what the page contains twice. A longest common subsequence of the words of the page and of the truth
assigns each word of the truth to one block at most.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from ...features.words import words

TEXT_SHARE = 0.5
"""Minimum share of a block's words in the truth for the block to belong to the text."""


def align(blocks: Sequence[str], truth: str) -> tuple[NDArray[np.bool_], float]:
    """Blocks that belong to the truth, and the share of the truth's words that they explain.

    bool, shape (b,), and a number in [0, 1], 1 for an empty truth. Of the common subsequences that
    begin first and end last, the one is chosen whose blocks explain more, or else are closer
    together, since a page may repeat a sentence far from the article.
    """
    tokens = words(truth.casefold())
    block_words = [words(text.casefold()) for text in blocks]
    sizes = np.array([len(each) for each in block_words], np.int64)
    page = [word for each in block_words for word in each]
    owner = np.repeat(np.arange(len(blocks)), sizes)
    ways = []
    for step in (1, -1):
        is_common = np.zeros(len(page), bool)
        for part in LCSseq.opcodes(page[::step], tokens[::step]):
            is_common[part.src_start : part.src_end] = part.tag == "equal"
        common = np.bincount(owner[is_common[::step]], minlength=len(blocks))
        inside = (common >= TEXT_SHARE * sizes) & (sizes > 0)
        extent = int(np.ptp(inside.nonzero()[0])) if inside.any() else 0
        ways.append((int(common[inside].sum()), -extent, -len(ways), inside))
    explained, _, _, inside = max(ways, key=lambda way: way[:3])
    return inside, explained / len(tokens) if tokens else 1.0
