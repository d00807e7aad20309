"""What the package adds to Miolo: methods, pictures and a command."""

from __future__ import annotations

from importlib.metadata import distribution, entry_points

import miolo
import pytest
from miolo.cli.app import Commands
from miolo.debug.pictures.picture_registry import find_picture
from miolo.extract.methods.registry import grouped_methods

NAMES = [
    (point.group, point.name)
    for point in distribution("miolo-research").entry_points
    if point.group.startswith("miolo.")
]


@pytest.mark.parametrize(("group", "name"), NAMES)
def test_every_entry_point_can_be_loaded(group, name):
    lookups = {
        "miolo.methods": miolo.METHODS.__getitem__,
        "miolo.pictures": find_picture,
        "miolo.commands": Commands().__getitem__,
    }
    assert lookups[group](name) is not None


def test_the_methods_have_a_group_of_their_own():
    names = {point.name for point in entry_points(group="miolo.methods")}
    assert set(grouped_methods()["research baselines"]) <= names


def test_both_packages_have_one_version():
    assert distribution("miolo-research").version == miolo.__version__
    assert f"miolo=={miolo.__version__}" in (distribution("miolo-research").requires or ())


def test_visual_blocks_are_drawn(run, site, tmp_path):
    output = tmp_path / "blocks.svg"
    url = site.url("/ledger/2024/05/14/ferry-timetable")
    done = run("inspect", url, "--picture", "vips:pdoc=5", "-o", str(output))
    assert done.returncode == 0, done.stderr
    assert output.read_text("utf-8").startswith("<svg ")
    assert b"picture vips:pdoc=5 of" in done.stderr


@pytest.fixture
def pages(tmp_path):
    """Saved pages of a site."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(3):
        html = f"<body><nav>Menu</nav><main><p>Story {number} of the harbour</p></main></body>"
        page = miolo.Snapshot.from_html(html, url=f"https://ledger.example/{number}")
        page.save(folder / f"{number}.miolo")
    return folder


def test_a_learned_site_has_a_picture_of_its_style_tree(run, pages, tmp_path):
    site, report = tmp_path / "site.json", tmp_path / "tree.html"
    assert run("learn", str(pages), "-o", str(site)).returncode == 0
    done = run("inspect", str(site), "--picture", "style-tree", "-o", str(report))
    assert done.returncode == 0, done.stderr
    assert "composite importance" in report.read_text("utf-8").lower()


def test_the_distances_of_two_pages_are_printed(run, pages):
    for other, distance in (("0.miolo", "0"), ("1.miolo", "1")):
        done = run("tree-distance", str(pages / "0.miolo"), str(pages / other))
        assert done.returncode == 0, done.stderr
        rows = dict(line.split()[:2] for line in done.stdout.decode().splitlines()[1:])
        assert list(rows) == ["restricted", "top-down", "bottom-up"]
        assert rows["restricted"] == rows["top-down"] == distance
    words = ("--kind", "general", "--kind", "restricted", "--labels", "classes")
    done = run("tree-distance", str(pages / "0.miolo"), str(pages / "1.miolo"), *words)
    assert [line.split()[0] for line in done.stdout.decode().splitlines()[1:]] == [
        "general",
        "restricted",
    ]
