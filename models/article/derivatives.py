"""Gradients of the network by reverse-mode automatic differentiation.

Reverse accumulation (Linnainmaa 1970; Griewank and Walther, "Evaluating Derivatives", 2008, ch. 3):
each operation records on a tape how the gradient of its result becomes gradients of its arguments,
and the tape is read from its end. The operations are those of `network`, so that training computes
the same as inference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .network import (
    GAP,
    TAPS,
    Inputs,
    Operations,
    dense,
    enter,
    group_means,
    group_sums,
    in_sequence,
    look_up,
    mean_of_columns,
    own_shares,
    read_neighbours,
    rectify,
    spread,
    weigh,
)

Array = NDArray[np.float32]


@dataclass(eq=False)
class Variable:
    """An array for which the gradient is computed."""

    value: Array
    """The array."""
    slope: Array | None = None
    """Gradient of the loss with respect to the array, once the tape has been read; None for a
    variable that the loss does not depend on."""

    def collect(self, slope: Array) -> None:
        """Add the gradient from one use of the variable."""
        # Not in place: two variables may have received the same array.
        self.slope = slope if self.slope is None else self.slope + slope


class Tape:
    """Recorder of operations on variables, for `network.forward`; constants are plain arrays.

    Weights may be constants, and then may be stacked.
    """

    def __init__(self) -> None:
        self._steps: list[tuple[Variable, Callable[[Array], None]]] = []

    @property
    def operations(self) -> Operations:
        """Operations for `network.forward` that record on this tape."""
        return Operations(
            self._add, self._enter, self._dense, self._rectify, self._normalise, self._look_up,
            self._read_neighbours, self._group_means, self._weigh,
        )  # fmt: skip

    def read_backwards(self, result: Variable, slope: Array) -> None:
        """Compute the gradients of all variables from that of the result."""
        result.collect(slope)
        # Each step is released once it is read, so that later gradients reuse its memory.
        while self._steps:
            variable, propagate = self._steps.pop()
            if variable.slope is not None:
                propagate(variable.slope)

    def _record(self, value: Array, propagate: Callable[[Array], None]) -> Variable:
        result = Variable(value)
        self._steps.append((result, propagate))
        return result

    def _add(self, one: Variable, other: Variable) -> Variable:
        def propagate(g: Array) -> None:
            one.collect(g)
            other.collect(g)

        return self._record(one.value + other.value, propagate)

    def _enter(
        self, values: Array, vectors: Variable, weight: Variable, bias: Variable
    ) -> Variable:
        features = values.shape[1]

        def propagate(g: Array) -> None:
            weight.collect(np.concatenate([values.T @ g, vectors.value.T @ g]))
            bias.collect(g.sum(axis=0))
            vectors.collect(g @ weight.value[features:].T)

        return self._record(enter(values, vectors.value, weight.value, bias.value), propagate)

    def _dense(self, x: Variable, weight: Variable | Array, bias: Variable | Array) -> Variable:
        matrix = _value(weight)

        def propagate(g: Array) -> None:
            if isinstance(weight, Variable) and isinstance(bias, Variable):
                weight.collect(x.value.T @ g)
                bias.collect(g.sum(axis=0))
            x.collect(g @ matrix.swapaxes(-1, -2))

        return self._record(dense(x.value, matrix, _value(bias)), propagate)

    def _weigh(self, x: Variable, factor: Array, addend: Array) -> Variable:
        return self._record(weigh(x.value, factor, addend), lambda g: x.collect(g * factor))

    def _rectify(self, x: Variable) -> Variable:
        result = rectify(x.value)
        return self._record(result, lambda g: x.collect(g * (result > 0)))

    def _normalise(self, x: Variable, gain: Variable | Array, shift: Variable | Array) -> Variable:
        standard = x.value - mean_of_columns(x.value)
        deviation = spread(standard)
        standard /= deviation
        factor = _value(gain)[..., None, :]

        def propagate(g: Array) -> None:
            if isinstance(gain, Variable) and isinstance(shift, Variable):
                shift.collect(g.sum(axis=0))
                gain.collect(np.einsum("bc,bc->c", g, standard))
            inner = g * factor
            along = np.einsum("...c,...c->...", inner, standard)[..., None] / g.shape[-1]
            inner -= mean_of_columns(inner)
            inner -= standard * along
            inner /= deviation
            x.collect(inner)

        return self._record(standard * factor + _value(shift)[..., None, :], propagate)

    def _look_up(self, table: Variable, words: NDArray[np.int32]) -> Variable:
        numbers = words % len(table.value)

        def propagate(g: Array) -> None:
            in_vocabulary = numbers > 0
            block, _ = np.nonzero(in_vocabulary)
            rows = numbers[in_vocabulary]
            order = np.argsort(rows, kind="stable")
            distinct, starts = np.unique(rows[order], return_index=True)
            total = np.zeros_like(table.value)
            if len(distinct):
                share = g / np.maximum(in_vocabulary.sum(axis=1), 1)[:, None].astype(g.dtype)
                total[distinct] = np.add.reduceat(share[block[order]], starts, axis=0)
            table.collect(total)

        return self._record(look_up(table.value, words), propagate)

    def _read_neighbours(
        self, x: Variable, taps: Variable, inputs: Inputs, dilation: int
    ) -> Variable:
        def propagate(g: Array) -> None:
            # If block i reads block i + k, then i + k gets its gradient from i: taps are reversed.
            x.collect(read_neighbours(g, taps.value[::-1], inputs, dilation))
            read, gradient = in_sequence(x.value, inputs), in_sequence(g, inputs)[GAP:-GAP]
            starts = [GAP + (tap - TAPS // 2) * dilation for tap in range(TAPS)]
            each = [np.einsum("bc,bc->c", read[at : at + len(gradient)], gradient) for at in starts]
            taps.collect(np.stack(each))

        return self._record(read_neighbours(x.value, taps.value, inputs, dilation), propagate)

    def _group_means(self, x: Variable, inputs: Inputs) -> Variable:
        def propagate(g: Array) -> None:
            x.collect(group_sums(g, inputs) * own_shares(inputs, g.shape[-1]))

        return self._record(group_means(x.value, inputs), propagate)


def _value(weight: Variable | Array) -> Array:
    return weight.value if isinstance(weight, Variable) else weight
