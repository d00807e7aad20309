"""NCE on real sites with their style sheets, where the data is at hand."""

from __future__ import annotations

import os
from pathlib import Path
from statistics import mean

import miolo
import pytest
from corpus import post_truth, post_url, served, site_table, unpack
from miolo.extract.scoring import token_score

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("MIOLO_DATA", ROOT.parent / "shared" / "data"))

pytestmark = pytest.mark.skipif(
    not (DATA / "sites.json").exists(), reason="the real sites are not at hand (MIOLO_DATA)"
)


# Right to left, client-rendered Chinese, hidden until scripts have run, English.
@pytest.mark.parametrize("name", ["wechange", "zhangrxiang", "zhengbomo", "flink"])
def test_bodies_are_found(stage, tmp_path_factory, name):
    facts = site_table(DATA)[name]
    folder = unpack(DATA / "sites" / f"{name}.tar.xz", tmp_path_factory.mktemp("sites"))
    scores = []
    with served(folder) as origin:
        for path in facts["posts"][:3]:
            snapshot = stage.run(stage.renderer.render(post_url(origin, path)))
            text = miolo.extract_snapshot(snapshot).text
            scores.append(token_score(post_truth(folder, path, facts["body_selector"]), text).f1)
    assert mean(scores) > 0.9
