"""Tables of the documentation match the code."""

import ast
import csv
import re
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from runpy import run_path

from miolo import errors
from miolo.cli.app import COMMANDS, EXIT_CODES

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
FOLDERS = "renderer features models output extract collect debug evaluate serve integrations cli"
WARN = {"PageWarning", "warn", "_warn", "_cut_short"}
"""The class of warnings, and the functions that create one from a code."""

OTHER_NAMES = {"miolo.toml", "miolo.methods", "miolo.pictures", "miolo.commands"}
"""A file, and groups of entry points."""

UNLISTED = {"MioloError", "PageError", "TextError"}
"""Base classes, whose exit code is that of any other failure."""


def section(page: str, heading: str) -> str:
    text = (DOCS / page).read_text("utf-8")
    return re.split(r"^## ", text.split(f"\n## {heading}\n")[1], flags=re.MULTILINE)[0]


def first_cells(text: str) -> list[str]:
    return [row.split(" | ")[0].strip("| ") for row in text.splitlines() if row.startswith("| ")]


def test_every_exit_code_is_listed_in_order():
    rows = re.findall(r"^\| (\d+) \| (.*?) ?\| ", section("command-line.md", "Exit codes"), re.M)
    codes = [int(code) for code, _ in rows]
    assert codes == sorted(set(codes))
    listed = {(name, int(code)) for code, names in rows for name in re.findall(r"`(\w+)`", names)}
    classes = (each for each in vars(errors).values() if isinstance(each, type))
    kinds = [each for each in classes if issubclass(each, errors.MioloError)]
    assert listed == {(each.__name__, each.exit_code) for each in kinds} - {
        (name, 1) for name in UNLISTED
    }
    for span, _ in EXIT_CODES:
        assert {int(code) for code in span.split("-")} <= set(codes)


def test_every_command_is_listed():
    text = (DOCS / "command-line.md").read_text("utf-8")
    assert [name for name in COMMANDS if f"`miolo {name}" not in text] == []


def test_every_name_of_the_package_exists():
    pages = {path.name: path.read_text("utf-8") for path in DOCS.rglob("*.md")}
    names = {
        (page, name)
        for page, text in pages.items()
        for name in re.findall(r"(?<![\w./-])miolo(?:\.[A-Za-z_]\w*)+", text)
    } | {
        (page, f"{module}.{name}")
        for page, text in pages.items()
        for module, found in re.findall(r"^from (miolo[\w.]*) import ([\w, ]+)", text, re.M)
        for name in found.split(", ")
    }
    assert len(names) > 100
    assert [each for each in sorted(names) if not is_name(each[1])] == []


def is_name(name: str) -> bool:
    if name in OTHER_NAMES or name.startswith("miolo.integrations"):
        return True  # frameworks take seconds to import
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_every_warning_is_listed_once():
    cells = first_cells(section("results.md", "Warnings"))[1:]
    listed = [code for cell in cells for code in re.findall(r"`([\w-]+)`", cell)]
    assert sorted(listed) == sorted(set(warning_codes()))


def warning_codes() -> Iterator[str]:
    for path in (path for folder in FOLDERS.split() for path in (ROOT / folder).rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        constants = {
            name.id: value.value
            for statement in tree.body
            if isinstance(statement, ast.Assign)
            for name, value in [(statement.targets[0], statement.value)]
            if isinstance(name, ast.Name) and isinstance(value, ast.Constant)
        }
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="warnings"))):
                    pass  # a warning of Python, not of a page
                case ast.Call(
                    func=ast.Name(id=name) | ast.Attribute(attr=name),
                    args=[ast.Constant(value=str(code)), *_],
                ) if name in WARN:
                    yield code
                case ast.Call(func=ast.Name(id="PageWarning"), args=[ast.Name(id=name), *_]):
                    if name in constants:
                        yield constants[name]


def promised_tests() -> Iterator[Path]:
    """The files that `security.md` names; one without a folder is in that of the one before."""
    for row in section("security.md", "Promises and their tests").splitlines():
        folder = Path()
        for name in re.findall(r"`([\w/]+\.py)`", row.rpartition(" | ")[2]):
            path = Path(name)
            folder = path.parent if len(path.parts) > 1 else folder
            is_program = folder.name in ("benchmarks", "docker")
            yield ROOT / ("" if is_program else "tests") / folder / path.name


def test_every_promise_names_a_test_that_exists():
    named = list(promised_tests())
    assert len(named) > 30
    assert [path for path in named if not path.is_file()] == []


def test_totals_of_attacks_are_those_of_the_tables():
    with (DOCS / "attacks.csv").open(encoding="utf-8", newline="") as file:
        titles = dict.fromkeys(row["group"] for row in csv.DictReader(file))
    assert first_cells(section("security.md", "Attacks tried"))[1:] == list(titles)


def test_the_table_of_rendering_options_is_written_from_their_declarations():
    written = run_path(str(DOCS / "option_table.py"))["with_table"]
    page = (DOCS / "reach.md").read_text("utf-8")
    assert written(page) == page
