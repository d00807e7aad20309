"""Every regular expression of the package, with its uses.

Patterns are found in two ways. Those that an import compiles are recorded while all modules are
imported. For a call of :mod:`re` in the source that no import runs, the pattern is evaluated in its
module, or the function with the call is called. Calls whose pattern is found in neither way are
returned as well, so that the test fails.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import miolo
from miolo import patterns

ROOT = Path(miolo.__file__).resolve().parent
FOLDERS = (
    "renderer", "features", "models", "output", "extract", "collect", "debug", "evaluate", "serve",
    "cli",
)  # fmt: skip
CALLS = {
    "compile": None, "search": "finditer", "finditer": "finditer", "findall": "finditer",
    "sub": "finditer", "subn": "finditer", "split": "finditer", "match": "match",
    "fullmatch": "fullmatch",
}  # fmt: skip
"""Functions of :mod:`re`, and the function that represents each: it processes the whole text."""

FLAGS_AT = dict.fromkeys(CALLS, 2) | {"compile": 1, "split": 3, "sub": 4, "subn": 4}
"""Position of the flags among the arguments."""


@dataclass(frozen=True)
class Use:
    """One pattern on one line.

    Attributes
    ----------
    place
        File and line.
    pattern, flags
        Pattern and flags, as compiled.
    ways
        Functions that use it, among "finditer", "match" and "fullmatch".
    """

    place: str
    pattern: str | bytes
    flags: int
    ways: tuple[str, ...]


@dataclass
class Source:
    """A module, and the functions that it uses patterns with.

    Attributes
    ----------
    name
        Import name.
    tree
        Its syntax tree.
    ways
        Functions that it uses with any pattern.
    ways_of
        Functions that it uses with the pattern of a name.
    passed
        Names that it uses for anything other than calling a method.
    imported
        Names that it imports from other modules.
    """

    name: str
    tree: ast.Module
    ways: set[str] = field(default_factory=set)
    ways_of: dict[str, set[str]] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)
    imported: set[str] = field(default_factory=set)

    def uses(self, name: str) -> set[str]:
        """Functions used with the pattern of a name; all of them if the name is passed on."""
        return self.ways_of.get(name, set()) | (self.ways if name in self.passed else set())


class Recorder:
    """Records the patterns that the package compiles while it is active."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, int], set[tuple[str | bytes, int]]] = {}

    def __enter__(self) -> Recorder:
        self._compile: Callable[..., re.Pattern[str]] = re._compile  # pyright: ignore
        re._compile = self._record  # pyright: ignore
        self._lazy_re, patterns.lazy_re = patterns.lazy_re, re.compile  # not later, but now
        return self

    def __exit__(self, *_: object) -> None:
        re._compile = self._compile  # pyright: ignore
        patterns.lazy_re = self._lazy_re

    def _record(self, pattern: object, flags: int) -> re.Pattern[str]:
        frame = sys._getframe(2)
        path = Path(frame.f_code.co_filename).resolve()
        if path.is_relative_to(ROOT) and isinstance(pattern, str | bytes):
            place = str(path.relative_to(ROOT)), frame.f_lineno
            self.seen.setdefault(place, set()).add((pattern, int(flags)))
        return self._compile(pattern, flags)


def package_patterns(
    arguments: dict[str, tuple[tuple[object, ...], ...]],
) -> tuple[list[Use], list[str]]:
    """Find the patterns.

    Parameters
    ----------
    arguments
        Arguments for functions that build a pattern from their arguments, by
        ``file:function``.

    Returns
    -------
    The uses, and the calls whose pattern is not known.
    """
    sources = {path: _source(path) for path in _files()}
    with Recorder() as recorder:
        for source in sources.values():
            importlib.import_module(source.name)
        for path, source in sources.items():
            _run(path, source, recorder, arguments)
    uses, unknown = [], []
    for path, source in sources.items():
        for call in _calls(source.tree):
            lines = range(call.lineno, (call.end_lineno or call.lineno) + 1)
            patterns = set().union(*(recorder.seen.get((path, line), ()) for line in lines))
            ways = _ways(sources.values(), source, call)
            uses += [Use(f"{path}:{call.lineno}", *one, ways) for one in sorted(patterns, key=str)]
            unknown += [] if patterns else [f"{path}:{call.lineno}"]
    return uses, unknown


def _files() -> list[str]:
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return [str(path.relative_to(ROOT)) for path in (*paths, ROOT / "errors.py")]


def _source(path: str) -> Source:
    name = "miolo." + path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    source = Source(name, ast.parse((ROOT / path).read_text("utf-8")))
    called = set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom):
            source.imported |= {alias.name for alias in node.names}
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if way := CALLS.get(node.func.attr):
            source.ways.add(way)
            if isinstance(node.func.value, ast.Name):
                called.add(node.func.value)
                source.ways_of.setdefault(node.func.value.id, set()).add(way)
    source.passed = {
        node.id
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called
    }
    return source


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _function(node) in CALLS:
            yield node


def _function(call: ast.Call) -> str:
    """Name of the function of :mod:`re` that a call is of; "" for other calls."""
    function = call.func
    if isinstance(function, ast.Name) and function.id == "lazy_re":
        return "compile"
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.attr if function.value.id == "re" else ""
    return ""


def _run(
    path: str,
    source: Source,
    recorder: Recorder,
    arguments: dict[str, tuple[tuple[object, ...], ...]],
) -> None:
    """Run the calls that are within functions."""
    module = importlib.import_module(source.name)
    for function in ast.walk(source.tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for call in _calls(function):
            if not _evaluate(call, module, recorder, path):
                for call_arguments in arguments.get(f"{path}:{function.name}", ((),)):
                    _call(getattr(module, function.name, None), call_arguments)


def _evaluate(call: ast.Call, module: ModuleType, recorder: Recorder, path: str) -> bool:
    """Record the pattern of a call; False if it depends on more than names of the module."""
    named = {word.arg: word.value for word in call.keywords}
    at = FLAGS_AT[_function(call)]
    flags = named.get("flags") or (call.args[at] if len(call.args) > at else None)
    try:
        pattern, chosen = (
            eval(compile(ast.Expression(node), path, "eval"), vars(module)) if node else 0
            for node in (call.args[0], flags)
        )
    except NameError:
        return False
    if not isinstance(pattern, str | bytes):
        return False
    recorder.seen.setdefault((path, call.lineno), set()).add((pattern, int(chosen)))
    return True


def _call(function: Callable[..., object] | None, arguments: tuple[object, ...]) -> None:
    if function is None:
        return
    function = inspect.unwrap(function)
    parameters = inspect.signature(function).parameters
    if len(parameters) == len(arguments):
        function(*arguments)


def _ways(sources: Iterable[Source], source: Source, call: ast.Call) -> tuple[str, ...]:
    """Functions used with the pattern of a call; all those of its file if it has no name."""
    if own := CALLS[_function(call)]:
        return (own,)
    ways: set[str] = set()
    for statement in source.tree.body:
        if isinstance(statement, ast.Assign) and statement.value is call:
            (name,) = [target.id for target in statement.targets if isinstance(target, ast.Name)]
            users = [source, *(other for other in sources if name in other.imported)]
            ways.update(*(user.uses(name) for user in users))
    return tuple(sorted(ways or source.ways or {"finditer", "fullmatch"}))
