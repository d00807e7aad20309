"""Derivatives of the network's operations, for training.

Each is the adjoint of a function of `network`; the chain rule between them is the library's,
`autograd`, which only training needs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...errors import MissingDependencyError
from .network import (
    GAP,
    GROUPS,
    TAPS,
    Inputs,
    Operations,
    group_means,
    look_up,
    normalise,
    read_neighbours,
    rectify,
    spread,
)

__all__ = ["differentiable"]

Array = NDArray[np.float32]
Adjoint = Callable[[Array], Array]


@cache
def differentiable() -> Operations:
    """The network's operations under automatic differentiation.

    Raises
    ------
    MissingDependencyError
        `autograd` is not installed.
    """
    try:
        import autograd.numpy as anp
        from autograd.extend import defvjp, primitive
    except ImportError:
        raise MissingDependencyError(
            "training needs autograd: pip install 'miolo[train]'"
        ) from None
    rectified, normalised, looked_up = primitive(rectify), primitive(normalise), primitive(look_up)
    read, means = primitive(read_neighbours), primitive(group_means)
    defvjp(rectified, _rectify)
    defvjp(normalised, _normalise)
    defvjp(looked_up, _look_up, argnums=(0,))
    defvjp(read, _read_neighbours, _read_neighbours_by_taps, argnums=(0, 1))
    defvjp(means, _group_means, argnums=(0,))
    return Operations(anp.concatenate, rectified, normalised, looked_up, read, means)


def _rectify(result: Array, x: Array) -> Adjoint:
    return lambda g: g * (result > 0)


def _normalise(result: Array, x: Array) -> Adjoint:
    deviation = spread(x - x.mean(axis=1, keepdims=True))

    def adjoint(g: Array) -> Array:
        along = np.einsum("bc,bc->b", g, result)[:, None] / g.shape[1]
        return (g - g.mean(axis=1, keepdims=True) - result * along) / deviation

    return adjoint


def _look_up(result: Array, table: Array, words: NDArray[np.int32]) -> Adjoint:
    known = (words > 0).astype(np.float32)
    share = (known / np.maximum(known.sum(axis=1, keepdims=True), 1)).ravel()
    order = np.argsort(words, axis=None, kind="stable")
    rows, starts = np.unique(words.ravel()[order], return_index=True)
    block = order // words.shape[1]

    def adjoint(g: Array) -> Array:
        total = np.zeros(table.shape, table.dtype)
        total[rows] = np.add.reduceat(g[block] * share[order, None], starts, axis=0)
        return total

    return adjoint


def _read_neighbours(
    result: Array, x: Array, taps: Array, inputs: Inputs, dilation: int
) -> Adjoint:
    # What a block reads from k steps ahead is what that one gives to k steps back.
    return lambda g: read_neighbours(g, taps[::-1], inputs, dilation)


def _read_neighbours_by_taps(
    result: Array, x: Array, taps: Array, inputs: Inputs, dilation: int
) -> Adjoint:
    def adjoint(g: Array) -> Array:
        read = np.zeros((inputs.length, x.shape[1]), x.dtype)
        given = np.zeros_like(read)
        read[inputs.place], given[inputs.place] = x, g
        inner = given[GAP:-GAP]
        starts = [GAP + (tap - TAPS // 2) * dilation for tap in range(TAPS)]
        return np.stack([np.einsum("bc,bc->c", read[at : at + len(inner)], inner) for at in starts])

    return adjoint


def _group_means(result: Array, x: Array, inputs: Inputs) -> Adjoint:
    def adjoint(g: Array) -> Array:
        shares = np.split(g, len(GROUPS), axis=1)
        pairs = zip(shares, inputs.groups, strict=True)
        return np.concatenate([of.sums(share) * of.weight for share, of in pairs], axis=1)

    return adjoint
