"""Every regular expression of the package, with its uses.

Patterns that an import compiles are recorded while all modules are imported. For a call of
:mod:`re` within a function, the pattern is evaluated in its module, or the function is called.
Calls whose pattern is found in neither way are returned as well, so that the test fails.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import miolo
from miolo import patterns

ROOT = Path(miolo.__file__).resolve().parent
FOLDERS = (
    "renderer", "features", "models", "output", "extract", "collect", "debug", "evaluate", "serve",
    "cli",
)  # fmt: skip
CALLS = {
    "search": "finditer", "finditer": "finditer", "findall": "finditer", "sub": "finditer",
    "subn": "finditer", "split": "finditer", "match": "match", "fullmatch": "fullmatch",
}  # fmt: skip
"""Functions of patterns, and the function that represents each: it processes the whole text."""

FLAGS_AT = dict.fromkeys(CALLS, 2) | {"compile": 1, "split": 3, "sub": 4, "subn": 4}
"""Position of the flags among the arguments."""

Seen = defaultdict[tuple[str, int], set[tuple[str | bytes, int]]]
"""Patterns with their flags, by file and line."""


@dataclass(frozen=True)
class Use:
    """A pattern in a line of a file, and the functions that use it: finditer, match, fullmatch."""

    place: str
    pattern: str | bytes
    flags: int
    ways: tuple[str, ...]


def package_patterns(
    arguments: dict[str, tuple[tuple[object, ...], ...]],
) -> tuple[list[Use], list[str]]:
    """The uses of all patterns, and the calls whose pattern is not known.

    `arguments` are those of functions that build a pattern from them, by ``file:function``.
    """
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    files = [str(path.relative_to(ROOT)) for path in (*paths, ROOT / "errors.py")]
    trees = {file: ast.parse((ROOT / file).read_text("utf-8")) for file in files}
    ways = {file: _ways(tree) for file, tree in trees.items()}
    uses, unknown = [], []
    with recording() as seen:
        for file, tree in trees.items():
            _run(file, tree, seen, arguments)
    for file, tree in trees.items():
        names = _assigned_names(tree)
        for call in _calls(tree):
            lines = range(call.lineno, (call.end_lineno or call.lineno) + 1)
            found = set().union(*(seen.get((file, line), ()) for line in lines))
            own = CALLS.get(_function(call))
            name = names.get(call)
            users = [ways[file], *(each for each in ways.values() if name in each["import"])]
            by = {own} if own else set().union(*(each.get(name, ()) for each in users))
            by = by or ways[file][""] or {"finditer", "fullmatch"}
            place = f"{file}:{call.lineno}"
            uses += [Use(place, *one, tuple(sorted(by))) for one in sorted(found, key=str)]
            unknown += [] if found else [place]
    return uses, unknown


@contextmanager
def recording() -> Iterator[Seen]:
    """Record the patterns that the package compiles, lazy ones not later but now."""
    seen: Seen = defaultdict(set)
    plain: Any = re
    own_compile, own_lazy_re = plain._compile, patterns.lazy_re

    def record(pattern: object, flags: int) -> re.Pattern[str]:
        frame = sys._getframe(2)
        path = Path(frame.f_code.co_filename).resolve()
        if path.is_relative_to(ROOT) and isinstance(pattern, str | bytes):
            seen[str(path.relative_to(ROOT)), frame.f_lineno].add((pattern, int(flags)))
        return own_compile(pattern, flags)

    plain._compile, patterns.lazy_re = record, re.compile
    try:
        yield seen
    finally:
        plain._compile, patterns.lazy_re = own_compile, own_lazy_re


def _ways(tree: ast.AST) -> dict[str, set[str]]:
    """Functions that a file uses with the pattern of each name; "" for all, "import" for names.

    All of them count for a name that is passed on.
    """
    ways, called = defaultdict(set), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            ways["import"] |= {alias.name for alias in node.names}
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if way := CALLS.get(node.func.attr):
            ways[""].add(way)
            if isinstance(node.func.value, ast.Name):
                called.add(node.func.value)
                ways[node.func.value.id].add(way)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called:
            ways[node.id] |= ways[""]
    return ways


def _assigned_names(tree: ast.Module) -> dict[ast.expr, str]:
    """Names of the calls that are the values of assignments of a module."""
    return {
        each.value: each.targets[0].id
        for each in tree.body
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name)
    }


def _calls(tree: ast.AST) -> list[ast.Call]:
    return [each for each in ast.walk(tree) if isinstance(each, ast.Call) and _function(each)]


def _function(call: ast.Call) -> str:
    """Name of the function of :mod:`re` that a call is of; "" for other calls."""
    text = ast.unparse(call.func)
    name = "compile" if text == "lazy_re" else text.removeprefix("re.")
    return name if name in FLAGS_AT and text != name else ""


def _run(file: str, tree: ast.AST, seen: Seen, arguments: dict[str, Any]) -> None:
    """Import a module, and run the calls that are within its functions."""
    name = file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    module = importlib.import_module(f"miolo.{name}")
    for function in ast.walk(tree):
        for call in _calls(function) if isinstance(function, ast.FunctionDef) else ():
            at, named = FLAGS_AT[_function(call)], {each.arg: each.value for each in call.keywords}
            flags = named.get("flags") or (call.args[at] if len(call.args) > at else None)
            try:
                pattern, chosen = (
                    eval(compile(ast.Expression(each), file, "eval"), vars(module)) if each else 0
                    for each in (call.args[0], flags)
                )
                seen[file, call.lineno].add((pattern, int(chosen)))
            except NameError:  # it depends on more than names of the module
                own = inspect.unwrap(getattr(module, function.name, lambda *_: None))
                for each in arguments.get(f"{file}:{function.name}", ((),)):
                    if len(inspect.signature(own).parameters) == len(each):
                        own(*each)
