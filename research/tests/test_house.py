"""Doctests, the wheel and the source distribution."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import miolo_research
import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "miolo_research"
MODULES = [name for _, name, _ in pkgutil.walk_packages(miolo_research.__path__, "miolo_research.")]


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def build(folder: Path, kind: str) -> Path:
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", folder]
    subprocess.run([*command, ROOT], check=True, capture_output=True, cwd=folder)
    (path,) = folder.iterdir()
    return path


def test_the_wheel_contains_the_package_and_nothing_else(tmp_path):
    with zipfile.ZipFile(build(tmp_path, "wheel")) as archive:
        held = {n for n in archive.namelist() if not n.split("/")[0].endswith(".dist-info")}
    kinds = (".py", ".json", ".html", ".typed")
    files = (p for p in PACKAGE.rglob("*") if p.suffix in kinds)
    assert held == {p.relative_to(ROOT).as_posix() for p in files}


def test_the_source_distribution_holds_what_its_tests_need(tmp_path):
    with tarfile.open(build(tmp_path, "sdist")) as opened:
        held = {
            name.partition("/")[2] for name in opened.getnames() if opened.getmember(name).isfile()
        }
    folders = ("tests", "tests/shared", "tests/site", "docs", "benchmarks")
    files = (p for folder in folders for p in (ROOT / folder).rglob("*") if p.is_file())
    needed = {p.relative_to(ROOT).as_posix() for p in files if "__pycache__" not in p.parts}
    assert needed | {"LICENSE", "README.md", "pyproject.toml"} <= held
    assert {"tests/shared/stage.py", "tests/site/newsroom/server.py"} <= held
