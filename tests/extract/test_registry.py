"""The registry of methods: loading on demand, options, and methods of other packages."""

import json
import os
import subprocess
import sys
from pathlib import Path

import miolo
import pytest
from miolo.extract.methods.registry import (
    METHODS,
    find_method,
)

ROOT = str(Path(miolo.__file__).resolve().parent / ".dev")


def run_python(code: str, *folders: Path) -> str:
    """Output of code that runs in a new interpreter."""
    path = os.pathsep.join([ROOT, *map(str, folders)])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


PAGE = miolo.Snapshot.from_html("<p>" + "Words of an article, one after the other. " * 40)

IMPORTED = """
import sys, miolo
miolo.extract_snapshot(miolo.Snapshot.load({path!r}), {method!r})
print(*sys.modules)
"""


def test_a_method_imports_only_its_own_module(tmp_path):
    path = tmp_path / "page.miolo"
    PAGE.save(path)
    modules = set(run_python(IMPORTED.format(path=str(path), method="nce")).split())
    assert not modules & {"numba", "sklearn", "pandas", "playwright", "bs4"}
    others = {"auto", "records", "template", "semantic", "rtdm", "xcex"}
    assert not modules & {f"miolo.extract.methods.{name}" for name in others}
    others = ("miolo.models.wrappers", "miolo.models.templates", "miolo.models.article.model")
    assert not {name for name in modules if name.startswith(others)}


def test_options_are_set_by_name():
    options = find_method("nce:max_distance=3:literal=true:min_common=0.5").options
    assert (options.max_distance, options.literal, options.min_common) == (3, True, 0.5)
    assert (
        find_method("nce:literal:max_distance=3").options
        == find_method("nce:literal=true:max_distance=3").options
    )
    assert METHODS["nce"].options.max_distance == 5


@pytest.mark.parametrize(
    "text",
    [
        "nce:",
        "nce:litteral",
        "nce:max_distance=far",
        "nce:min_common=nan",
        "semantic:smoothing=-1",
        "auto:literal",
        "nce:max_distance=" + "9" * 5000,
    ],
)
def test_invalid_options_are_refused(text):
    with pytest.raises(miolo.UnknownMethodError, match=text.partition(":")[0]):
        find_method(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("nec", "nce"),
        ("x_cex", "x-cex"),
        ("semantc", "semantic"),
        ("nce:litral", "literal"),
        ("semantic:threshhold=0.5", "threshold"),
    ],
)
def test_an_unknown_method_error_suggests_the_closest_name(text, meant):
    with pytest.raises(miolo.UnknownMethodError, match=f"did you mean {meant!r}"):
        find_method(text)


EXTENSION = """
from dataclasses import dataclass
import numpy as np
from miolo import Method, Selection

@dataclass(frozen=True)
class Options:
    tag: str = "p"

class Counted:
    def __init__(self):
        self.pages = 0
    def add(self, snapshot):
        self.pages += 1
    def to_json(self):
        return {"pages": self.pages}
    @classmethod
    def from_json(cls, data):
        part = cls()
        part.pages = int(data["pages"])
        return part

def run(page, learned, options):
    pages = learned.part("counted", Counted).pages
    tags = np.array([page.tag_name(n) == options.tag for n in range(len(page))])
    kept = tags | (page.is_text & tags[page.parent])
    return Selection(kept, kept.astype(np.float32), np.zeros(len(page), np.int32),
                     [f"like {pages} pages"], np.zeros(len(page), bool))

METHOD = Method(run, "elements of one name", options=Options(), needs_site=True,
                site_parts={"counted": lambda model: Counted()})
"""

USED = """
import json, miolo
from miolo.extract.methods.registry import grouped_methods
page = miolo.Snapshot.from_html("<p>One paragraph</p><h2>A heading</h2>", url="https://a.example/")
site = miolo.learn_site([page])
site.save("site.json")
site = miolo.Site.load("site.json")
articles = [miolo.extract_snapshot(page, name, site=site) for name in ("by-tag", "by-tag:tag=h2")]
print(json.dumps({
    "texts": [each.text for each in articles],
    "reason": articles[0].reasons[0],
    "listed": [list(methods) for methods in grouped_methods().values()][-1],
    "names": list(miolo.METHODS)[-3:],
}))
"""


def test_packages_can_add_their_own_methods(tmp_path, monkeypatch):
    info = tmp_path / "by_tag-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: by-tag\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[miolo.methods]\n"
        "by-tag = by_tag:METHOD\nbroken = no_such_module:METHOD\nnce = by_tag:METHOD\n"
    )
    (tmp_path / "by_tag.py").write_text(EXTENSION)
    monkeypatch.chdir(tmp_path)
    report = json.loads(run_python(USED, tmp_path))
    assert report["texts"] == ["One paragraph", "A heading"]
    assert report["reason"] == "like 1 pages"
    assert report["listed"] == ["by-tag"]
    assert "nce" not in report["names"]
    with pytest.raises(subprocess.CalledProcessError) as caught:
        run_python("import miolo; miolo.METHODS['broken']", tmp_path)
    assert "no_such_module" in caught.value.stderr
