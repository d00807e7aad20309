"""Size and shape of the packages: modules, lines, import cycles, words, public names, start-up.

    python benchmarks/house.py [--checkout FOLDER] [--pages FOLDER] [--list] [--no-start]

Every relative import counts, including those within functions and under ``TYPE_CHECKING``. A cycle
is a strongly connected component of more than one node: among modules (`module_cycles`), or among
the modules and packages in one folder, where an import counts for the folder's entries that contain
its two ends (`folder_cycles`). The package itself is not a node, since its public names lead
everywhere. Modules without an importer are loaded by name (methods, commands) or run as programs.
``--list`` prints the cycles, and the modules with one importer or none.

Lines of the research package and of tests, and words of the documentation, are counted in files of
the checkout, without links. `repeated_names` is the number of file names that occur in more than
one folder of the package, without ``__init__.py``.

Start-up is measured with fresh interpreters that extract a saved snapshot by one method, or print
the help. The figures are the imported modules (of all packages), the heavy ones among them, and the
wall-clock and CPU seconds from start to end, as medians of five.

Calls are those of Python functions, generators that resume included, while a page is read without a
browser once everything is loaded: from its HTML to the text, and to the whole of ``to_dict()``. The
pages are one of six paragraphs and, with ``--pages``, those of a folder, of which the mean counts.
The last line is JSON.
"""

from __future__ import annotations

import ast
import json
import os
import resource
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[1]
# Folders in the root that are not part of the package.
BESIDE = {"benchmarks", "build", "data", "dist", "docker", "docs", "examples", "research", "tests"}

METHODS = ("nce", "auto")
ROUNDS = 5
HEAVY = ("numpy", "scipy", "sklearn", "numba", "playwright", "lxml", "bs4", "PIL")

SAVE = """
import miolo
text = "The ferry sails until midnight from the first Saturday in June, the harbour said. " * 5
body = f"<h1>Ferry sails late</h1>{f'<p>{text}</p>' * 40}"
page = f"<title>Ferry</title><nav><a href=/>Home</a></nav><main>{body}</main><footer>end</footer>"
miolo.Snapshot.from_html(page, url="https://ledger.example/1").save("page.miolo")
"""
EXTRACT = """
import sys, miolo
assert miolo.extract_snapshot(miolo.Snapshot.load("page.miolo"), sys.argv[1]).text
print(*sys.modules)
"""
HELP = """
import sys
from miolo.cli.app import app
app(sys.argv[1:], standalone_mode=False)
print(*sys.modules)
"""
CALLS = """
import sys
from pathlib import Path
import miolo
text = "The ferry sails until midnight from the first Saturday in June, the harbour said. " * 3
body = f"<h1>Ferry sails late</h1>{f'<p>{text}</p>' * 6}"
page = f"<title>Ferry</title><nav><a href=/>Home</a></nav><main>{body}</main><footer>end</footer>"
never = miolo.RenderOptions(browser="never")
def read(source, write):
    return write(miolo.extract_html(source, url="https://ledger.example/1", options=never))
def count(source, write):
    calls = 0
    def on_event(frame, event, argument):
        nonlocal calls
        calls += event == "call"
    sys.setprofile(on_event)
    read(source, write)
    sys.setprofile(None)
    return calls
files = sorted(Path(sys.argv[1]).glob("*.html")) if sys.argv[1] else []
pages = [file.read_bytes() for file in files]
for write in (lambda page: page.text, lambda page: page.to_dict()):
    for each in (page, *pages):
        read(each, write)
    print(count(page, write), sum(count(each, write) for each in pages) // max(len(pages), 1))
"""

Name = tuple[str, ...]
Edge = tuple[Name, Name]


def package_modules(root: Path) -> dict[Name, Path]:
    """Files of the package by module name, without the name of the package itself."""
    modules: dict[Name, Path] = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if parts[0] in BESIDE or any(part.startswith(".") for part in parts):
            continue
        modules[parts[:-1] if parts[-1] == "__init__" else parts] = path
    return modules


def packages(modules: Mapping[Name, Path]) -> set[Name]:
    """Names of the modules that are packages."""
    return {name for name, path in modules.items() if path.name == "__init__.py"}


def imports(name: Name, path: Path, modules: Mapping[Name, Path]) -> Iterator[Name]:
    """Modules that a module imports."""
    package = name if path.name == "__init__.py" else name[:-1]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = package[: len(package) - node.level + 1]
        target = (*base, *(node.module.split(".") if node.module else ()))
        for alias in node.names:
            submodule = (*target, alias.name)
            yield submodule if submodule in modules else target


def cycles(edges: Iterable[Edge]) -> list[list[Name]]:
    """Strongly connected components of more than one node."""
    pairs = [(one, other) for one, other in edges if one != other]
    nodes = sorted({node for pair in pairs for node in pair})
    number = {node: i for i, node in enumerate(nodes)}
    if not pairs:
        return []
    rows, columns = np.array([(number[one], number[other]) for one, other in pairs]).T
    graph = coo_array((np.ones(len(pairs)), (rows, columns)), shape=(len(nodes),) * 2)
    _, labels = connected_components(graph, connection="strong")
    groups: dict[int, list[Name]] = defaultdict(list)
    for node, label in zip(nodes, labels.tolist(), strict=True):
        groups[label].append(node)
    return [group for group in groups.values() if len(group) > 1]


def folder_cycles(edges: Iterable[Edge]) -> list[list[Name]]:
    """Cycles among the entries of each folder."""
    siblings: dict[Name, set[Edge]] = defaultdict(set)
    for one, other in edges:
        depth = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
        if depth is not None:
            siblings[one[:depth]].add((one[: depth + 1], other[: depth + 1]))
    return [cycle for folder in siblings.values() for cycle in cycles(folder)]


def start(checkout: Path) -> dict[str, dict[str, Any]]:
    """Imported modules and times of extraction by some methods, and of the help."""
    tasks = {method: (EXTRACT, [method]) for method in METHODS}
    tasks |= {"help": (HELP, ["--help"]), "extract-help": (HELP, ["extract", "--help"])}
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "miolo").symlink_to(checkout.resolve(), target_is_directory=True)
        run_python(folder, SAVE)
        return {task: measure(folder, code, words) for task, (code, words) in tasks.items()}


def measure(folder: Path, code: str, words: list[str]) -> dict[str, Any]:
    """Modules and seconds of a program, after one warm-up run."""
    modules = run_python(folder, code, *words)[2].splitlines()[-1].split()
    rounds = [run_python(folder, code, *words)[:2] for _ in range(ROUNDS)]
    wall, cpu = (round(median(seconds), 3) for seconds in zip(*rounds, strict=True))
    heavy = [name for name in HEAVY if name in modules]
    return {"modules": len(modules), "heavy": heavy, "seconds": wall, "cpu_seconds": cpu}


def run_python(folder: Path, code: str, *words: str) -> tuple[float, float, str]:
    """Wall-clock seconds, CPU seconds and output of a program that uses the folder's package."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", code, *words]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, check=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, done.stdout.decode()


def calls(checkout: Path, pages: Path | None) -> dict[str, int]:
    """Python calls to read a page of six paragraphs, and the mean page of a folder."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "miolo").symlink_to(checkout.resolve(), target_is_directory=True)
        counts = run_python(folder, CALLS, str(pages.resolve()) if pages else "")[2].split()
    names = ("six_paragraphs", "mean_page", "six_paragraphs_dict", "mean_page_dict")
    return {name: int(count) for name, count in zip(names, counts, strict=True) if int(count)}


def public_names(root: Path) -> list[str]:
    """Exported names: those that the stub imports."""
    stub = ast.parse((root / "__init__.pyi").read_text("utf-8"))
    imports = (node for node in stub.body if isinstance(node, ast.ImportFrom))
    return [name.asname or name.name for node in imports for name in node.names]


def files(folder: Path, pattern: str) -> Iterator[Path]:
    """Files below a folder; links are not followed, and caches are left out."""
    for path in folder.glob("**/" + pattern):
        parents = [path, *path.parents]
        inside = parents[: parents.index(folder)]
        if not any(
            part.is_symlink() or part.name.startswith((".", "__pycache__")) for part in inside
        ):
            yield path


def size(paths: Iterable[Path]) -> dict[str, int]:
    """Number of files, and of their lines."""
    lines = [len(path.read_text("utf-8").splitlines()) for path in paths]
    return {"files": len(lines), "lines": sum(lines)}


def words(paths: Iterable[Path]) -> int:
    """Number of words, separated by white space."""
    return sum(len(path.read_text("utf-8").split()) for path in paths)


def surroundings(root: Path) -> dict[str, Any]:
    """Sizes of what belongs to the repository besides the package."""
    research = root / "research"
    return {
        "research": size(files(research / "miolo_research", "*.py")),
        "tests": size(files(root / "tests", "*.py")),
        "research_tests": size(files(research / "tests", "*.py")),
        "benchmarks": size(files(root / "benchmarks", "*.py")),
        "research_benchmarks": size(files(research / "benchmarks", "*.py")),
        "docs_words": words(files(root / "docs", "*.md")),
        "research_docs_words": words(files(research / "docs", "*.md")),
    }


def main() -> None:
    """Count, and print a JSON object."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--pages", type=Path, help="folder of HTML files, such as data/news2023")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-start", action="store_true", help="count alone")
    chosen = parser.parse_args()

    modules = package_modules(chosen.checkout)
    edges = {(n, m) for n, path in modules.items() for m in imports(n, path, modules) if n and m}
    lines = {n: len(path.read_text("utf-8").splitlines()) for n, path in modules.items()}
    importers: dict[Name, set[Name]] = defaultdict(set)
    for one, other in edges:
        importers[other].add(one)
    single = sorted(name for name, users in importers.items() if len(users) == 1)
    alone = sorted({name for name in modules if name} - set(importers) - packages(modules))
    among_modules, among_siblings = cycles(edges), folder_cycles(edges)
    if chosen.list:
        for kind, group in (("modules", among_modules), ("a folder", among_siblings)):
            for cycle in group:
                print(f"cycle among {kind}: {', '.join(map('.'.join, cycle))}")
        for kind, names in (("one importer", single), ("no importer", alone)):
            for name in names:
                print(f"{kind}: {'.'.join(name)} ({lines[name]} lines)")
    names = Counter(p.name for p in modules.values() if p.name != "__init__.py")
    folders = sorted({name[0] for name in modules if len(name) > 1})
    print(
        json.dumps(
            {
                "modules": len(modules),
                "lines": sum(lines.values()),
                "module_cycles": len(among_modules),
                "folder_cycles": len(among_siblings),
                "modules_with_one_importer": len(single),
                "modules_without_importer": len(alone),
                "repeated_names": sum(count > 1 for count in names.values()),
                "public_names": len(public_names(chosen.checkout)),
                **surroundings(chosen.checkout),
                "start": {} if chosen.no_start else start(chosen.checkout),
                "calls": {} if chosen.no_start else calls(chosen.checkout, chosen.pages),
                "lines_by_folder": {
                    f: sum(n for name, n in lines.items() if name[:1] == (f,)) for f in folders
                },
            }
        )
    )


if __name__ == "__main__":
    main()
