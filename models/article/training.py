"""Training of a reader on labelled pages by stochastic gradient descent over whole pages.

The optimiser is AdamW (Loshchilov and Hutter, ICLR 2019), with warm-up and cosine annealing of the
learning rate.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import EmptyInputError
from ...features.article.features import BlockFeatures
from .derivatives import Tape, Variable
from .model import EXCLUSIVE, OUTPUTS, OWN, RELATED, TEXT, Reader, Scaling, Weights, columns_of
from .network import Inputs, NetworkShape, forward, initial_weights, pack
from .roles import ROLES
from .samples import UNKNOWN, LabelledPage
from .word_vectors import learn_word_vectors

Array = NDArray[np.float32]

Standardise = Callable[[BlockFeatures], NDArray[np.float32]]
"""Computes the input of a network from the features of a page's blocks."""

IS_TEXT = np.isin(EXCLUSIVE, TEXT)
"""bool, shape (len(EXCLUSIVE),): roles of the text."""

OF_RELATED, OF_OWN = np.float32(0.1), np.float32(0.3)
"""Weights of two of the losses: for ``related``, and for the page's own content."""

HEAVY = 60
"""Number of words beyond which a block's weight, the square root of its words, no longer grows."""

BETAS = 0.9, 0.999
TINY = 1e-8
MAX_NORM = 1.0
WARM_UP = 0.1
"""Share of the steps over which the learning rate rises."""


@dataclass(frozen=True)
class TrainingOptions:
    """How a reader is trained."""

    epochs: int = 15
    """Number of passes over the pages."""
    pages: int = 16
    """Number of pages per step."""
    rate: float = 3e-3
    decay: float = 0.02
    """Maximum learning rate, and weight decay."""
    width: int = 64
    """Number of channels of a network."""
    networks: int = 2
    """Number of networks, each trained from a random initialisation with a seed of its own."""
    dropped: float = 0.15
    """Share of the columns of a page that are hidden from the network at each step."""
    dropped_words: float = 0.5
    """The same for the words whose vectors the network learns, since rare words identify a page."""
    plain: float = 0.15
    """Share of pages that are presented as plain HTML at each step, if that version is available.
    """
    min_explained: float = 0.75
    """Minimum share of a page's ground truth that is found in its blocks; other pages are skipped.
    """
    seed: int = 0
    """Seed of the random numbers."""
    taught: float = 0.5
    """Share of what other readers say of a page in what is learned from it."""


def train_reader(
    names: tuple[str, ...],
    pages: Sequence[LabelledPage],
    options: TrainingOptions | None = None,
    *,
    start: Reader | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> Reader:
    """Train on labelled pages.

    Parameters
    ----------
    names
        Names of the features.
    pages
        The pages. From those without roles, only what their ground truth counts as text is learned.
    options
        See `TrainingOptions`.
    start
        A reader whose networks are trained further; by default, networks are initialised randomly.
    report
        Called with a line after every epoch.

    Raises
    ------
    EmptyInputError
        No page has a text to learn from.
    """
    options = options or TrainingOptions()
    usable = [page for page in pages if len(page) and page.explained >= options.min_explained]
    if not any(_is_text(page).any() for page in usable):
        raise EmptyInputError("no page to learn from contains text according to its ground truth")
    reader = start or _untrained(names, usable)
    networks = []
    total = len(start.networks) if start else options.networks
    for number in range(total):
        name = f"network {number + 1} of {total}"
        seed = options.seed + number
        shape = NetworkShape(len(reader.columns), OUTPUTS, width=options.width)
        first = start.networks[number] if start else initial_weights(shape, seed)
        networks.append(
            _train_network(
                first, usable, reader.standardise, replace(options, seed=seed), report, name
            )
        )
    return Reader(names, reader.vectors, reader.scaling, tuple(networks))


def _untrained(names: tuple[str, ...], pages: Sequence[LabelledPage]) -> Reader:
    """A reader without networks: only word vectors and the standardisation of the columns."""
    features = [page.features for page in pages]
    scaling = Scaling.of([each.values for each in features])
    standardised = (scaling.apply(each.values) for each in features)
    vectors = learn_word_vectors(standardised, [each.tokens for each in features])
    scaling = Scaling.of([columns_of(each, vectors) for each in features])
    return Reader(names, vectors, scaling, ())


def _train_network(
    weights: Weights,
    pages: Sequence[LabelledPage],
    standardise: Standardise,
    options: TrainingOptions,
    report: Callable[[str], None],
    name: str,
) -> Weights:
    """Train one network."""
    optimiser = _Optimiser(weights, options, len(pages))
    rng = np.random.default_rng(options.seed)
    for epoch in range(options.epochs):
        losses = []
        for chosen in _batches(pages, options, rng):
            inputs = _inputs(chosen, standardise, options, rng)
            loss, slopes = _slopes(optimiser.weights, inputs, _targets(chosen, options.taught))
            optimiser.step(slopes)
            losses.append(loss)
        report(f"{name}, epoch {epoch + 1} of {options.epochs}: loss {np.mean(losses):.4f}")
    return optimiser.weights


def group_folds(groups: Sequence[str], k: int) -> NDArray[np.int64]:
    """Fold of each page; with a `k` of 0, or of more than there are groups, each group is one.

    Groups are assigned, the largest first, to the fold with the fewest pages. Those of equal size
    are ordered by a hash of their names, so that similar names are not together and an additional
    page does not reassign all others.
    """
    sizes = Counter(groups)
    filled = np.zeros(min(k, len(sizes)) or len(sizes), np.int64)
    fold_of: dict[str, int] = {}
    for group in sorted(sizes, key=lambda name: (-sizes[name], _hash(name), name)):
        fold_of[group] = int(filled.argmin())
        filled[fold_of[group]] += sizes[group]
    return np.array([fold_of[group] for group in groups], np.int64)


def _hash(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()


def _is_text(page: LabelledPage) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks of the text, by their roles or else by the ground-truth text."""
    return np.isin(page.roles, TEXT) if page.has_roles else page.text


def _batches(
    pages: Sequence[LabelledPage], options: TrainingOptions, rng: np.random.Generator
) -> Iterator[list[LabelledPage]]:
    order = rng.permutation(len(pages))
    for first in range(0, len(order), options.pages):
        chosen = [pages[number] for number in order[first : first + options.pages]]
        as_plain = rng.random(len(chosen)) < options.plain
        yield [
            page.plain if plain and page.plain is not None else page
            for page, plain in zip(chosen, as_plain, strict=True)
        ]


def _inputs(
    pages: Sequence[LabelledPage],
    standardise: Standardise,
    options: TrainingOptions,
    rng: np.random.Generator,
) -> Inputs:
    """Columns of the blocks of the pages of a step, some of them hidden."""
    features = [page.features for page in pages]
    values = [_hide(standardise(each), options.dropped, rng) for each in features]
    kept = 1 - options.dropped_words
    words = [each.tokens * (rng.random(each.tokens.shape) < kept) for each in features]
    return pack(
        values, words, [each.words for each in features], [each.groups for each in features]
    )


def _hide(
    values: NDArray[np.float32], share: float, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Dropout: a share of the columns is set to 0, and the others are scaled up to compensate."""
    kept = 1 - share
    return values * ((rng.random(values.shape[1]) < kept) / kept).astype(np.float32)


def _targets(pages: Sequence[LabelledPage], taught: float) -> Targets:
    words = np.concatenate([page.features.words for page in pages])
    each = [_page_targets(page, taught) for page in pages]
    roles, text, own, related, of_role, of_text, of_own = (
        np.concatenate(part) for part in zip(*each, strict=True)
    )
    weight = np.sqrt(np.minimum(words + 1, HEAVY)).astype(np.float32)
    weight /= max(float((weight * of_own).sum()), 1.0)
    return Targets(
        roles=roles,
        text=text,
        own=own,
        related=related,
        # Not weighted by words: the role of a byline matters as much as that of a paragraph.
        of_role=weight.mean() * of_role,
        of_text=weight * of_text,
        of_related=weight * of_text * roles[:, 0],
        of_own=weight * of_own,
    )


def _page_targets(page: LabelledPage, taught: float) -> tuple[NDArray[np.float32], ...]:
    """Roles, text, own content and related links of a page, and the weights of the first three.

    Where teachers have read the page, a share of each target is what they say; of blocks without a
    known truth, all of it (Hinton, Vinyals and Dean, "Distilling the knowledge in a neural
    network", 2015).
    """
    known = (page.roles != UNKNOWN).astype(np.float32)
    by_text = np.full(len(page), not page.has_roles, np.float32)
    roles = np.zeros((len(page), len(EXCLUSIVE)), np.float32)
    roles[np.arange(len(page)), PLACE[np.maximum(page.roles, 0)]] = 1
    text = _is_text(page).astype(np.float32)
    own = text if page.own is None else page.own.astype(np.float32)
    related = (page.roles == RELATED).astype(np.float32)
    teacher = page.taught
    if teacher is None:
        return roles, text, own, related, known, known, np.maximum(known, by_text)
    ones = np.ones(len(page), np.float32)
    # Shares of what the teachers say.
    of_role = ones - (1 - taught) * known
    of_own = ones - (1 - taught) * np.maximum(known, by_text)
    said, of_related = teacher.roles[:, EXCLUSIVE], teacher.roles[:, RELATED]
    said[:, 0] += of_related
    return (
        _between(roles, said, of_role[:, None]),
        _between(text, said[:, IS_TEXT].sum(axis=1), of_role),
        _between(own, teacher.own, of_own),
        _between(related, of_related / np.maximum(said[:, 0], TINY), of_role),
        ones,
        ones,
        ones,
    )


def _between(
    truth: NDArray[np.float32], taught: NDArray[np.floating], share: NDArray[np.floating]
) -> NDArray[np.float32]:
    return (truth + share * (taught - truth)).astype(np.float32)


PLACE = np.array([EXCLUSIVE.index(role if role != RELATED else 0) for role in range(len(ROLES))])
"""Index of each role in `EXCLUSIVE`, where links to other stories count as boilerplate."""


def _slopes(weights: Weights, inputs: Inputs, targets: Targets) -> tuple[float, Weights]:
    """Loss of a step, and its gradient with respect to every weight."""
    variables = {name: Variable(array) for name, array in weights.items()}
    tape = Tape()
    odds = forward(variables, inputs, tape.operations)
    loss, slope = text_and_role_loss(odds.value, targets)
    tape.read_backwards(odds, slope)
    slopes = {name: each.slope for name, each in variables.items() if each.slope is not None}
    return loss, slopes


class _Optimiser:
    """AdamW with warm-up and cosine annealing of the learning rate."""

    def __init__(self, weights: Weights, options: TrainingOptions, pages: int) -> None:
        self.weights = {name: array.copy() for name, array in weights.items()}
        self._options = options
        self._steps = options.epochs * -(-pages // options.pages)
        self._step = 0
        self._mean = {name: np.zeros_like(array) for name, array in weights.items()}
        self._square = {name: np.zeros_like(array) for name, array in weights.items()}

    def step(self, slopes: Weights) -> None:
        """Update all weights."""
        self._step += 1
        norm = np.sqrt(sum(float((slope * slope).sum()) for slope in slopes.values()))
        shrink = np.float32(min(1.0, MAX_NORM / (norm + TINY)))
        done = self._step / max(self._steps, 1)
        annealed = 0.5 + 0.5 * np.cos(np.pi * (done - WARM_UP) / (1 - WARM_UP))
        rate = self._options.rate * (done / WARM_UP if done < WARM_UP else annealed)
        corrections = [1 - beta**self._step for beta in BETAS]
        for name, weight in self.weights.items():
            slope = slopes[name] * shrink
            mean, square = self._mean[name], self._square[name]
            mean += (1 - BETAS[0]) * (slope - mean)
            square += (1 - BETAS[1]) * (slope * slope - square)
            moved = (mean / corrections[0]) / (np.sqrt(square / corrections[1]) + TINY)
            weight -= np.float32(rate) * (moved + np.float32(self._options.decay) * weight)


@dataclass(frozen=True, eq=False)
class Targets:
    """Targets of the network for b blocks."""

    roles: Array
    """float32, shape (b, len(EXCLUSIVE)): probability of each role; rows sum to 1."""
    text: Array
    own: Array
    related: Array
    """float32, shape (b,): probability that the block belongs to the text, and that it is the
    page's own content; whether its role is ``related``."""
    of_role: Array
    of_text: Array
    of_related: Array
    of_own: Array
    """float32, shape (b,): weights of the losses."""


def text_and_role_loss(odds: Array, targets: Targets) -> tuple[float, Array]:
    """The loss and its gradient with respect to the log-odds.

    The loss is a sum of four cross entropies:

    - of roles;
    - of text or not, in which confusing the roles of the text costs nothing;
    - of links to other stories among boilerplate, weighted by a tenth, since these labels are
      uncertain;
    - of the page's own content, weighted by three tenths, which is also learned from pages without
      roles.

    The loss, and float32, shape (b, OUTPUTS).
    """
    exclusive, text = odds[:, EXCLUSIVE], targets.text
    total, role = _log_sum(exclusive)
    of_text, among_text = _log_sum(exclusive[:, IS_TEXT])
    of_other, among_other = _log_sum(exclusive[:, ~IS_TEXT])
    related, by_related = _entropy(odds[:, RELATED], targets.related)
    own, by_own = _entropy(odds[:, OWN], targets.own)
    loss = (
        targets.of_role * (total - (exclusive * targets.roles).sum(axis=1))
        + targets.of_text * (total - text * of_text - (1 - text) * of_other)
        + OF_RELATED * targets.of_related * related
        + OF_OWN * targets.of_own * own
    )
    by_exclusive = (targets.of_role + targets.of_text)[:, None] * role
    by_exclusive -= targets.of_role[:, None] * targets.roles
    by_exclusive[:, IS_TEXT] -= (targets.of_text * text)[:, None] * among_text
    by_exclusive[:, ~IS_TEXT] -= (targets.of_text * (1 - text))[:, None] * among_other
    slope = np.empty_like(odds)
    slope[:, EXCLUSIVE] = by_exclusive
    slope[:, RELATED] = OF_RELATED * targets.of_related * by_related
    slope[:, OWN] = OF_OWN * targets.of_own * by_own
    return float(loss.sum()), slope


def _log_sum(x: Array) -> tuple[Array, Array]:
    """Log-sum-exp of each row, and its gradient: each column's share of the sum."""
    highest = x.max(axis=1, keepdims=True)
    grown = np.exp(x - highest)
    total = grown.sum(axis=1, keepdims=True)
    return (np.log(total) + highest)[:, 0], grown / total


def _entropy(log_odds: Array, truth: Array) -> tuple[Array, Array]:
    """Binary cross entropy, and its derivative."""
    small = np.exp(-np.abs(log_odds))
    positive = np.where(log_odds >= 0, np.ones_like(small), small) / (1 + small)
    # NumPy's type stubs widen the maximum with a number; the array stays in single precision.
    loss: Any = np.maximum(log_odds, 0) + np.log1p(small) - log_odds * truth
    slope: Any = positive - truth
    return loss, slope
