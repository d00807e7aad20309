"""Code of a page: the elements that hold it, its text, and the name of its language."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence, Set
from functools import lru_cache

from ...patterns import lazy_re
from .nodes import Nodes

CODE_TAGS = frozenset(("pre", "listing", "xmp", "code", "table"))
"""Elements that may be code whatever their classes are."""

CODE = frozenset(
    "syntaxhighlighter crayon-pre blob-wrapper js-file-line-container codemirror-code cm-content "
    "ace_text-layer view-lines".split()
)
"""Classes of highlighters and editors that write lines as elements of their own."""

CODE_LINES = frozenset("line code-line highlight-line gatsby-highlight-code-line".split())
"""Classes of spans that are lines of code by a style sheet, which may not be loaded."""

# Classes of elements that hold line numbers in highlight.js, Prism, Pygments, Rouge, Chroma, Hexo,
# GitHub, Crayon, SyntaxHighlighter, CodeMirror, Org mode and React's highlighters.
GUTTERS = frozenset(
    "gutter linenos lineno linenodiv linenumber line-number line-numbers line-numbers-rows lnt ln "
    "hljs-ln-numbers hljs-ln-n rouge-gutter rouge-lineno blob-num blob-num-deletion "
    "blob-num-addition crayon-nums crayon-num codemirror-linenumber codemirror-gutter-wrapper "
    "react-syntax-highlighter-line-number normal special gl lines-numbers lineno-column "
    "linenr code-line-number js-line-number cm-gutters ace_gutter margin-view-overlays".split()
)
# Number of characters of a gutter that are examined: about a hundred lines.
MAX_NUMBERS = 400
NUMBERS = lazy_re(r"[\d\s.:|+-]*")

PREFIXED = lazy_re(
    r"(?:language|lang|highlight-source|mw-highlight-lang|brush|code|src)[-:]([\w+#.-]{1,30})"
)
BRUSH = lazy_re(r"brush\s*:\s*([\w+#.-]{1,30})")
FOLLOWED = frozenset(
    "highlight sourcecode hljs src syntax codehilite prettyprint syntaxhighlighter geshi "
    "blob-wrapper".split()
)
# Attributes that declare a language.
DECLARING = ("class", "data-syntaxhighlighter-params", "data-lang", "data-language", "lang")
NAME = lazy_re(r"[a-z0-9][\w+#.-]{0,29}")

LANGUAGES = frozenset(
    "abap ada apache applescript asm awk bash bat batch c c# c++ clj clojure cmake cmd coffee "
    "coffeescript console cpp cs csharp css csv cuda cython d dart diff django dockerfile "
    "elixir elm erb erlang f# fortran fsharp go golang gradle graphql groovy haml haskell hcl "
    "html http ini ipython ipython2 ipython3 java javascript jinja js json json5 jsonc jsx julia "
    "kotlin latex less lisp lua make makefile markdown mathematica matlab md mermaid nasm nginx "
    "nim nix objc objective-c ocaml octave pascal patch perl php plpgsql postgresql powershell "
    "prolog properties protobuf ps1 puppet py pycon python python2 python3 r racket rb rst ruby "
    "rust sass scala scheme scss sh shell shell-session smalltalk solidity sql svelte swift "
    "systemverilog tcl terraform tex toml ts tsx twig typescript vb vba vbnet verilog vhdl vim "
    "vue wasm xml yaml yml zig zsh".split()
)
NO_LANGUAGE = frozenset(
    "none plain plaintext text txt default undefined unknown nohighlight no-highlight highlighter "
    "auto guess line-numbers code block snippet fold wrapper container".split()
)


# Texts of buttons beside code. The name of its language is often there as well.
BUTTON = lazy_re(
    r"copy(?: code| to clipboard)?|copied!?|复制(?:代码|成功)?|複製|コピー|kopieren|copier|copiar|"
    r"копировать|view raw|raw|wrap",
    re.IGNORECASE,
)
HEADS = frozenset("h1 h2 h3 h4 h5 h6 figcaption caption dt li td th p pre code".split())
# Maximum number of elements around code that hold little else, and of characters beside it.
MAX_AROUND = 3
MAX_LABELS = 60
# Maximum number of characters of the first line of code. Elements may be nested, so that reading
# them whole would take quadratic time.
MAX_FIRST_LINE = 2000
# Highlighters put these in empty lines, which would have no height without them.
KEEPING = frozenset((" ", "\xa0", "\u200b"))
# Numbers of texts, and of characters of each, in which the indentation before a line is looked for.
MAX_INDENTATION_TEXTS, MAX_INDENTATION = 8, 200


def find_labels(nodes: Nodes) -> set[int]:
    """Text nodes beside code that name its language or are buttons."""
    labels: set[int] = set()
    texts = nodes.with_tag("#text")
    for code in nodes.with_tag("pre"):
        around, most = code, nodes.chars(code) + MAX_LABELS
        for _ in range(MAX_AROUND):
            above = nodes.parents[around]
            if above < 0 or nodes.chars(above) > most:
                break
            around = above
        before = range(bisect_left(texts, around), bisect_left(texts, code))
        after = range(bisect_left(texts, nodes.ends[code]), bisect_left(texts, nodes.ends[around]))
        beside = (texts[place] for part in (before, after) for place in part)
        labels.update(text for text in beside if _is_label(nodes, text, around))
    return labels


def _is_label(nodes: Nodes, text: int, around: int) -> bool:
    name = nodes.texts[text].strip().lower()
    if not name or not (name in LANGUAGES or name in NO_LANGUAGE or BUTTON.fullmatch(name)):
        return False
    node = nodes.parents[text]
    while node > around and nodes.tags[node] not in HEADS:
        node = nodes.parents[node]
    return node == around


def is_code(nodes: Nodes, node: int) -> bool:
    """Whether an element is a block of code."""
    tag = nodes.tags[node]
    if tag in ("pre", "listing", "xmp"):
        return True
    if tag == "code":
        first, last = nodes.blocks[node].tolist()
        if first != last or not nodes.is_block[node]:
            return first != last
        # A style sheet may make the element a block that keeps its line ends.
        has_lines = "\n" in nodes.text_of(node, MAX_FIRST_LINE).strip()
        return has_lines or nodes.first(node, "br") is not None
    classes = nodes.classes(node)
    if tag == "table":
        if "hljs-ln" in classes or "js-file-line-container" in classes:
            return True
        # The first two cells may be a line number and a line of code, as on GitHub.
        cell = nodes.first(node, "td")
        cells = [] if cell is None else [cell, min(int(nodes.end[cell]), len(nodes) - 1)]
        if any({"blob-code", "hljs-ln-code"} & set(nodes.classes(each)) for each in cells):
            return True
        return (
            any(_is_gutter(nodes, each) for each in cells[:1]) and nodes.first(node, "pre") is None
        )
    return tag == "div" and not CODE.isdisjoint(classes)


def _is_gutter(nodes: Nodes, cell: int) -> bool:
    """Whether the first cell of a table is a line number, and a line of code is beside it."""
    beside = int(nodes.end[cell])
    is_beside = beside < len(nodes) and nodes.parents[beside] == nodes.parents[cell]
    is_number = nodes.text_of(cell, MAX_NUMBERS).strip() in ("0", "1")
    return is_beside and is_number and not GUTTERS.isdisjoint(nodes.classes(cell))


def code_text(nodes: Nodes, node: int, left_out: Set[int]) -> str:
    """The text of a code element without the nodes to be left out."""
    # On many pages most nodes are highlighted code, so this loop is kept small.
    tags, texts, end, own_line = nodes.tags, nodes.texts, nodes.ends, nodes.own_line
    parts: list[str] = []
    ends: list[int] = []
    inner, stop = node + 1, end[node]
    while inner < stop:
        while ends and ends[-1] <= inner:
            ends.pop()
            _end_line(parts)
        tag = tags[inner]
        if tag == "#text":
            text, following = texts[inner], texts[inner + 1] if inner + 1 < stop else ""
            # A text may be all of a line that is written as an element of its own.
            is_alone = text in KEEPING and following[:1] in ("", "\n", "\r")
            is_empty = is_alone and (not parts or parts[-1].endswith("\n"))
            parts.append("" if is_empty else text)
        elif inner in left_out or tag in ("button", "script"):
            inner = end[inner]
            continue
        elif tag == "br":
            parts.append("\n")
        elif _is_empty_line(nodes, inner, stop):
            _end_line(parts)
            parts.append("\n")
            inner = end[inner]
            continue
        elif own_line[inner]:
            _end_line(parts)
            ends.append(end[inner])
        elif tag == "span" and not CODE_LINES.isdisjoint(nodes.classes(inner)):
            _begin_line(parts)
        inner += 1
    text = "".join(parts).replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ")
    return text.strip("\n")


def _is_empty_line(nodes: Nodes, node: int, stop: int) -> bool:
    """Whether an element is an empty line by itself, without a line break or feed after it."""
    is_row = nodes.tags[node] == "td"
    is_span = nodes.tags[node] == "span" and not CODE_LINES.isdisjoint(nodes.classes(node))
    if not (is_row or is_span or nodes.own_line[node]) or nodes.first(node, "br") is not None:
        return False
    text, after = nodes.text_of(node, 2), nodes.ends[node]
    following = nodes.texts[after] or nodes.tags[after] if after < stop else ""
    is_ended = following == "br" or following.startswith(("\n", "\r"))
    # Without a space to keep it, an empty block has no height.
    return not is_ended and (text in KEEPING or (not text and (is_row or is_span)))


def _end_line(parts: list[str]) -> None:
    if parts and not parts[-1].endswith("\n"):
        parts.append("\n")


def _begin_line(parts: list[str]) -> None:
    """End the line before a span that is a line, unless only its indentation precedes it."""
    before = "".join([part[-MAX_INDENTATION:] for part in parts[-MAX_INDENTATION_TEXTS:]])
    if before.rpartition("\n")[2].strip():
        parts.append("\n")


def language_of(nodes: Nodes, node: int, around: Sequence[int], languages: dict[int, str]) -> str:
    """The language that an element of code or its highlighter declares, or the empty string.

    `around` are its ancestors, the nearest first. Languages of elements are added to `languages`,
    since code elements share ancestors.
    """
    inside = [
        inner for inner in nodes.subtree(node)[:4] if nodes.tags[inner] in ("code", "pre", "div")
    ]
    for element in (*inside, node, *around):
        if nodes.tags[element] in ("body", "html", "article", "main"):
            break
        if element not in languages:
            written = [nodes.get(element, name) for name in DECLARING]
            languages[element] = (
                _declared_language(nodes.tags[element], *written) if any(written) else ""
            )
        if languages[element]:
            return languages[element]
    return ""


@lru_cache(maxsize=4096)
def _declared_language(tag: str, written: str, params: str, *named: str) -> str:
    """The language that the values of `DECLARING` name."""
    *declared, spoken = named
    for value in declared:
        if name := _name(value):
            return name
    # `lang` is usually a natural language, but names that of the code in GitHub's `pre`.
    if tag == "pre" and spoken.lower() in LANGUAGES:
        return spoken.lower()
    written = written.lower()
    for value in (written, params.lower()):
        if match := BRUSH.search(value):
            return _name(match[1])
    classes = written.split()
    for name in classes:
        match = PREFIXED.fullmatch(name)
        if match and (language := _name(match[1])):
            return language
    # The prefixes of Sphinx and of nbconvert.
    for prefix, _, name in (name.partition("-") for name in classes):
        if prefix in ("highlight", "hl") and name in LANGUAGES:
            return name
    if tag in ("pre", "code") or not FOLLOWED.isdisjoint(classes):
        names = (name.removeprefix("type-") for name in classes)
        return next((name for name in names if name in LANGUAGES), "")
    return ""


def _name(value: str) -> str:
    name = value.strip().lower()
    # A double underscore belongs to a generated class name such as `code-block__x1Y2z`.
    is_name = NAME.fullmatch(name) and "__" not in name
    return name if is_name and name not in NO_LANGUAGE else ""
