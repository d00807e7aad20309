"""Public names, lazy loading, doctests, the wheel and the source distribution."""

import doctest
import importlib
import os
import pkgutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import miolo
import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (
    "workers", "renderer", "features", "models", "output", "extract", "collect", "debug",
    "evaluate", "serve", "integrations", "cli",
)  # fmt: skip
LOOSE = tuple(
    f"{name}.py"
    for name in (
        "__init__ __main__ errors extensions names patterns untrusted_json version".split()
    )
)


def modules():
    return [
        name
        for _, name, _ in pkgutil.walk_packages(miolo.__path__, "miolo.")
        if name.split(".")[1] in (*FOLDERS, *(name.removesuffix(".py") for name in LOOSE))
    ]


def test_the_package_exports_what_it_lists():
    for name in miolo.__all__:
        assert getattr(miolo, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = miolo.no_such_name


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, miolo, miolo.cli.app;"
        "print([m for m in ('numpy', 'playwright', 'bs4', 'lxml', 'PIL') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", modules())
def test_doctests(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_wheel_contains_the_package_and_nothing_else(tmp_path):
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path]
    # The folder build/ may hold modules of an earlier build that the package no longer has.
    (tmp_path / "build.cfg").write_text(f"[build]\nbuild_base = {tmp_path / 'build'}\n", "utf-8")
    environment = {**os.environ, "DIST_EXTRA_CONFIG": str(tmp_path / "build.cfg")}
    subprocess.run([*command, ROOT], check=True, capture_output=True, cwd=tmp_path, env=environment)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {n for n in archive.namelist() if not n.split("/")[0].endswith(".dist-info")}
    files = [p for folder in FOLDERS for p in (ROOT / folder).rglob("*.py")]
    files += [ROOT / n for n in (*LOOSE, "__init__.pyi", "py.typed")]
    reports = ROOT / "debug" / "reports"
    files += (ROOT / "renderer" / "network" / "hosts").iterdir()
    files += (ROOT / "renderer").rglob("*.json")
    files += [*(ROOT / "models").rglob("*.json"), *(ROOT / "models").rglob("*.npz")]
    files += [ROOT / "evaluate" / "evaluate.html", *reports.glob("*.html")]
    files += [reports / "reports.css", *(reports / "view").iterdir()]
    for name in ("page", "label_page"):
        files += (ROOT / "serve" / name).iterdir()
    assert held == {f"miolo/{p.relative_to(ROOT).as_posix()}" for p in files}


def test_the_source_distribution_holds_what_its_tests_need(tmp_path):
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path]
    subprocess.run([*command, ROOT], check=True, capture_output=True, cwd=tmp_path)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        held = {name.partition("/")[2] for name in opened.getnames()}
    files = [p for folder in ("tests", "docs", "docker") for p in (ROOT / folder).rglob("*")]
    files += [ROOT / name for name in ("Makefile", "uv.lock", ".dockerignore", "mkdocs.yml")]
    # The second package of the workspace, without which `make` cannot install this one.
    files += [
        p for name in ("miolo_research", "tests") for p in (ROOT / "research" / name).glob("*.py")
    ]
    files.append(ROOT / "research" / "pyproject.toml")
    test_files = {p.relative_to(ROOT).as_posix() for p in files if "__pycache__" not in p.parts}
    assert test_files <= held


def test_the_repository_names_no_package_index():
    for name in ("pyproject.toml", "Makefile"):
        text = (ROOT / name).read_text("utf-8")
        assert "index-url" not in text
        assert "://" not in text or name == "pyproject.toml"
