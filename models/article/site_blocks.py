"""`SiteBlocks`: how a reader judged the blocks of a site, by their texts and by their places.

A reader's errors differ between the pages of a site, while menus, notices and the name of the site
repeat, and the template puts the same kind of text in the same place. Every page that is learned
from therefore counts the texts of its blocks and their places, with the reader's judgement. For a
block of a further page, a model that was trained on other sites weighs the judgement on the block
alone, how many pages have its text, and the judgements on its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from hashlib import blake2b
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.blocks import TextBlocks
from ...features.selectors import Selectors
from ...features.words import collapse
from ..logistic import LogisticModel, log_odds
from .body_elements import BodyElement
from .decision import LONG

LEVELS = 4
"""Number of elements that name a place: that of the block and those around it."""

MAX_ODDS = 6.0

MAX_ELEMENT_ODDS = 2.2
"""Maximum log-odds of a block by whether it is in the element of its page's body."""

LEAST_REPEATED = 3
"""Minimum number of pages of a text that names the site, which at least half of the pages have."""

COLUMNS = ("alone", "share", "place", "repeats", "element")
"""Log-odds from the page alone; share of pages with the block's text; log-odds of the place; share
of the blocks in this place whose text was there before; and log-odds of the element of the body."""


class SiteModel(LogisticModel):
    """Probability that a block is the page's own, with the evidence of its site.

    The weights of pages that are certainly not articles are their own.
    """

    features = (*COLUMNS, *(f"{name} of others" for name in COLUMNS), "other")
    format = "miolo-site-blocks"
    version = 1
    what = "model of a site's blocks"


@cache
def shipped_site_model() -> SiteModel:
    """The model that comes with the package."""
    return SiteModel.load(Path(__file__).with_name("site_blocks.json"))


@dataclass
class Place:
    """Blocks in one place of a template."""

    pages: int = 0
    blocks: int = 0
    """Number of pages that have such blocks, and of the blocks."""
    texts: int = 0
    """Number of different texts of the blocks."""
    own: int = 0
    """Sum of the probabilities that a block is the page's own, in thousandths."""

    @property
    def odds(self) -> float:
        """Log-odds of the mean judgement, which one block alone moves little."""
        return float(_log_odds((self.own / 1000 + 0.5) / (self.blocks + 1)))


UNKNOWN = Place()


class SiteBlocks:
    """Texts and places of the blocks of a site's pages.

    `pages`: Number of pages that were learned from. `texts`: Number of pages that have a text, by
    its key. `headlines`: Number of pages on which a text looks like the headline, by the key of the
    text. `places`: What is known of each place, by its key.
    """

    def __init__(self) -> None:
        self.pages = 0
        self.texts: dict[int, int] = {}
        self.headlines: dict[int, int] = {}
        self.places: dict[int, Place] = {}
        self._known: set[tuple[int, int]] = set()

    def add(self, page: TextBlocks, own: NDArray[np.float64], headlines: NDArray[np.bool_]) -> None:
        """Learn from one more page.

        `own`: float64, shape (b,): probability that a block is the page's own. `headlines`: bool,
        shape (b,): blocks that look like the headline.
        """
        texts, places = text_keys(page), list(place_keys(page))
        for text in set(texts):
            self.texts[text] = self.texts.get(text, 0) + 1
        for text in set(compress(texts, headlines.tolist())):
            self.headlines[text] = self.headlines.get(text, 0) + 1
        for key in set(places):
            self.places.setdefault(key, Place()).pages += 1
        for text, key, value in zip(texts, places, np.rint(1000 * own).tolist(), strict=True):
            place = self.places[key]
            place.blocks += 1
            place.texts += (key, text) not in self._known
            place.own += int(value)
            self._known.add((key, text))
        self.pages += 1

    def features(
        self,
        page: TextBlocks,
        texts: Sequence[int],
        alone: NDArray[np.float64],
        element: BodyElement | None,
        *,
        is_other: bool,
    ) -> NDArray[np.float64]:
        """What is known of the blocks of a page: float64, shape (b, f), for a `SiteModel`.

        `texts`: Keys of the texts of the page's b blocks; see `text_keys`. `alone`: float64, shape
        (b,): probability that a block is the page's own, from the page alone. `element`: The
        element of the page's body; None if it is unknown. `is_other`: Whether the page is certainly
        not an article.
        """
        places = [self.places.get(key, UNKNOWN) for key in place_keys(page)]
        odds, inside = 0.0, np.zeros(len(page), bool)
        if element is not None:
            odds = min(float(_log_odds(element.fit)), MAX_ELEMENT_ODDS)
            end = page.snapshot.end[element.node]
            inside = (page.first >= element.node) & (page.first < end)
        columns = (
            _log_odds(alone),
            self._pages(texts) / max(1, self.pages),
            np.array([place.odds for place in places], np.float64),
            np.array([1 - place.texts / max(1, place.blocks) for place in places], np.float64),
            np.where(inside, odds, -odds),
        )
        rows = np.stack(columns, axis=1)
        other = np.full((len(rows), 1), float(is_other))
        return np.concatenate([rows * (1 - other), rows * other, other], axis=1)

    def _pages(self, texts: Sequence[int]) -> NDArray[np.float64]:
        """Number of pages that have each text."""
        return np.array([self.texts.get(key, 0) for key in texts], np.float64)

    def shared_sentences(
        self, texts: Sequence[int], words: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Share of the pages that have the text of each block: float64, shape (b,).

        It is 0 for short texts, such as headings, for texts of fewer than three pages, and for
        those that this page repeats, such as a note on each of its entries. A sentence that all
        pages have is the template's, unless all else is for it.
        """
        pages, here = self._pages(texts), Counter(texts)
        counts = (words >= LONG) & (pages >= LEAST_REPEATED)
        counts &= np.array([here[key] == 1 for key in texts], bool)
        return np.where(counts, pages / max(1, self.pages), 0)

    def shared_headlines(self, texts: Sequence[int]) -> NDArray[np.bool_]:
        """bool, shape (b,): blocks whose text looks like the headline of most pages.

        These are at least half of the pages, and three or more. A headline that other pages list
        among their links is none of these.
        """
        least = self._least_repeated
        return np.array([self.headlines.get(key, 0) >= least for key in texts], bool)

    def is_repeated(self, texts: Sequence[int]) -> NDArray[np.bool_]:
        """bool, shape (b,): blocks whose text at least half of the pages have, three or more."""
        return self._pages(texts) >= self._least_repeated

    @property
    def repeated_texts(self) -> int:
        """Number of different texts that at least half of the pages have, three or more."""
        return sum(pages >= self._least_repeated for pages in self.texts.values())

    @property
    def _least_repeated(self) -> float:
        return max(LEAST_REPEATED, self.pages / 2)

    def to_json(self) -> dict[str, Any]:
        """The texts and places that more than one page has, as JSON values."""
        texts, headlines = (
            {f"{key:x}": n for key, n in sorted(counts.items()) if n > 1}
            for counts in (self.texts, self.headlines)
        )
        places = {f"{k:x}": astuple(p) for k, p in sorted(self.places.items()) if p.pages > 1}
        return {"pages": self.pages, "texts": texts, "headlines": headlines, "places": places}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SiteBlocks:
        """Read the output of `to_json`."""
        read = cls()
        read.pages = int(data["pages"])
        read.texts, read.headlines = (
            {int(key, 16): int(pages) for key, pages in data[name].items()}
            for name in ("texts", "headlines")
        )
        places = {int(k, 16): Place(*map(int, each)) for k, each in data["places"].items()}
        for each in places.values():
            if not (0 < each.pages <= each.blocks >= each.texts > 0):
                raise ValueError("the counts of a place contradict each other")
            if not 0 <= each.own <= 1000 * each.blocks:
                raise ValueError("a judgement is out of range")
        counts = (*read.texts.values(), *read.headlines.values())
        if not all(0 < pages <= read.pages for pages in counts):
            raise ValueError("a text is on more pages than the site has")
        read.places = places
        return read


def _log_odds(probability: Any) -> Any:
    return log_odds(probability, 1e-9).clip(-MAX_ODDS, MAX_ODDS)


def text_keys(page: TextBlocks) -> list[int]:
    """Key of the text of each block."""
    return [_key(collapse(text)) for text in page.texts]


def place_keys(page: TextBlocks) -> Iterator[int]:
    """Key of the place of each block: its element and those around it, by tags and classes."""
    selectors, parent = Selectors(page.snapshot), page.snapshot.parent
    known: dict[int, int] = {}
    for owner in page.owner.tolist():
        if owner not in known:
            names, node = [], owner
            while node >= 0 and len(names) < LEVELS:
                names.append(selectors.kind_of(node))
                node = int(parent[node])
            known[owner] = _key(">".join(names))
        yield known[owner]


def _key(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
