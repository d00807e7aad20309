"""The model that decides whether a page has to be rendered: its probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from miolo.models.rendering.rendering_model import FEATURES, shipped_rendering_model

rows = arrays(np.float64, (3, len(FEATURES)), elements=st.floats(-1e6, 1e6))


@given(rows)
def test_probabilities_are_those_of_the_logistic_function(values) -> None:
    model = shipped_rendering_model()
    for row, probability in zip(values, model.probabilities(values), strict=True):
        odds = model.bias
        for value, mean, scale, weight in zip(
            row, model.mean, model.scale, model.weights, strict=True
        ):
            odds += weight * min(max((value - mean) / scale, -4.0), 4.0)
        assert probability == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-9)
