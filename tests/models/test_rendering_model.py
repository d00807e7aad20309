"""The model that decides whether a page has to be rendered: its probabilities and its file."""

import json
from pathlib import Path

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from miolo.models.rendering.rendering_model import FEATURES, RenderingModel, shipped_rendering_model

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


def test_a_saved_model_is_the_same(tmp_path: Path) -> None:
    model = shipped_rendering_model()
    model.save(tmp_path / "model.json")
    loaded = RenderingModel.load(tmp_path / "model.json")
    assert (loaded.bias, loaded.provenance) == (model.bias, model.provenance)
    for name in ("mean", "scale", "weights"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name))


@pytest.mark.parametrize(
    "damage",
    [
        {"format": "another"},
        {"version": 99},
        {"features": {}},
        {"features": {name: [0, 0, 0] for name in FEATURES}},
        {"features": {name: [0, 1] for name in FEATURES}},
        {"bias": "high"},
        {"bias": float("nan")},
        {"provenance": None},
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, damage) -> None:
    file = tmp_path / "model.json"
    shipped_rendering_model().save(file)
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **damage}), "utf-8")
    with pytest.raises(miolo.ArchiveError):
        RenderingModel.load(file)
