"""Files of models: what is saved is what is loaded, and damaged files are refused."""

import json

import miolo
import pytest
from miolo.models.article.site_blocks import shipped_site_model
from miolo.models.article.units import shipped_unit_model
from miolo.models.confidence.confidence_model import shipped_confidence_model
from miolo.models.fields.ranker import shipped_rankers
from miolo.models.kinds.model import shipped_kind_model
from miolo.models.rendering.rendering_model import FEATURES, shipped_rendering_model
from miolo.models.templates.model import shipped_model

MODELS = {
    "confidence": shipped_confidence_model,
    "fields": shipped_rankers,
    "kinds": shipped_kind_model,
    "rendering": shipped_rendering_model,
    "site blocks": shipped_site_model,
    "template": shipped_model,
    "units": shipped_unit_model,
}
EVERY = [{"format": "another"}, {"version": 99}, {"features": {}}, {"provenance": 3}]
DAMAGES = {
    **dict.fromkeys(("confidence", "site blocks", "units"), EVERY),
    "fields": [
        *EVERY[:2],
        EVERY[3],
        {"fields": []},
        {"fields": {"date": {"bias": 0, "bound": 0.5, "features": {"a": [0, 0, 1]}}}},
        {"fields": {"date": {"bias": "x", "bound": 0.5, "features": {}}}},
        {"fields": {"date": {"bias": 0, "bound": 0.5, "features": {"a": [0, 1]}}}},
        {"fields": {"date": {"bias": 0, "bound": 2, "features": {"a": [0, 1, 1]}}}},
    ],
    "kinds": [
        *EVERY,
        {"kinds": ["product", "forum"]},
        {"kinds": ["article"] * 7},
        {"bias": [0.0]},
        {"bias": ["x"] * 7},
        {"threshold": None},
        {"threshold": float("nan")},
        {"threshold": 1.5},
    ],
    "rendering": [
        *EVERY,
        {"features": {name: [0, 0, 0] for name in FEATURES}},
        {"features": {name: [0, 1] for name in FEATURES}},
        {"bias": "high"},
        {"bias": float("nan")},
    ],
    "template": [
        *EVERY[:2],
        EVERY[3],
        {"features": "magic"},
        {"columns": ["left"]},
        {"bands": [5, 1, 9]},
        {"coef": [[1, 2]]},
        {"intercept": [None, 1, 2, 3]},
        {"mean": "NaN"},
        {"c": -1},
        {"decision": "coin"},
        {"contrast": 3},
    ],
}


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_is_the_same_model(name, tmp_path):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    model = MODELS[name]()
    model.save(first)
    again = type(model).load(first)
    again.save(second)
    assert first.read_bytes() == second.read_bytes()
    assert again.provenance == model.provenance != {}


@pytest.mark.parametrize(
    ("name", "change"), [(name, change) for name, all_of in DAMAGES.items() for change in all_of]
)
def test_a_damaged_file_is_an_error(name, change, tmp_path):
    file, model = tmp_path / "model.json", MODELS[name]()
    model.save(file)
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | change), "utf-8")
    with pytest.raises(miolo.ArchiveError, match=r"model\.json"):
        type(model).load(file)


@pytest.mark.parametrize("name", [*MODELS, "site"])
@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b"{}", b'{"a":' * 100_000, b"9" * 10_000]
)
def test_a_foreign_file_is_an_error(name, content, tmp_path):
    (tmp_path / "model.json").write_bytes(content)
    with pytest.raises(miolo.ArchiveError):
        (miolo.Site if name == "site" else type(MODELS[name]())).load(tmp_path / "model.json")
