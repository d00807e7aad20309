"""Values that are written down in a page's scripts: JSON, and the literals of programs.

Nothing is executed. A script that is not JSON is read as a sequence of tokens, of which brackets
make lists and objects, and strings their values. Everything else of the program is skipped, so that
assignments, arguments of calls and the results of functions all yield their literals. Every step
takes time linear in the length of the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from ..patterns import lazy_re

MAX_CHARS = 4_000_000
"""Scripts beyond this total are not read."""

MAX_TOKENS = 200_000
"""Tokens of all programs of a page that are read."""

MIN_CHARS = 200
"""Shorter scripts and attributes hold no article."""

MAX_NESTED = 3
"""Levels of JSON within strings of JSON that are read."""

MAX_DEPTH = 200
"""Brackets below this depth of a program are not read."""

MAX_FAILURES = 20
"""Places of a program that look like JSON, and are not, before none is tried any more."""

SCRIPT = lazy_re(r"<(?i:script)\b([^>]*+)>")
SCRIPT_END = lazy_re(r"</(?i:script)")
SOURCE = lazy_re(r"\ssrc\s*=", re.IGNORECASE)
JSON_ATTRIBUTE = lazy_re(r"\s[\w:.-]{1,60}=([\"'])(?=\s{0,20}[\[{])")

TOKEN = lazy_re(
    r"""(?:\s++
    |"(?P<double>[^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"
    |'(?P<single>[^'\\\n]*+(?:\\.[^'\\\n]*+)*+)'
    |`(?P<template>[^`\\]*+(?:\\.[^`\\]*+)*+)`
    |//[^\n]*+ |/\*(?:[^*]|\*(?!/))*+(?:\*/)?
    |(?<=[(,=:\[!&|?{};])/(?:[^/\\\n\[]|\\.|\[(?:[^]\\\n]|\\.){0,200}+\]){1,400}+/[a-z]*+
    |(?P<open>[\[({]) |(?P<close>[])}])
    |(?P<mark>[:,;=+])
    |(?P<word>[\w$.]++)
    |["'][^\n]*+ |`[\s\S]*+
    |.
    )""",
    re.VERBOSE | re.DOTALL,
)
"""A token of a program. Strings that are not closed extend to the end of the line, or of the
program, so that no text is read twice."""

PAIRS = {")": "(", "]": "[", "}": "{"}

ESCAPE = lazy_re(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r?\n|.)", re.DOTALL)
CHARACTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
SURROGATES = lazy_re("[\ud800-\udbff][\udc00-\udfff]")

JSON_START = lazy_re(r"\{\s{0,40}\"|\[\s{0,40}[\[{\"]")
JSON = json.JSONDecoder(strict=False)

# A part of a text that scripts append to a list, as in `self.parts.push([1,"…"])`, and the list.
PUSH = lazy_re(
    r"\.push\(\s*+(?:\[\s*+\d++\s*+,\s*+)?+"
    r"(\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+')\s*+\]?+\s*+\)",
    re.DOTALL,
)
PUSHED_TO = lazy_re(r"([\w$]{1,60})[\s)\]|]{0,20}+\Z")
MAX_NAME = 80
# Ten words in a row, or a dozen letters of scripts without spaces, also with escapes: no program
# has them outside of strings and comments.
PROSE = lazy_re(
    r"(?:(?:[^\W_]|['’-]|\\u[0-9a-fA-F]{4}){1,20}+[,.;:]?+ ){10}"
    r"|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{12}"
    r"|(?:\\u[0-9a-fA-F]{4}[ ,.]?+){24}"
)
# Rows of React's serialised trees: JSON, or a text with its length in bytes.
ROW = lazy_re(r"([0-9a-f]{1,8}):(?:T([0-9a-f]{1,8}),)?", re.IGNORECASE)
REFERENCE = lazy_re(r"\$[L@]?([0-9a-f]{1,8})", re.IGNORECASE)


def script_values(html: str, having: str = "") -> list[Any]:
    """Lists, objects and strings in the scripts and attributes of a page, one for each script.

    `having`: Text, such as in a string, without which a script is not read.

    Values of `dict`, `list` and `str`, as of `json.loads`. Numbers and names that only a program
    resolves may be missing. Texts that scripts append to one list in parts are joined.

    >>> text = "one two three " * 20
    >>> script_values(f"<script>window.state={{story:{{body:'{text}'}}}}</script>")[0][0].keys()
    dict_keys(['state'])
    """
    reader = _Reader()
    pushed: dict[str, list[str]] = {}
    values = []
    for is_json, text in _scripts(html):
        if having and having not in text and ".push(" not in text:
            continue
        parts = [] if is_json else [*PUSH.finditer(text)]
        for part in parts:
            name = PUSHED_TO.search(text[max(part.start() - MAX_NAME, 0) : part.start()])
            pushed.setdefault(name[1] if name else "", []).append(_unescape(part[1][1:-1]))
        if parts:
            text = PUSH.sub("", text)
        if len(text) >= MIN_CHARS and having in text and PROSE.search(text):
            values.append(reader.read(text))
    for joined in map("".join, pushed.values()):
        if having not in joined:
            continue
        values += _rows(joined, reader) if ROW.match(joined) else [reader.read(joined)]
    return [value for value in values if value]


def _scripts(html: str) -> Iterator[tuple[bool, str]]:
    """Texts of the scripts, and of attributes that hold JSON; and whether each is all JSON."""
    room, end = MAX_CHARS, 0
    while room > 0 and (opening := SCRIPT.search(html, end)):
        closing = SCRIPT_END.search(html, opening.end())
        end = closing.start() if closing else len(html)
        text = html[opening.end() : end]
        room -= len(text)
        if text and room > 0 and not SOURCE.search(opening[1]):
            yield "json" in opening[1].lower(), text
    end = 0
    while room > 0 and (start := JSON_ATTRIBUTE.search(html, end)):
        end = html.find(start[1], start.end())
        if end < 0:
            return
        if end - start.end() >= MIN_CHARS:
            room -= end - start.end()
            yield True, unescape(html[start.end() : end])


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    plain = ESCAPE.sub(_character, text)
    # Characters beyond the first plane are written as two.
    return SURROGATES.sub(
        lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), plain
    )


def _character(escape: re.Match[str]) -> str:
    code = escape[1]
    if code[0] in "ux" and len(code) > 1:
        number = int(code[1:].strip("{}"), 16)
        return chr(number) if number <= 0x10FFFF else ""
    return "" if code[-1] == "\n" else CHARACTERS.get(code, code)


def _rows(text: str, reader: _Reader) -> list[Any]:
    """Values of the rows of a serialised tree, each in the place where it is first referred to."""
    rows: dict[str, Any] = {}
    place = 0
    while place < len(text) and (start := ROW.match(text, place)):
        if start[2]:
            # The length counts bytes; no character has more of them than its length.
            size = int(start[2], 16)
            part = text[start.end() : start.end() + size].encode("utf-8", "surrogatepass")[:size]
            value: Any = part.decode("utf-8", "ignore")
            place = start.end() + len(value)
        else:
            end = text.find("\n", start.end())
            end = len(text) if end < 0 else end
            row = text[start.end() : end]
            value = reader.read(row) if row[:1] in ("[", "{", '"') else None
            place = end + 1
        rows[start[1].lower()] = value
    return _with_references(rows)


def _with_references(rows: dict[str, Any]) -> list[Any]:
    """The rows, those that others refer to in place of the first reference."""
    placed: set[str] = set()
    roots = []
    for name, root in rows.items():
        if name in placed or root is None:
            continue
        placed.add(name)
        holder = [root]
        stack: list[Any] = [holder]
        while stack:
            container = stack.pop()
            items = container.items() if isinstance(container, dict) else enumerate(container)
            for key, value in list(items):
                if isinstance(value, str) and (found := REFERENCE.fullmatch(value)):
                    row = found[1].lower()
                    if rows.get(row) is not None and row not in placed:
                        placed.add(row)
                        container[key] = value = rows[row]
                if isinstance(value, dict | list):
                    stack.append(value)
        roots.append(holder[0])
    return roots


class _Reader:
    """Reads JSON and programs, with one limit for all of a page."""

    def __init__(self) -> None:
        self.tokens = MAX_TOKENS

    def read(self, text: str, level: int = 0) -> Any:
        """The value of JSON, or the list of the values in a program."""
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            value = self._program(text)
        if isinstance(value, list) and _is_flat(value):
            value = _hydrated(value)
        self._read_strings(value, level)
        return value

    def _read_strings(self, root: Any, level: int) -> None:
        """Replace strings that hold JSON by their values."""
        stack = [root]
        while stack and level < MAX_NESTED:
            container = stack.pop()
            if not isinstance(container, dict | list):
                continue
            items = container.items() if isinstance(container, dict) else enumerate(container)
            for key, value in list(items):
                if isinstance(value, str):
                    if len(value) >= MIN_CHARS and value.lstrip()[:1] in ("{", "["):
                        container[key] = self.read(value, level + 1) or value
                else:
                    stack.append(value)

    def _program(self, text: str) -> list[Any]:
        root: list[Any] = []
        building = _Building(root)
        failures = 0
        tokens = TOKEN.finditer(text)
        while self.tokens > 0 and (token := next(tokens, None)):
            self.tokens -= 1
            kind = token.lastgroup
            if kind == "open" and failures < MAX_FAILURES:
                # Most data of programs are JSON, which the standard library reads much faster.
                value, end = _json_at(text, token.start())
                failures += value is None
                if end - token.start() >= MIN_CHARS:
                    building.put(value)
                    tokens = TOKEN.finditer(text, end)
                    continue
            if kind is not None:
                building.add(kind, token[kind])
        building.flush()
        return root


def _json_at(text: str, place: int) -> tuple[Any, int]:
    """The JSON at a place of a program, and its end; None if what looks like JSON is not.

    Nothing that does not begin like JSON is an empty list that ends where it begins.
    """
    if not JSON_START.match(text, place):
        return [], place
    try:
        return JSON.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None, place


class _Building:
    """Lists and objects of a program that are still open, and the last value."""

    def __init__(self, root: list[Any]) -> None:
        self._open: list[tuple[str, Any]] = [("", root)]
        self._count = dict.fromkeys("([{", 0)
        self._key: str | None = None
        self._last: str | None = None
        self._is_word = self._is_sum = False

    def add(self, kind: str, text: str) -> None:
        """Add a token."""
        if kind == "open":
            self._start(text)
        elif kind == "close":
            self._end(PAIRS[text])
        elif kind == "mark":
            self._mark(text)
        elif kind == "word":
            self.flush()
            self._last, self._is_word = text, True
        else:
            value = _unescape(text)
            if self._is_sum and self._last is not None and not self._is_word:
                value = self._last + value
            else:
                self.flush()
            self._last, self._is_word, self._is_sum = value, False, False

    def put(self, value: Any) -> None:
        """Add a list or an object that was read as a whole."""
        self.flush()
        self._put(value)

    def flush(self) -> None:
        """Put the last value into its list or object. Names of a program have no value."""
        value, self._last, self._is_sum = self._last, None, False
        if value is not None and not self._is_word:
            self._put(value)

    def _put(self, value: Any) -> None:
        container = self._open[-1][1]
        key, self._key = self._key, None
        if isinstance(container, dict):
            name = f"#{len(container)}" if key is None or key in container else key
            container[name] = value
        else:
            container.append({key: value} if key is not None else value)

    def _mark(self, mark: str) -> None:
        if mark == "+":
            self._is_sum = self._last is not None and not self._is_word
        elif mark in ":=" and self._last is not None:
            # Only the last part names the value, as in `a.story.title = "…"`.
            named = self._last.rpartition(".")[2] if self._is_word else self._last
            self._key, self._last = named, None
        else:
            self.flush()
            self._key = self._key if mark == "=" else None

    def _start(self, bracket: str) -> None:
        self.flush()
        value: Any = {} if bracket == "{" else []
        if len(self._open) < MAX_DEPTH:
            self._put(value)
        self._key = None
        self._count[bracket] += 1
        self._open.append((bracket, value))

    def _end(self, bracket: str) -> None:
        self.flush()
        self._key = None
        # A bracket that closes none is skipped; a missing one is closed with those around it.
        opened = "" if self._count[bracket] else bracket
        while opened != bracket:
            opened = self._open.pop()[0]
            self._count[opened] -= 1


def _is_flat(values: list[Any]) -> bool:
    """Whether a list holds a tree whose containers refer to their values by place (devalue)."""
    if len(values) < 3 or not isinstance(values[0], dict | list):
        return False
    containers = [value for value in values if isinstance(value, dict) and value]
    return bool(containers) and all(
        isinstance(place, int) and place < len(values)
        for container in containers
        for place in container.values()
    )


def _hydrated(values: list[Any]) -> Any:
    """The tree of such a list, with each value in the first place that refers to it."""
    placed = {0}
    root = values[0]
    stack = [root]
    while stack:
        container = stack.pop()
        items = container.items() if isinstance(container, dict) else enumerate(container)
        for key, place in list(items):
            if not isinstance(place, int) or not 0 <= place < len(values):
                continue
            value = values[place]
            if isinstance(value, dict | list):
                if place in placed:
                    container[key] = None
                    continue
                placed.add(place)
                stack.append(value)
            container[key] = value
    return root
