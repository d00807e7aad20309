"""Commands and pictures of other packages, added by their entry points."""

import sys
from pathlib import Path

import miolo
import pytest
from miolo.cli.app import app
from miolo.extensions import extensions
from typer.testing import CliRunner

MODULE = '''
from dataclasses import dataclass
from typing import Annotated
import typer
from miolo import Picture, Site, Snapshot

@dataclass(frozen=True)
class Options:
    level: int = 1

def draw(page: Snapshot, options):
    return f"<svg>{len(page)} nodes, level {options.level}</svg>"

def chart(site: Site, options):
    return f"<p>{len(site.level)} pages</p>"

PAGE = Picture(draw, "the number of nodes", options=Options(), variants={"deep": Options(9)})
SITE = Picture(chart, "the number of pages", "site", ".html")

def count(word: Annotated[str, typer.Argument()], twice: bool = False) -> None:
    """Count letters."""
    typer.echo(len(word) * (1 + twice))
'''

POINTS = """[miolo.commands]
count-letters = counting:count
extract = counting:count
absent = no_such_module:run
number = counting:PAGE
[miolo.pictures]
nodes = counting:PAGE
site-size = counting:SITE
absent = no_such_module:PICTURE
function = counting:draw
"""


@pytest.fixture
def extended(tmp_path, monkeypatch):
    """Runs the command line, in this process, with a package that adds commands and pictures."""
    info = tmp_path / "package" / "counting-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: counting\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    (info.parent / "counting.py").write_text(MODULE)
    monkeypatch.syspath_prepend(info.parent)
    monkeypatch.chdir(tmp_path)
    miolo.Snapshot.from_html("<p>One paragraph", url="https://a.example/").save("page.miolo")
    extensions.cache_clear()
    yield lambda *words: CliRunner().invoke(app, words)
    extensions.cache_clear()
    sys.modules.pop("counting", None)


def test_a_package_adds_commands(extended):
    done = extended("count-letters", "harbour", "--twice")
    assert (done.exit_code, done.stdout) == (0, "14\n")
    assert "Count letters." in extended("count-letters", "--help").stdout


def test_the_help_lists_commands_of_packages_without_importing_them(extended):
    lines = extended("--help").stdout.splitlines()
    rows = [line.split() for line in lines if line.startswith("  ")]
    assert ["count-letters", "From", "counting."] in rows
    assert ["absent", "From", "counting."] in rows
    assert "counting" not in sys.modules


def test_commands_of_the_product_cannot_be_overridden(extended):
    assert "Count letters." not in extended("extract", "--help").stdout


@pytest.mark.parametrize(("name", "message"), [("absent", "cannot load"), ("number", "is not a")])
def test_a_command_that_cannot_be_loaded_is_an_error_with_its_name(extended, name, message):
    done = extended(name)
    assert done.exit_code == 2
    assert message in done.stderr
    assert name in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("name", "level"), [("nodes", 1), ("nodes:deep", 9), ("nodes:level=4", 4)])
def test_a_package_adds_pictures_of_pages(extended, name, level):
    done = extended("inspect", "page.miolo", "--picture", name)
    assert done.exit_code == 0, done.stderr
    assert f"level {level}</svg>" in Path("nodes.svg").read_text("utf-8")
    assert not Path("report.html").exists()


def test_pictures_are_listed_with_their_packages_that_fail(extended):
    lines = extended("methods").stdout.splitlines()
    assert any(line.split() == ["nodes", "the", "number", "of", "nodes"] for line in lines)
    assert any(line.startswith("  absent") and "no_such_module" in line for line in lines)
