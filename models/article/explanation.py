"""Why a block is in the text: the contribution of each kind of evidence to its log-odds.

The reader's prediction is a function of all evidence on a page. Kinds of evidence are added one
after the other, from none to all, and the change of a block's log-odds is the contribution of the
kind that was added. The base and all contributions therefore sum to the prediction. Since the order
matters, contributions are averaged over an order and its reverse (two permutations of the Shapley
value, as in Mitchell et al., "Sampling permutations for Shapley value estimation", JMLR 2022).

A sentence names a kind of evidence only if removing it alone from the block moves the log-odds as
its contribution says; it names the block's characteristic value of that kind only if the same holds
for this value alone, set to its mean. Where each kind for a verdict could be missing, the strongest
are named together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...features.article.features import BlockFeatures
from .model import BlockProbabilities, Reader

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


@dataclass(frozen=True)
class Contribution:
    """Contribution of one kind of evidence to a block's log-odds."""

    feature: str
    """The kind of evidence; see `EVIDENCE`."""
    value: float
    """The characteristic value of the block, such as its number of words or the share of its text
    in links; NaN if there is none."""
    log_odds: float
    """The contribution; greater than 0 if it is evidence that the block is text."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """The evidence on b blocks."""

    kinds: tuple[str, ...]
    """The k kinds of evidence."""
    base: Array
    """float64, shape (b,): log-odds without any evidence."""
    moved: Array
    """float64, shape (b, k): contribution of each kind; the base and all contributions sum to the
    predicted log-odds."""
    values: Array
    """float64, shape (b, k): characteristic values; see `Contribution`."""
    effects: Array
    value_effects: Array
    """float64, shape (b, k): log-odds that a block loses if one of its strongest kinds alone is
    removed from its evidence, and if only the characteristic value is set to its mean; 0 for
    others."""

    def naming(self, block: int) -> dict[str, Naming]:
        """How a sentence may name each kind of evidence on a block."""
        sign = np.sign(self.moved[block])
        least = np.maximum(LEAST_EFFECT, LEAST_SHARE * np.abs(self.moved[block]))
        is_true = self.effects[block] * sign >= least
        of_value = is_true & (self.value_effects[block] * sign >= LEAST_VALUE_EFFECT)
        rows = zip(self.kinds, is_true.tolist(), of_value.tolist(), strict=True)
        return {
            kind: "value" if value else "kind" if named else "none" for kind, named, value in rows
        }

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
    """Evidence for and against each block having one of some roles."""
    values = reader.standardise(features)
    columns = evidence_columns(reader.columns)
    kinds = tuple(columns)

    def log_odds(predictions: Sequence[BlockProbabilities]) -> Array:
        read = np.array([each.of_text(text, article) for each in predictions])
        probability = np.clip(read, 1e-6, 1 - 1e-6)
        return np.log(probability / (1 - probability))

    def text_log_odds(order: Sequence[str]) -> Array:
        """float64, shape (k + 1, b): log-odds by the first kinds of an order, from none to all."""
        parts = [columns[kind] for kind in order]
        return log_odds(reader.read_nested(features, values, parts, order.index("words")))

    onwards, backwards = text_log_odds(kinds), text_log_odds(kinds[::-1])
    base = onwards[0]
    moved = (np.diff(onwards, axis=0) + np.diff(backwards, axis=0)[::-1]).T / 2
    shown = [
        reader.columns.index(name) if (name := SHOWN_FEATURES.get(kind)) in reader.columns else -1
        for kind in kinds
    ]
    parts = [*columns.values(), *(np.array([column]) for column in shown)]

    def effects(parts_of_kinds: NDArray[np.intp]) -> Array:
        """float64, shape (b, k): what a block loses without the part of a kind; 0 if unknown."""
        lost = np.zeros(moved.shape)
        blocks, of = np.arange(len(moved)), _strongest(moved).T
        turns = blocks % APART == np.arange(APART)[:, None]
        known = (of >= 0) & (parts_of_kinds[of] >= 0)
        removed = np.where(known[:, None] & turns, parts_of_kinds[of][:, None], -1)
        is_used = (removed >= 0).any(axis=2)
        read = log_odds(
            reader.read_without(features, values, parts, kinds.index("words"), removed[is_used])
        )
        change = np.zeros(removed.shape)
        change[is_used] = read[0] - read[1:]
        own = np.where(turns, change, 0).sum(axis=1)
        # What the others lost affects a block also when it is not changed itself.
        others = np.where(turns, 0, change).sum(axis=1) / np.maximum(1, (~turns).sum(axis=0))
        alone = np.where((own - others) * own > 0, np.minimum(np.abs(own), np.abs(own - others)), 0)
        for rank, kind_of_block in enumerate(of):
            (places,) = np.nonzero(known[rank])
            of_rank = (np.sign(own) * alone)[rank, places]
            lost[places, kind_of_block[places]] = of_rank
        return lost

    of_values = np.array([len(kinds) + n if column >= 0 else -1 for n, column in enumerate(shown)])
    return Explanation(
        kinds,
        base,
        moved,
        _values_for_readers(features, kinds),
        effects(np.arange(len(kinds))),
        effects(of_values),
    )


LEAST_EFFECT, LEAST_VALUE_EFFECT = 0.15, 0.02
"""Minimum log-odds that the removal of a kind, or of its characteristic value alone, must move in
the direction that a sentence names. Above these, changing one block alone gives the same sign."""

LEAST_SHARE = 0.25
"""Minimum effect of removing a kind, as a share of its contribution."""

APART = 8
"""Distance of the blocks that are changed at once, which hardly affect each other."""


def _strongest(moved: Array) -> NDArray[np.intp]:
    """shape (b, 2 * `CANDIDATES`): kinds that a sentence may name for each block; -1 for none."""
    sides = []
    for sign in (1, -1):
        order = np.argsort(-sign * moved, axis=1)[:, :CANDIDATES]
        is_strong = sign * np.take_along_axis(moved, order, axis=1) >= LEAST
        sides.append(np.where(is_strong, order, -1))
    return np.concatenate(sides, axis=1)


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

CANDIDATES = 2
"""Number of contributions for and against a verdict of which it is checked what may be named."""

LEAST = 0.3
"""Minimum log-odds, in magnitude, of a contribution that a sentence names."""

Naming = Literal["value", "kind", "none"]
"""Whether a sentence may name the value of a kind of evidence, only the kind, or neither."""


def _words(value: float) -> str:
    words = round(np.expm1(value))
    return f"{words} {'word' if words == 1 else 'words'}"


def _far(blocks: float) -> str:
    if blocks < 1:
        return "right below a picture"
    return f"{blocks:.0f} blocks below a picture" if blocks < FAR else "no picture above it"


FAR = 20
"""Number of blocks from which a picture is not counted as near."""

WORDS: dict[str, tuple[str, Callable[[float], str] | None]] = {
    "length": ("the length of its text", _words),
    "characters": ("its letters and punctuation", None),
    "links": ("the links in it", lambda share: f"{share:.0%} of its text in links"),
    "phrases": ("its phrases", None),
    "words": ("its words", None),
    "element": (
        "its element",
        lambda level: f"a heading of level {level:.0f}" if level < 7 else "not a heading",
    ),
    "names": ("the names of the elements around it", None),
    "tree": ("its place in the tree", None),
    "similar blocks": (
        "similar blocks on the page",
        lambda prose: f"similar to blocks with {prose:.0%} of the page's prose",
    ),
    "look": ("its look", lambda larger: f"{np.exp(larger):.2f} × the usual font size"),
    "place": ("its place on the page", lambda at: f"after {at:.0%} of the page"),
    "neighbours": (
        "the blocks around it",
        lambda prose: f"{prose:.0%} of the page's prose around it",
    ),
    "declarations": ("the page's metadata", lambda like: f"{like:.0%} like the declared title"),
    "copies": ("copies on the page", lambda earlier: f"{earlier:.0%} a copy of earlier text"),
    "pictures": ("how near pictures are", _far),
    "alike": ("the decision on similar blocks nearby", None),
    "site": ("its place in the site's template", None),
    "overlay": ("part of a layer over the page", None),
    "choice": ("a call to action or a choice of buttons", None),
    "story": ("part of another story below the article", None),
    "listing": ("a code listing between blocks of the text", None),
    "section": ("the section under the heading", None),
}
"""Wording of each kind of evidence, and of its characteristic value on a block."""


def sentence(
    verdict: str, contributions: Sequence[Contribution], naming: Mapping[str, Naming]
) -> str:
    """A verdict and its strongest contributions in words.

    `naming` says how each kind of evidence of the reader may be named; others are named by kind.

    >>> evidence = [Contribution("length", 4.0, 1.2), Contribution("links", 0.9, -0.8)]
    >>> sentence("kept as paragraph", evidence, {"length": "value", "links": "kind"})
    'kept as paragraph: 54 words – against: the links in it'
    """

    def phrase(each: Contribution) -> str:
        name, value = WORDS[each.feature]
        return value(each.value) if value and naming.get(each.feature) == "value" else name

    def side(sign: int) -> list[str]:
        strong = [each for each in contributions if each.log_odds * sign >= LEAST]
        named = [phrase(each) for each in strong if naming.get(each.feature) != "none"]
        if named or len(strong) < 2 or (sign > 0) != kept:
            return named[:SHOWN]
        *names, last = (WORDS[each.feature][0] for each in strong[:SHOWN])
        return [f"{', '.join(names)} and {last} together"]

    kept = verdict.startswith("kept")
    sides = [side(1), side(-1)]
    first, second = sides if kept else sides[::-1]
    text = f"{verdict}: {'; '.join(first)}" if first else verdict
    if not second:
        return text
    return f"{text} – {'against' if kept else 'in favour'}: {'; '.join(second)}"
