"""Why a block is in the text: the contribution of each kind of evidence to its log-odds.

The reader's prediction is a function of all evidence on a page. Kinds of evidence are added one
after the other, from none to all, and the change of a block's log-odds is the contribution of the
kind that was added. The base and all contributions therefore sum to the prediction. Since the order
matters, contributions are averaged over an order and its reverse (two permutations of the Shapley
value, as in Mitchell et al., "Sampling permutations for Shapley value estimation", JMLR 2022).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.article.features import BlockFeatures
from ...values import frozen
from .model import Reader

__all__ = [
    "EVIDENCE",
    "Contribution",
    "Explanation",
    "evidence_columns",
    "explain",
    "sentence",
]

Array = NDArray[np.float64]

EVIDENCE: dict[str, tuple[str, ...]] = {
    "length": ("text.words", "text.chars", "text.word_length", "text.stops", "text.commas"),
    "characters": ("text.", "written."),
    "links": ("text.linked", "text.links", "text.links_per_word", "link."),
    "phrases": ("phrase.", "name."),
    "words": ("word.",),
    "element": ("tag.", "parent_tag."),
    "names": ("hint.", "within."),
    "tree": ("tree.", "up0.", "up1.", "up2.", "up3.", "core50.", "core80.", "core95.",
             "gap."),
    "similar blocks": ("alike.", "beside.", "cousins.", "group."),
    "look": ("look.",),
    "place": ("place.", "headline.", "articles.", "under.", "page."),
    "neighbours": ("prev1.", "prev2.", "next1.", "next2.", "around.", "prose_before.",
                   "prose_after."),
    "declarations": ("declared.", "copy.in_description", "copy.in_body", "copy.has_body"),
    "copies": ("copy.",),
    "pictures": ("picture_before.", "picture_after."),
}  # fmt: skip
"""Kinds of evidence, with the names of the features of each, or prefixes of these names.

A feature is of the kind with the longest matching prefix. Hashed words are also of the kind
``words``.
"""


@frozen
class Contribution:
    """Contribution of one kind of evidence to a block's log-odds.

    Attributes
    ----------
    feature
        The kind of evidence; see `EVIDENCE`.
    value
        The characteristic value of the block, such as its number of words or the share of its
        text in links; NaN if there is none.
    log_odds
        The contribution; greater than 0 if it is evidence that the block is text.
    """

    feature: str
    value: float
    log_odds: float


@frozen(eq=False)
class Explanation:
    """The evidence on b blocks.

    Attributes
    ----------
    kinds
        The k kinds of evidence.
    base
        float64, shape (b,): log-odds without any evidence.
    moved
        float64, shape (b, k): contribution of each kind; the base and all contributions sum to
        the predicted log-odds.
    values
        float64, shape (b, k): characteristic values; see `Contribution`.
    """

    kinds: tuple[str, ...]
    base: Array
    moved: Array
    values: Array

    def of(self, block: int) -> tuple[Contribution, ...]:
        """Contributions to a block, in descending order of magnitude."""
        kinds, values, moved, order = self._rows
        value, move = values[block], moved[block]
        return tuple([Contribution(kinds[kind], value[kind], move[kind]) for kind in order[block]])

    @cached_property
    def _rows(self) -> tuple[tuple[str, ...], list[Any], list[Any], list[Any]]:
        """Kinds; values, contributions and their order of each block."""
        order = np.argsort(-np.abs(self.moved), axis=1, kind="stable")
        values, moved = self.values.round(4), self.moved.round(4)
        return self.kinds, values.tolist(), moved.tolist(), order.tolist()


def explain(
    reader: Reader, features: BlockFeatures, text: Collection[str], article: float
) -> Explanation:
    """Evidence for and against each block having one of some roles.

    Parameters
    ----------
    reader
        The model.
    features
        Features of the page's b blocks.
    text
        Names of the roles that count as the text.
    article
        Probability that the page is an article.
    """
    values = reader.standardise(features)
    columns = evidence_columns(reader.columns)
    kinds = tuple(columns)

    def text_log_odds(order: Sequence[str]) -> Array:
        """float64, shape (k + 1, b): log-odds by the first kinds of an order, from none to all."""
        parts = [columns[kind] for kind in order]
        nested = reader.read_nested(features, values, parts, order.index("words"))
        read = np.array([each.of_text(text, article) for each in nested])
        probability = np.clip(read, 1e-6, 1 - 1e-6)
        return np.log(probability / (1 - probability))

    onwards, backwards = text_log_odds(kinds), text_log_odds(kinds[::-1])
    base = onwards[0]
    moved = (np.diff(onwards, axis=0) + np.diff(backwards, axis=0)[::-1]).T / 2
    return Explanation(kinds, base, moved, _values_for_readers(features, kinds))


@lru_cache(maxsize=8)
def evidence_columns(names: tuple[str, ...]) -> dict[str, NDArray[np.intp]]:
    """Columns of the features of each kind of evidence."""
    starts = [(start, kind) for kind, beginnings in EVIDENCE.items() for start in beginnings]
    of = []
    for name in names:
        fitting = [(len(start), kind) for start, kind in starts if name.startswith(start)]
        of.append(max(fitting)[1] if fitting else "place")
    return {kind: np.flatnonzero([each == kind for each in of]) for kind in EVIDENCE}


SHOWN_FEATURES = {
    "length": "text.words",
    "links": "text.linked",
    "element": "tag.heading",
    "similar blocks": "alike.prose",
    "look": "look.larger",
    "place": "place.at",
    "neighbours": "around.prose4",
    "declarations": "declared.title",
    "copies": "copy.earlier",
    "pictures": "picture_before.far",
}
"""The feature that represents a kind of evidence in sentences."""


def _values_for_readers(features: BlockFeatures, kinds: Sequence[str]) -> Array:
    values = np.full((len(features.values), len(kinds)), np.nan)
    for column, kind in enumerate(kinds):
        name = SHOWN_FEATURES.get(kind)
        if name in features.names:
            values[:, column] = features.column(name)
    return values


SHOWN = 3
"""Maximum number of contributions for and against a verdict that a sentence names."""

LEAST = 0.3
"""Minimum log-odds, in magnitude, of a contribution that a sentence names."""

Wording = Callable[[float], str]


def _by_share(most: str, some: str, few: str) -> Wording:
    """Wording of a share, which is shown beside it in per cent."""
    return lambda share: most if share > 0.5 else some if share > 0.1 else few


WORDS: dict[str, Wording] = {
    "length": lambda words: f"{'long' if words > np.log1p(15) else 'short'}",
    "characters": lambda _: "its letters and punctuation",
    "links": _by_share("mostly links", "partly links", "few links"),
    "phrases": lambda _: "its phrases",
    "words": lambda _: "its words",
    "element": lambda heading: "a heading" if heading < 7 else "its element",
    "names": lambda _: "the names of the elements around it",
    "tree": lambda _: "its place in the tree",
    "similar blocks": lambda prose: (
        "similar to most of the page's prose" if prose > 0.5 else "similar blocks on the page"
    ),
    "look": lambda larger: "large font" if larger > 0.15 else "its look",
    "place": lambda at: (
        "near the top of the page"
        if at < 0.15
        else "near the bottom of the page"
        if at > 0.85
        else "its place on the page"
    ),
    "neighbours": _by_share(
        "most of the page's prose around it",
        "some of the page's prose around it",
        "little of the page's prose around it",
    ),
    "declarations": lambda like: (
        "similar to the declared title" if like > 0.5 else "the page's metadata"
    ),
    "copies": _by_share(
        "mostly a copy of earlier text",
        "partly a copy of earlier text",
        "not a copy of earlier text",
    ),
    "pictures": lambda far: "right below a picture" if far < 1 else "the pictures around it",
    "alike": lambda _: "the decision on similar blocks nearby",
    "site": lambda _: "its place in the site's template",
    "overlay": lambda _: "part of a layer over the page",
    "choice": lambda _: "a line that offers a choice of buttons",
    "story": lambda _: "part of another story below the article",
    "listing": lambda _: "a code listing between blocks of the text",
    "section": lambda _: "the section under the heading",
}
"""Wording of each kind of evidence, given its characteristic value."""


def sentence(verdict: str, contributions: Sequence[Contribution]) -> str:
    """A verdict and its strongest contributions in words.

    >>> evidence = [Contribution("length", 4.0, 1.2), Contribution("links", 0.9, -0.8)]
    >>> sentence("kept as paragraph", evidence)
    'kept as paragraph: long – against: mostly links'
    """
    sides = [
        [
            WORDS[each.feature](each.value)
            for each in contributions
            if each.log_odds * sign >= LEAST
        ][:SHOWN]
        for sign in (1, -1)
    ]
    kept = verdict.startswith("kept")
    first, second = sides if kept else sides[::-1]
    text = f"{verdict}: {'; '.join(first)}" if first else verdict
    if not second:
        return text
    return f"{text} – {'against' if kept else 'in favour'}: {'; '.join(second)}"
