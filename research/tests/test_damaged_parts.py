"""Files with learned parts and models that were tampered with."""

from __future__ import annotations

import json
import math
from functools import reduce

import miolo
import pytest
from miolo.extract.learn_site import learn_site
from miolo.models.site import Site
from miolo_research.adeater.model import AdModel
from miolo_research.infodiscoverer.entropy import TermPages
from miolo_research.pagelets.regions import PageletPages
from miolo_research.style_tree.importance import StylePages

HTML = "<html lang=en><title>T</title><p class=a>Some words</p><ul><li>one<li>two</ul>"
PAGES = [
    miolo.Snapshot.from_html(f"{HTML}<p>{word}</p>", url=f"https://page.invalid/{word}")
    for word in ("north", "south", "east")
]


@pytest.mark.parametrize(
    ("part", "kind", "names", "value"),
    [
        ("infodiscoverer", TermPages, ["size"], 10**30),
        ("infodiscoverer", TermPages, ["size"], 1e999),
        ("infodiscoverer", TermPages, ["size"], -1),
        ("pagelets", PageletPages, ["options", "rows"], 0),
        ("pagelets", PageletPages, ["options", "rows"], 9),
        ("pagelets", PageletPages, ["options", "hashes"], 3_000_000),
        ("pagelets", PageletPages, ["options", "hashes"], "x"),
        ("pagelets", PageletPages, ["options", "width"], 0),
        ("pagelets", PageletPages, ["options", "min_links"], -1),
        ("style-tree", StylePages, ["most_nodes"], 0),
        ("style-tree", StylePages, ["damping"], math.nan),
    ],
)
def test_a_damaged_number_of_a_part_is_refused(tmp_path, part, kind, names, value):
    path = tmp_path / "site.json"
    learn_site(PAGES, parts=[part]).save(path)
    data = json.loads(path.read_text())
    *outer, name = names
    options = reduce(dict.__getitem__, outer, data["parts"][part])
    assert name in options
    options[name] = value
    path.write_text(json.dumps(data))
    with pytest.raises(miolo.ArchiveError):
        Site.load(path).part(part, kind)


def test_a_missing_model_is_the_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        AdModel.load(tmp_path / "none")
