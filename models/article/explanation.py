"""Why a block is in the text: the contribution of each kind of evidence to its log-odds.

The reader's prediction for a block depends on the block's own evidence and on that of the blocks
around it, which is held constant here. A contribution is the evidence times the slope of the
log-odds at a place between no evidence on the block and all of it. There, it is nearest to the
log-odds that the block loses without this evidence alone: on 14 pages, their correlation is .90,
where integrated gradients (Sundararajan, Taly and Yan, ICML 2017) reach .73 with three slopes.

A sentence names a kind of evidence only if removing it alone from the block moves the log-odds as
its contribution says; it names the block's characteristic value of that kind only if the same holds
for this value alone, set to its mean. Where each kind for a verdict could be missing, the strongest
are named together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...features.article.features import BlockFeatures
from ..logistic import log_odds
from .derivatives import Tape, Variable
from .model import Reader, one_thread, probabilities
from .network import Surroundings, answer, enter, look_up, pack

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


class Contribution(NamedTuple):
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
    """float64, shape (b,): predicted log-odds less all contributions."""
    moved: Array
    """float64, shape (b, k): contribution of each kind."""
    values: Array
    """float64, shape (b, k): characteristic values; see `Contribution`."""
    naming: NDArray[np.int8]
    """int8, shape (b, k): how a sentence may name each kind of evidence: one of `NAMINGS`."""

    def contributions(self) -> list[tuple[Contribution, ...]]:
        """Contributions to each block, in descending order of magnitude."""
        order = np.argsort(-np.abs(self.moved), axis=1, kind="stable")
        values, moved = (
            np.take_along_axis(each, order, axis=1).round(4).tolist()
            for each in (self.values, self.moved)
        )
        kinds = np.array(self.kinds)[order].tolist()
        return [tuple(map(Contribution, *rows)) for rows in zip(kinds, values, moved, strict=True)]

    def namings(self) -> list[dict[str, int]]:
        """How a sentence on each block may name each kind of evidence; see `NAMINGS`."""
        return [dict(zip(self.kinds, row, strict=True)) for row in self.naming.tolist()]


NOTHING, KIND, VALUE = NAMINGS = range(3)
"""Whether a sentence may name nothing of a kind of evidence, only the kind, or its value."""


def explain(
    reader: Reader, features: BlockFeatures, text: Collection[str], article: float
) -> Explanation:
    """Evidence for and against each block having one of some roles."""
    names = reader.columns
    columns = evidence_columns(names)
    shown = {
        kind: np.array([names.index(name)])
        for kind, name in SHOWN_FEATURES.items()
        if name in names
    }
    if not len(features.values):
        none = np.zeros((0, len(columns)))
        return Explanation(tuple(columns), np.zeros(0), none, none, none.astype(np.int8))
    # The arrays are small: threads would wait for each other longer than they compute.
    with one_thread():
        own = _OwnEvidence(reader, features, text, article)
        moved = own.contributions(columns)
        signs = np.sign(moved)
        effects = signs * own.effects(columns, columns, _strongest(moved))
        is_true = effects >= np.maximum(LEAST_EFFECT, LEAST_SHARE * np.abs(moved))
        of_value = signs * own.effects(columns, shown, is_true) >= LEAST_VALUE_EFFECT
    naming = np.where(is_true & of_value, VALUE, np.where(is_true, KIND, NOTHING)).astype(np.int8)
    values = _values_for_readers(features, tuple(columns))
    return Explanation(tuple(columns), own.whole - moved.sum(axis=1), moved, values, naming)


class _OwnEvidence:
    """The log-odds of each block of a page as a function of its own evidence."""

    def __init__(
        self, reader: Reader, features: BlockFeatures, text: Collection[str], article: float
    ) -> None:
        self._text, self._article = text, article
        self._weights, self._values = reader.stacked, reader.standardise(features)
        self._inputs = pack([self._values], [features.tokens], [features.words], [features.groups])
        self._vectors = look_up(self._weights["words"], self._inputs.words)
        weight, self._bias = self._weights["in.weight"], self._weights["in.bias"]
        self._entering = enter(self._values, self._vectors, weight, self._bias)
        self._surroundings, answers = Surroundings.of(self._weights, self._inputs, self._entering)
        self.whole = log_odds(probabilities(answers).of_text(text, article))

    def contributions(self, columns: Mapping[str, NDArray[np.intp]]) -> Array:
        """float64, shape (b, k): contribution of each kind of evidence."""
        nothing = self._bias[:, None, :]
        partly = (nothing + PLACE * (self._entering - nothing)).astype(np.float32)
        rows = _chunks(len(self._values))
        slope = np.concatenate([self._slope(partly[:, each], each) for each in rows], axis=1)
        weight, features = self._weights["in.weight"], self._values.shape[1]
        by_column = np.tensordot(slope, weight[:, :features], ((0, 2), (0, 2))) * self._values
        moved = np.stack([by_column[:, each].sum(axis=1) for each in columns.values()], axis=1)
        by_word = slope @ weight[:, features:].swapaxes(1, 2)
        moved[:, [*columns].index("words")] += (by_word * self._vectors).sum(axis=(0, 2))
        return moved.astype(np.float64)

    def effects(
        self,
        kinds: Iterable[str],
        columns: Mapping[str, NDArray[np.intp]],
        chosen: NDArray[np.bool_],
    ) -> Array:
        """float64, shape (b, k): log-odds that a block loses if the columns of a kind are at their
        mean, for the chosen kinds; 0 for others.
        """
        of, without = [], []
        for number, kind in enumerate(kinds):
            (blocks,) = np.nonzero(chosen[:, number])
            if kind in columns and len(blocks):
                of.append((blocks, np.full(len(blocks), number)))
                without.append(self._entering[:, blocks] - self._part(kind, columns[kind], blocks))
        effects = np.zeros(chosen.shape)
        if of:
            blocks, numbers = np.concatenate(of, axis=1)
            left = self._log_odds(np.concatenate(without, axis=1), blocks)
            effects[blocks, numbers] = self.whole[blocks] - left
        return effects

    def _part(
        self, kind: str, columns: NDArray[np.intp], blocks: NDArray[np.intp]
    ) -> NDArray[np.float32]:
        """What a kind of evidence adds to the result of the first layer."""
        weight = self._weights["in.weight"]
        part = self._values[np.ix_(blocks, columns)] @ weight[:, columns]
        if kind == "words":
            part += self._vectors[:, blocks] @ weight[:, self._values.shape[1] :]
        return part

    def _log_odds(self, entering: NDArray[np.float32], blocks: NDArray[np.intp]) -> Array:
        """Log-odds of versions of some blocks."""
        read = []
        for rows in _chunks(len(blocks)):
            ops = self._surroundings.operations(blocks[rows])
            read.append(answer(self._weights, self._inputs, entering[:, rows], ops))
        of_versions = probabilities(np.concatenate(read, axis=1))
        return log_odds(of_versions.of_text(self._text, self._article))

    def _slope(self, entering: NDArray[np.float32], rows: slice) -> NDArray[np.float32]:
        """Gradient of the log-odds of versions of some blocks by the result of the first layer."""
        tape, variable = Tape(), Variable(entering)
        blocks = np.arange(rows.start, rows.start + entering.shape[1])
        ops = self._surroundings.operations(blocks, tape.operations)
        result: Variable = answer(self._weights, self._inputs, variable, ops)
        by_output = probabilities(result.value).slopes(self._text, self._article)
        by_output = (by_output / len(result.value)).astype(np.float32)
        tape.read_backwards(result, np.broadcast_to(by_output, result.value.shape))
        assert variable.slope is not None
        return variable.slope


def _chunks(rows: int) -> list[slice]:
    return [slice(start, start + ROWS_AT_ONCE) for start in range(0, rows, ROWS_AT_ONCE)]


ROWS_AT_ONCE = 512
"""Number of versions of blocks that are computed at once, which fit into a cache."""

PLACE = 0.7
"""Place on the way from no evidence to all at which slopes are taken."""

LEAST_EFFECT, LEAST_VALUE_EFFECT = 0.15, 0.02
"""Minimum log-odds that the removal of a kind, or of its characteristic value alone, must move in
the direction that a sentence names. Above these, changing one block alone gives the same sign."""

LEAST_SHARE = 0.25
"""Minimum effect of removing a kind, as a share of its contribution."""


def _strongest(moved: Array) -> NDArray[np.bool_]:
    """shape (b, k): the kinds that a sentence may name for each block."""
    chosen = np.zeros(moved.shape, bool)
    for sign in (1, -1):
        order = np.argsort(-sign * moved, axis=1)[:, :SHOWN]
        is_strong = sign * np.take_along_axis(moved, order, axis=1) >= LEAST
        np.put_along_axis(chosen, order, is_strong | np.take_along_axis(chosen, order, 1), axis=1)
    return chosen


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


def _words(value: float) -> str:
    words = round(np.expm1(value))
    return f"{words} {'word' if words == 1 else 'words'}"


def _far(blocks: float) -> str:
    if blocks < 1:
        return "right below a picture"
    if blocks >= FAR:
        return "no picture above it"
    return f"{blocks:.0f} {'block' if f'{blocks:.0f}' == '1' else 'blocks'} below a picture"


def _part(share: float) -> str:
    return "none" if share <= 0 else "under 1%" if share < 0.005 else f"{share:.0%}"


def _larger(logarithm: float) -> str:
    times = f"{np.exp(logarithm):.2f}"
    return "the usual font size" if times == "1.00" else f"{times} × the usual font size"


FAR = 20
"""Number of blocks from which a picture is not counted as near."""

WORDS: dict[str, tuple[str, Callable[[float], str] | None]] = {
    "length": ("the length of its text", _words),
    "characters": ("its letters and punctuation", None),
    "links": ("the links in it", lambda share: f"{_part(share)} of its text in links"),
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
        lambda prose: f"similar to blocks with {_part(prose)} of the page's prose",
    ),
    "look": ("its look", _larger),
    "place": ("its place on the page", lambda at: f"after {at:.0%} of the page"),
    "neighbours": (
        "the blocks around it",
        lambda prose: f"{_part(prose)} of the page's prose around it",
    ),
    "declarations": (
        "the page's metadata",
        lambda like: (
            f"{like:.0%} like the declared title" if like > 0 else "not the declared title"
        ),
    ),
    "copies": (
        "whether its text repeats",
        lambda earlier: f"{_part(earlier)} of its text seen before on the page",
    ),
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
    verdict: str,
    contributions: Sequence[Contribution],
    naming: Mapping[str, int],
    base: float = 0.0,
    *,
    decided: bool = True,
) -> str:
    """A verdict and its strongest contributions in words.

    `naming` says how each kind of evidence of the reader may be named; others are named by kind.
    If nothing can be named for the verdict, the page around the block is, if `base` agrees.
    Evidence that has not `decided` the verdict, as its threshold would have another, is no reason
    for it.

    >>> evidence = [Contribution("length", 4.0, 1.2), Contribution("links", 0.9, -0.8)]
    >>> sentence("kept as paragraph", evidence, {"length": VALUE, "links": KIND})
    'kept as paragraph: 54 words – against: the links in it'
    """

    def phrase(each: Contribution) -> str:
        name, value = WORDS[each.feature]
        return value(each.value) if value and naming.get(each.feature) == VALUE else name

    def side(sign: int) -> list[str]:
        strong = [each for each in contributions if each.log_odds * sign >= LEAST]
        named = [phrase(each) for each in strong if naming.get(each.feature) != NOTHING]
        if named or (sign > 0) != kept or not decided:
            return named[:SHOWN]
        if len(strong) < 2:
            return ["the page around it"] if base * sign >= LEAST else []
        *names, last = (WORDS[each.feature][0] for each in strong[:SHOWN])
        return [f"{', '.join(names)} and {last} together"]

    kept = verdict.startswith("kept")
    sides = [side(1), side(-1)]
    names = ("in favour", "against")
    (first, agrees), (second, differs) = list(zip(sides, names, strict=True))[:: 1 if kept else -1]
    text = verdict
    if first:
        text += f"{':' if decided else f' – {agrees}:'} {'; '.join(first)}"
    return f"{text} – {differs}: {'; '.join(second)}" if second else text
