"""Size and shape of the package: modules, lines, import circles, fragments, public names.

    python benchmarks/house.py [--checkout FOLDER] [--list]

Every relative import counts, those within functions and under ``TYPE_CHECKING`` too. A circle is a
strongly connected component of more than one node: among modules (`module_circles`), or among the
modules and packages that lie in one folder, where an import counts for the folder's entries that
hold its two ends (`folder_circles`). The package itself, whose public names lead everywhere, is
no node. ``--list`` prints circles and modules with one importer. The last line is JSON.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[1]
# Folders of the root that are no part of the package.
BESIDE = {"benchmarks", "build", "data", "dist", "docker", "docs", "examples", "tests"}

Name = tuple[str, ...]
Edge = tuple[Name, Name]


def package_modules(root: Path) -> dict[Name, Path]:
    """Files of the package by the names of their modules, without the package's own."""
    found: dict[Name, Path] = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if parts[0] in BESIDE or any(part.startswith(".") for part in parts):
            continue
        found[parts[:-1] if parts[-1] == "__init__" else parts] = path
    return found


def imports(name: Name, path: Path, modules: Mapping[Name, Path]) -> Iterator[Name]:
    """Modules that a module imports."""
    package = name if path.name == "__init__.py" else name[:-1]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = package[: len(package) - node.level + 1]
        target = (*base, *(node.module.split(".") if node.module else ()))
        for alias in node.names:
            found = (*target, alias.name)
            yield found if found in modules else target


def circles(edges: Iterable[Edge]) -> list[list[Name]]:
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


def folder_circles(edges: Iterable[Edge]) -> list[list[Name]]:
    """Circles among the entries of each folder."""
    siblings: dict[Name, set[Edge]] = defaultdict(set)
    for one, other in edges:
        depth = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
        if depth is not None:
            siblings[one[:depth]].add((one[: depth + 1], other[: depth + 1]))
    return [circle for folder in siblings.values() for circle in circles(folder)]


HEAVY = ("numba", "sklearn", "scipy", "playwright", "lxml", "bs4", "PIL")

LOAD = """
import json, sys, time
import miolo
page = miolo.Snapshot.from_html("<h1>Story</h1>" + 9 * "<p>A sentence that goes on a while.</p>")
begun = time.perf_counter()
miolo.extract_snapshot(page, sys.argv[1]).text
seconds = round(time.perf_counter() - begun, 3)
heavy = [name for name in sys.argv[2:] if name in sys.modules]
print(json.dumps({"seconds": seconds, "modules": len(sys.modules), "heavy": heavy}))
"""


def loaded_by(checkout: Path, method: str) -> dict[str, object]:
    """What the first extraction by a method loads in a process of its own, and its time."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / ".dev")}
    command = [sys.executable, "-c", LOAD, method, *HEAVY]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    """Count, and print a JSON object."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--list", action="store_true")
    chosen = parser.parse_args()

    modules = package_modules(chosen.checkout)
    edges = {(n, m) for n, path in modules.items() for m in imports(n, path, modules) if n and m}
    lines = {n: len(path.read_text("utf-8").splitlines()) for n, path in modules.items()}
    importers: dict[Name, set[Name]] = defaultdict(set)
    for one, other in edges:
        importers[other].add(one)
    single = sorted(name for name, users in importers.items() if len(users) == 1)
    among_modules, among_siblings = circles(edges), folder_circles(edges)
    if chosen.list:
        for kind, found in (("modules", among_modules), ("a folder", among_siblings)):
            for circle in found:
                print(f"circle among {kind}: {', '.join(map('.'.join, circle))}")
        for name in single:
            print(f"one importer: {'.'.join(name)} ({lines[name]} lines)")
    # Names are exported by the stub; packages of earlier versions have none.
    stub = modules[()].with_suffix(".pyi")
    face = ast.parse((stub if stub.exists() else modules[()]).read_text("utf-8"))
    assigned = (node for node in face.body if isinstance(node, ast.Assign))
    exported = next(n.value for n in assigned if ast.unparse(n.targets[0]) == "__all__")
    folders = sorted({name[0] for name in modules if len(name) > 1})
    print(
        json.dumps(
            {
                "modules": len(modules),
                "lines": sum(lines.values()),
                "module_circles": len(among_modules),
                "folder_circles": len(among_siblings),
                "modules_with_one_importer": len(single),
                "public_names": len(ast.literal_eval(exported)),
                "loaded_by": {m: loaded_by(chosen.checkout, m) for m in ("density", "nce", "auto")},
                "lines_by_folder": {
                    f: sum(n for name, n in lines.items() if name[:1] == (f,)) for f in folders
                },
            }
        )
    )


if __name__ == "__main__":
    main()
