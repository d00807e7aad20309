"""The network's operations against slow loops, and its gradients against finite differences."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.article.derivatives import Tape, Variable
from miolo.models.article.network import (
    GROUPS,
    NetworkShape,
    Surroundings,
    answer,
    enter,
    forward,
    initial_weights,
    look_up,
    pack,
)

FEATURES, WORDS, OUTPUTS = 7, 5, 4
SHAPE = NetworkShape(FEATURES, OUTPUTS, words=30, vector=3, width=8)

sizes = st.lists(st.integers(1, 9), min_size=1, max_size=3)


def page(blocks: int, seed: int) -> tuple:
    """Values, words, counts and groups of a made-up page."""
    rng = np.random.default_rng([blocks, seed])
    return (
        rng.normal(size=(blocks, FEATURES)).astype(np.float32),
        rng.integers(0, SHAPE.words, (blocks, WORDS)).astype(np.int32),
        rng.integers(0, 40, blocks).astype(float),
        {name: rng.integers(0, 3, blocks) for name in GROUPS if name != "page"},
    )


def packed_blocks(blocks: list[int], seed: int = 0):
    pages = [page(size, seed + at) for at, size in enumerate(blocks)]
    return pack(*(list(part) for part in zip(*pages, strict=True)))


@given(sizes)
def test_a_page_is_read_the_same_alone_and_in_a_batch(blocks):
    weights = initial_weights(SHAPE)
    together = forward(weights, packed_blocks(blocks))
    assert together.shape == (sum(blocks), OUTPUTS)
    start = 0
    for at, size in enumerate(blocks):
        alone = forward(weights, pack(*([part] for part in page(size, at))))
        np.testing.assert_allclose(together[start : start + size], alone, atol=1e-4)
        start += size


@pytest.mark.parametrize("name", sorted(initial_weights(SHAPE)))
def test_gradients_match_finite_differences(name):
    inputs, rng = packed_blocks([6, 4]), np.random.default_rng(4)
    inputs = replace(inputs, values=inputs.values.astype(float))
    weights = {each: array.astype(float) for each, array in initial_weights(SHAPE).items()}
    output_slope = rng.normal(size=(10, OUTPUTS))

    tape, variables = Tape(), {each: Variable(array) for each, array in weights.items()}
    tape.read_backwards(forward(variables, inputs, tape.operations), output_slope)
    slope = variables[name].slope
    assert slope is not None
    assert slope.shape == weights[name].shape
    direction = rng.normal(size=slope.shape)
    direction *= 1e-5 / max(np.abs(direction).max(), 1e-9)

    def move(sign):
        step = {name: weights[name] + sign * direction}
        return float(np.sum(forward({**weights, **step}, inputs) * output_slope))

    by_slope = float((slope * direction).sum())
    assert (move(1) - move(-1)) / 2 == pytest.approx(by_slope, rel=1e-4, abs=1e-9)


def test_a_block_alone_is_read_as_within_its_page():
    """Held surroundings give the same answers, and the slopes of each block by its own input."""
    inputs, rng = packed_blocks([9]), np.random.default_rng(5)
    networks = [initial_weights(SHAPE, seed) for seed in (1, 2)]
    stacked = {name: np.stack([each[name] for each in networks]) for name in networks[0]}
    vectors = look_up(stacked["words"], inputs.words)
    entering = enter(inputs.values, vectors, stacked["in.weight"], stacked["in.bias"]).astype(float)
    surroundings, whole = Surroundings.of(stacked, inputs, entering)
    np.testing.assert_allclose(whole, answer(stacked, inputs, entering))
    blocks, output_slope = np.array([4, 1, 4]), rng.normal(size=(2, 3, OUTPUTS))
    rows = entering[:, blocks]

    def alone(rows):
        return answer(stacked, inputs, rows, surroundings.operations(blocks))

    np.testing.assert_allclose(alone(rows), whole[:, blocks], atol=1e-6)
    tape, variable = Tape(), Variable(rows)
    operations = surroundings.operations(blocks, tape.operations)
    tape.read_backwards(answer(stacked, inputs, variable, operations), output_slope)
    assert variable.slope is not None
    step = 1e-5 * rng.normal(size=rows.shape)
    moved = ((alone(rows + step) - alone(rows - step)) / 2 * output_slope).sum(axis=(0, 2))
    np.testing.assert_allclose(moved, (variable.slope * step).sum(axis=(0, 2)), rtol=1e-4)
