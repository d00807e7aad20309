"""The network that reads a page: a small convolutional network over its blocks, in plain NumPy.

The input of a block is its features and its words. Layers alternate between the blocks before and
after it (dilated depth-wise convolutions, the last of which sees about 120 blocks on each side) and
similar blocks (means over all blocks with the same names, look, parent or page). The output is
log-odds for every role.

The forward pass takes its operations as an argument, so that the same code runs with NumPy and, in
training, on a tape for back-propagation.

References
----------
Dilated convolutions: Yu and Koltun, ICLR 2016. Depth-wise: Chollet, CVPR 2017. Layer normalisation:
Ba, Kiros and Hinton, 2016. Means over sets: Zaheer et al., "Deep Sets", NeurIPS 2017.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

GROUPS = ("alike", "look", "parent", "grandparent", "page")
"""Kinds of groups of similar blocks, see `features.article`; ``page`` is the whole page."""

DILATIONS = (1, 2, 4, 8, 16, 32)
TAPS = 5
GROUP_LAYERS = (1, 3, 5)
"""Layers after which similar blocks are averaged."""

EPSILON = 1e-5

GAP = TAPS // 2 * max(DILATIONS)
"""Number of zeros between two pages, so that no convolution reaches from one into the other."""

Weights = Mapping[str, Any]


@dataclass(frozen=True)
class NetworkShape:
    """Sizes of a network."""

    features: int
    outputs: int
    """Number of columns of a block's features, and of log-odds in the output."""
    words: int = 8192
    """Number of rows of the table of word vectors that are trained with the network; row 0 stands
    for no word."""
    vector: int = 16
    """Length of such a vector."""
    width: int = 64
    """Number of channels of every layer."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """The b blocks of one or more pages, laid out for the network.

    Each block is in one group of each of the k kinds of `GROUPS`, so there are b k memberships,
    block by block.
    """

    values: NDArray[np.float32]
    """float32, shape (b, f): standardised features, 0 where unknown."""
    words: NDArray[np.int32]
    """int32, shape (b, w): hashes of words, 0 for none; the row of the word table is the hash
    modulo the number of rows."""
    weight: NDArray[np.float32]
    """float32, shape (b, k): each block's share of its groups; the shares of a group sum to 1."""
    group: NDArray[np.int64]
    """int64, shape (b k,): number of each membership's group, among the groups of all kinds."""
    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    """int64, shapes (b k,) and (g,): memberships sorted by group, and where each group begins in
    this order."""
    places: tuple[slice, ...]
    """Places of the blocks of each page in a sequence with `GAP` zeros between pages."""


def pack(
    values: Sequence[NDArray[np.float32]],
    words: Sequence[NDArray[np.int32]],
    counts: Sequence[NDArray[np.float64]],
    groups: Sequence[Mapping[str, NDArray[np.integer]]],
) -> Inputs:
    """Lay out the blocks of some pages.

    Parameters
    ----------
    counts
        float64, shape (b,): number of words of each block. The weight of a block in a mean is
        the square root of this number plus 1.
    groups
        Arbitrary group numbers of each page's blocks, by kind; ``page`` is added here.
    """
    sizes = [len(each) for each in counts]
    page = np.repeat(np.arange(len(sizes)), sizes)
    alike = [np.concatenate([of[name] for of in groups]) for name in GROUPS[:-1]]
    keys = np.stack([*alike, np.zeros_like(page)], axis=1).astype(np.int64) + (page << 32)[:, None]
    keys = (keys * len(GROUPS) + np.arange(len(GROUPS))).ravel()
    order = np.argsort(keys, kind="stable")
    begins = np.diff(keys[order], prepend=-1) != 0
    group = np.empty_like(order)
    group[order] = np.cumsum(begins) - 1
    weight = np.sqrt(np.concatenate(counts) + 1).astype(np.float32).repeat(len(GROUPS))
    weight /= np.bincount(group, weight).astype(np.float32)[group]
    starts = np.cumsum(sizes) - sizes + GAP * np.arange(len(sizes))
    return Inputs(
        values=np.concatenate(values),
        words=np.concatenate(words),
        weight=weight.reshape(-1, len(GROUPS)),
        group=group,
        order=order,
        starts=begins.nonzero()[0],
        places=tuple(map(slice, starts.tolist(), (starts + sizes).tolist())),
    )


def initial_weights(shape: NetworkShape, seed: int = 0) -> dict[str, NDArray[np.float32]]:
    """Weights before training, by name; float32."""
    rng = np.random.default_rng(seed)
    weights: dict[str, NDArray[Any]] = {}
    for name, size, deviation in _arrays(shape):
        if deviation:
            weights[name] = rng.normal(0, deviation, size)
        else:
            weights[name] = np.full(size, 1.0 if name.endswith("gain") else 0.0)
    return {name: array.astype(np.float32) for name, array in weights.items()}


def weight_shapes(shape: NetworkShape) -> dict[str, tuple[int, ...]]:
    """Shapes of the weights, by name."""
    return {name: size for name, size, _ in _arrays(shape)}


def _arrays(shape: NetworkShape) -> Iterator[tuple[str, tuple[int, ...], float]]:
    """Name and shape of each array of weights, and their initial deviation, 0 for constants."""
    width, inner, quarter = shape.width, 2 * shape.width, shape.width // 4

    def dense(name: str, rows: int, columns: int, scale: float = 1.0) -> Iterator[Any]:
        yield f"{name}.weight", (rows, columns), scale / np.sqrt(rows)
        yield f"{name}.bias", (columns,), 0.0

    def norm(name: str) -> Iterator[Any]:
        yield f"{name}.gain", (width,), 0.0
        yield f"{name}.shift", (width,), 0.0

    yield "words", (shape.words, shape.vector), 0.1
    yield from dense("in", shape.features + shape.vector, width)
    for layer in range(len(DILATIONS)):
        yield from norm(f"{layer}.norm")
        yield f"{layer}.taps", (TAPS, width), 0.3
        yield from dense(f"{layer}.up", width, inner, np.sqrt(2))
        yield from dense(f"{layer}.down", inner, width, 0.5)
        if layer in GROUP_LAYERS:
            yield from norm(f"{layer}.group.norm")
            yield from dense(f"{layer}.group.in", width, quarter * len(GROUPS))
            yield from dense(f"{layer}.group.out", quarter * len(GROUPS), width, 0.5)
    yield from norm("out.norm")
    yield from dense("out", width, shape.outputs)


@dataclass(frozen=True)
class Operations:
    """Operations of the network: functions of NumPy, or the same recorded on a tape."""

    add: Callable[..., Any]
    """As `numpy.add`."""
    enter: Callable[..., Any]
    dense: Callable[..., Any]
    rectify: Callable[..., Any]
    normalise: Callable[..., Any]
    look_up: Callable[..., Any]
    read_neighbours: Callable[..., Any]
    group_means: Callable[..., Any]
    weigh: Callable[..., Any]
    """See the functions of this module."""


def forward(weights: Weights, inputs: Inputs, ops: Operations | None = None) -> Any:
    """Log-odds of every output for every block: float32, shape (b, outputs).

    Networks of the same shape run at once if their weights are stacked: each array, and the result,
    then has an additional leading axis.

    `ops`: Operations to compute with; NumPy by default.
    """
    ops = ops or PLAIN
    vectors = ops.look_up(weights["words"], inputs.words)
    entering = ops.enter(inputs.values, vectors, weights["in.weight"], weights["in.bias"])
    return answer(weights, inputs, entering, ops)


def answer(weights: Weights, inputs: Inputs, entering: Any, ops: Operations | None = None) -> Any:
    """Log-odds as of `forward`, from the result of its first layer; see `enter`."""
    ops = ops or PLAIN

    def project(name: str, x: Any) -> Any:
        return ops.dense(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def normalise(name: str, x: Any) -> Any:
        return ops.normalise(x, weights[f"{name}.gain"], weights[f"{name}.shift"])

    hidden = ops.rectify(entering)
    for layer, dilation in enumerate(DILATIONS):
        taps = weights[f"{layer}.taps"]
        around = ops.read_neighbours(normalise(f"{layer}.norm", hidden), taps, inputs, dilation)
        inner = ops.rectify(project(f"{layer}.up", around))
        hidden = ops.add(hidden, project(f"{layer}.down", inner))
        if layer in GROUP_LAYERS:
            name = f"{layer}.group"
            projected = project(f"{name}.in", normalise(f"{name}.norm", hidden))
            means = ops.rectify(ops.group_means(projected, inputs))
            hidden = ops.add(hidden, project(f"{name}.out", means))
    return project("out", normalise("out.norm", hidden))


def enter(
    values: NDArray[np.float32],
    vectors: NDArray[np.float32],
    weight: NDArray[np.float32],
    bias: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Dense layer over the features and the word vector of each block, concatenated."""
    features = values.shape[1]
    total = values @ weight[..., :features, :]
    total += vectors @ weight[..., features:, :]
    total += bias[..., None, :]
    return total


def dense(
    x: NDArray[np.float32], weight: NDArray[np.float32], bias: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Dense layer: weighted sums of each row's columns, plus the bias."""
    total = x @ weight
    total += bias[..., None, :]
    return total


def rectify(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """The rectifier: max(x, 0)."""
    return np.maximum(x, 0)


def normalise(
    x: NDArray[np.float32], gain: NDArray[np.float32], shift: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Layer normalisation: rows with mean 0 and variance 1, then columns scaled and shifted."""
    centred = x - mean_of_columns(x)
    centred /= spread(centred)
    centred *= gain[..., None, :]
    centred += shift[..., None, :]
    return centred


def mean_of_columns(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Mean of each row: float32, shape (..., b, 1)."""
    return np.einsum("...c->...", x)[..., None] / x.dtype.type(x.shape[-1])


def spread(centred: NDArray[np.float32]) -> NDArray[np.float32]:
    """Standard deviation of each centred row, never 0: float32, shape (..., b, 1)."""
    squares = np.einsum("...c,...c->...", centred, centred)[..., None] / centred.shape[-1]
    return np.sqrt(squares + squares.dtype.type(EPSILON))


def look_up(table: NDArray[Any], words: NDArray[np.int32]) -> NDArray[np.float32]:
    """Mean vector of each block's words, ignoring row 0: float32, shape (..., b, vector)."""
    rows = words % table.shape[-2]
    # Most blocks have few words, so reading only these takes a fourth of the time.
    is_word = rows > 0
    count = is_word.sum(axis=1)
    filled = count.nonzero()[0]
    dtype = np.result_type(table, np.float32)
    means = np.zeros((*table.shape[:-2], len(words), table.shape[-1]), dtype)
    if len(filled):
        vectors = table.take(rows[is_word], axis=-2).astype(dtype, copy=False)
        count = count[filled]
        sums = np.add.reduceat(vectors, np.cumsum(count) - count, axis=-2)
        means[..., filled, :] = sums / count[:, None].astype(dtype)
    return means


def read_neighbours(
    x: NDArray[np.float32], taps: NDArray[np.float32], inputs: Inputs, dilation: int
) -> NDArray[np.float32]:
    """Depth-wise convolution over the blocks of each page, with zeros beyond its ends."""
    sequence = in_sequence(x, inputs)
    length, first = sequence.shape[-2] - 2 * GAP, GAP - TAPS // 2 * dilation
    total = sequence[..., first : first + length, :] * taps[..., :1, :]
    weighed = np.empty_like(total)
    for tap in range(1, TAPS):
        start = first + tap * dilation
        weight = taps[..., tap : tap + 1, :]
        np.multiply(sequence[..., start : start + length, :], weight, out=weighed)
        total += weighed
    return np.concatenate([total[..., place, :] for place in inputs.places], axis=-2)


def in_sequence(x: NDArray[np.float32], inputs: Inputs) -> NDArray[np.float32]:
    """Rows at the places of their blocks, with `GAP` zeros around each page.

    float32, shape (..., length, columns).
    """
    length = inputs.places[-1].stop + 2 * GAP
    sequence = np.zeros((*x.shape[:-2], length, x.shape[-1]), x.dtype)
    for number, place in enumerate(inputs.places):
        rows = slice(place.start - number * GAP, place.stop - number * GAP)
        sequence[..., place.start + GAP : place.stop + GAP, :] = x[..., rows, :]
    return sequence


def group_means(x: NDArray[np.float32], inputs: Inputs) -> NDArray[np.float32]:
    """For each kind of group, the mean of its share of the columns over each block's group."""
    return group_sums(x * own_shares(inputs, x.shape[-1]), inputs)


def own_shares(inputs: Inputs, columns: int) -> NDArray[np.float32]:
    """Each block's weight in the means of `group_means`: float32, shape (b, columns)."""
    return inputs.weight.repeat(columns // len(GROUPS), axis=1)


def group_sums(x: NDArray[np.float32], inputs: Inputs) -> NDArray[np.float32]:
    """As `group_means`, without the weights."""
    if not len(inputs.order):
        return x
    members = x.reshape(*x.shape[:-2], len(inputs.order), -1)
    sums = np.add.reduceat(members.take(inputs.order, axis=-2), inputs.starts, axis=-2)
    return sums.take(inputs.group, axis=-2).reshape(x.shape)


def weigh(
    x: NDArray[np.float32], factor: NDArray[np.float32], addend: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Columns scaled and shifted by constants."""
    total = x * factor
    total += addend
    return total


PLAIN = Operations(
    np.add, enter, dense, rectify, normalise, look_up, read_neighbours, group_means, weigh
)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What the other blocks of a page add in each layer to what a block passes on of itself.

    With these held constant, the network is a function of a block alone. Its own evidence also
    returns to it through its neighbours, but that changes the log-odds hardly at all.
    """

    taps: tuple[NDArray[np.float32], ...]
    share: NDArray[np.float32]
    """What a block passes on of itself: float32, shape (..., 1, columns) in each convolution,
    and (b, columns) in the means over groups."""
    around: tuple[NDArray[np.float32], ...]
    means: tuple[NDArray[np.float32], ...]
    """float32, shape (..., b, columns): what the others add in each convolution, and in the means
    after each of `GROUP_LAYERS`."""

    @classmethod
    def of(
        cls, weights: Weights, inputs: Inputs, entering: NDArray[np.float32]
    ) -> tuple[Surroundings, NDArray[np.float32]]:
        """Surroundings of all blocks, and the log-odds as of `answer`, which takes the same
        arguments.
        """
        share = own_shares(inputs, weights["1.group.in.bias"].shape[-1])
        own, around, means = [], [], []

        def read(x: Any, taps: Any, inputs: Inputs, dilation: int) -> Any:
            total = read_neighbours(x, taps, inputs, dilation)
            own.append(taps[..., TAPS // 2, None, :])
            around.append(total - x * own[-1])
            return total

        def average(x: Any, inputs: Inputs) -> Any:
            total = group_means(x, inputs)
            means.append(total - x * share)
            return total

        recorded = replace(PLAIN, read_neighbours=read, group_means=average)
        answers = answer(weights, inputs, entering, recorded)
        return cls(tuple(own), share, tuple(around), tuple(means)), answers

    def operations(self, blocks: NDArray[np.intp], ops: Operations = PLAIN) -> Operations:
        """Operations of one pass of `answer` over m rows, each a version of one of the blocks."""
        around = iter(zip(self.taps, self.around, strict=True))
        means, share = iter(self.means), self.share[blocks]

        def read(x: Any, *_: Any) -> Any:
            taps, others = next(around)
            return ops.weigh(x, taps, others.take(blocks, axis=-2))

        def average(x: Any, _: Inputs) -> Any:
            return ops.weigh(x, share, next(means).take(blocks, axis=-2))

        return replace(ops, read_neighbours=read, group_means=average)
