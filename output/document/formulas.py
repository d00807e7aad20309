"""Formulas of a page as TeX, from KaTeX, MathJax, MathML, pictures, and TeX not yet typeset."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from ...patterns import lazy_re
from .document import Formula
from .nodes import Nodes

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

# Part of the addresses of scripts that typeset the TeX between delimiters in a page's text.
TYPESETTERS = lazy_re("mathjax|katex", re.IGNORECASE)

# Classes of the elements that typesetters put around a formula and its rendering.
RENDERED = frozenset(
    "katex katex-display mathjax mathjax_display mathjax_chtml mathjax_svg mathjax_preview "
    "mathjax_svg_display mathjax_chtml_display mjx-chtml mjx_assistive_mathml "
    "mwe-math-element".split()
)
# Classes of elements that hold TeX between delimiters, as written by Pandoc, Sphinx,
# Python-Markdown, Stack Exchange and our own HTML.
WRITTEN = frozenset(("math", "arithmatex", "math-container"))
HOLDERS = frozenset(("span", "div", "p"))
DISPLAYED = lazy_re(r"katex-display|mathjax\w*_display|mwe-math-element-block", re.IGNORECASE)
IMAGE_CLASSES = lazy_re(
    r"(?:^|\s)(?:mwe-math-fallback-image\S*|latex|tex|math|formula|equation)(?:\s|$)"
)
IMAGE_ADDRESSES = lazy_re(
    r"latex\.php\?|//latex\.codecogs\.com|/media/math/render|//chart\.apis\.google\.com/chart\?cht=tx"
    r"|quicklatex\.com"
)

SOURCES = ("data-latex", "data-tex", "data-formula", "data-math", "data-equation")
"""Attributes with the TeX that a script typesets."""

# A command of TeX, which the alternative text of another picture lacks.
COMMAND = lazy_re(r"(?<![^\W\d])(?<![:\\])\\[A-Za-z]+(?=[\s{}^_\\]|$)|(?<=[\s{}^_=+-])\\[A-Za-z]+")

# TeX in the address of a formula's picture.
IN_ADDRESS = lazy_re(
    r"(?:codecogs\.com/[\w.]{1,20}\?|latex\.php\?(?:.{0,200}&)?latex=|[?&]chl=)([^&]{1,4000})"
)
SIZES = lazy_re(
    r"(?:\\(?:dpi|bg|fn|fg)(?:\{\w*\}|_\w+)\s*|\\(?:inline|small|large|Large|huge)\s+)+"
)

STYLE = lazy_re(r"\{\\(?:display|text)style\s++(.*)\}", re.DOTALL)
LEADING_STYLE = lazy_re(r"\\(?:display|text)style(?![A-Za-z])\s*")
LAST_BACKSLASH = lazy_re(r"(?<!\\)((?:\\\\)*)\\\Z")
DELIMITERS = lazy_re(r"\$\$(.+)\$\$|\$(.+)\$|\\\((.+)\\\)|\\\[(.+)\\\]", re.DOTALL)

# Delimiters that begin TeX in a text, and the ones that end it.
OPENERS = lazy_re(r"\\[(\[]|\$\$?|\\begin\{(?:equation|align|gather|multline|eqnarray)\*?\}")
CLOSERS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$", "$": "$"}
DISPLAYING = ("$$", "\\[", "\\begin")
# Characters of TeX, which text between the dollars of two prices or shell variables lacks.
TEX_SIGN = lazy_re(r"[\\^_{}=<>+]|^\s*\w\s*$")

MAX_TEX = 20_000
# Maximum number of elements from the outermost one of a rendering to the one that holds its source.
MAX_WRAPPERS = 4


def find_formulas(nodes: Nodes) -> set[int]:
    """Elements that may be formulas or renderings of formulas, by their tags and classes."""
    formulas = {node for tag in ("math", "script", "mjx-container") for node in nodes.with_tag(tag)}
    formulas.update(node for node, _ in nodes.with_attribute("data-mathml"))
    holders = {node for name in SOURCES for node, tex in nodes.with_attribute(name) if is_tex(tex)}
    # A rendering whose source is not in the page is text.
    if formulas:
        formulas |= nodes.with_class(RENDERED)
    return formulas | holders | nodes.with_class(WRITTEN)


def is_tex(value: str) -> bool:
    """Whether the value of one of the `SOURCES` is TeX, and not a setting such as "inline"."""
    return TEX_SIGN.search(value) is not None


def formula_of_element(nodes: Nodes, node: int) -> Formula | None:
    """The formula that an element is or renders; None if it is not a formula.

    An empty formula stands for a rendering whose source follows it.
    """
    tag = nodes.tags[node]
    if tag == "script":
        kind = nodes.get(node, "type").lower()
        if kind.startswith("math/tex"):
            return _formula(nodes.text_of(node, MAX_TEX), "mode=display" in kind)
        return None
    if tag in HOLDERS and not WRITTEN.isdisjoint(nodes.classes(node)):
        text = nodes.text_of(node, MAX_TEX + 8).strip()
        return (
            _formula(text, text.startswith(("$$", "\\["))) if DELIMITERS.fullmatch(text) else None
        )
    has_source = nodes.has(node, "data-mathml") or _tex_source(nodes, node)
    if not _is_rendering(nodes, node) and tag != "math" and not has_source:
        return None
    if tag != "math" and _is_continued(nodes, node):
        return Formula("")
    shown = DISPLAYED.search(nodes.get(node, "class")) or nodes.get(node, "display") in (
        "true",
        "block",
    )
    return _source(nodes, node, bool(shown))


def _is_rendering(nodes: Nodes, node: int) -> bool:
    """Whether an element is a typesetter's rendering of a formula."""
    names = RENDERED.intersection(nodes.classes(node))
    if names == {"mathjax"}:
        # In lower case, the class marks a text whose formulas are to be typeset.
        names = {"MathJax"}.intersection(nodes.get(node, "class").split())
    return bool(names) or nodes.tags[node] == "mjx-container"


def _is_continued(nodes: Nodes, node: int) -> bool:
    """Whether the source of a rendering, or the rendering of a preview, directly follows."""
    after = int(nodes.end[node])
    if after >= len(nodes):
        return False
    is_preview = "mathjax_preview" in nodes.classes(node)
    if nodes.tags[after] == "script" and nodes.get(after, "type").lower().startswith("math/tex"):
        return True
    return is_preview and _is_rendering(nodes, after)


def _source(nodes: Nodes, node: int, shown: bool) -> Formula | None:
    """The formula whose source is in a subtree."""
    if (script := nodes.first(node, "script")) is not None:
        return formula_of_element(nodes, script)
    if (math := nodes.first(node, "math")) is not None:
        return _formula(_tex_of_math(nodes, math), shown or nodes.get(math, "display") == "block")
    for inner in range(node, min(int(nodes.end[node]), node + MAX_WRAPPERS)):
        if tex := _tex_source(nodes, inner):
            return _formula(tex, shown)
        if markup := nodes.get(inner, "data-mathml"):
            root = _parse(markup)
            if root is not None:
                return _formula(to_tex(root), shown or root.get("display") == "block")
    return None


def _tex_source(nodes: Nodes, node: int) -> str:
    """The TeX in an attribute of an element, or nothing."""
    return next(filter(is_tex, (nodes.get(node, name) for name in SOURCES)), "")


def formula_of_image(nodes: Nodes, node: int) -> Formula | None:
    """The formula that a picture shows, from its `alt`, or else from its `title` or address."""
    address, classes = nodes.get(node, "src"), nodes.get(node, "class").lower()
    tex = nodes.get(node, "alt").strip() or nodes.get(node, "title").strip()
    is_named = IMAGE_CLASSES.search(classes) or IMAGE_ADDRESSES.search(address)
    if not is_named and not COMMAND.search(tex):
        return None
    if not tex and (match := IN_ADDRESS.search(address)):
        tex = SIZES.sub("", unquote(match[1].replace("+", " ")))
    return _formula(tex, "-display" in classes)


def split_tex(text: str) -> Iterator[str | Formula]:
    """Split a text of a page that a script has not typeset yet into plain text and formulas.

    >>> list(split_tex(r"Let \\(x\\) be $5 or $6."))
    ['Let ', Formula(tex='x', display=False), ' be $5 or $6.']
    """
    begin = place = 0
    # The next end of each kind, cached so that it is searched for only once.
    ends: dict[str, int] = {}
    while match := OPENERS.search(text, place):
        opener, place = match[0], match.end()
        closer = CLOSERS.get(opener) or opener.replace("begin", "end")
        if ends.get(opener, -1) < place:
            end = text.find(closer, place)
            ends[opener] = end if end >= 0 else len(text) + MAX_TEX
        end = ends[opener]
        after = end + len(closer)
        if end - place >= MAX_TEX or after > len(text):
            continue
        tex = text[place:end] if opener in CLOSERS else text[match.start() : after]
        # Between single dollars, by Pandoc's rules and by `TEX_SIGN`.
        is_loose = tex.strip() != tex or text[after : after + 1].isalnum()
        if opener == "$" and (is_loose or not TEX_SIGN.search(tex)):
            continue
        if formula := _formula(tex, opener.startswith(DISPLAYING)):
            if text[begin : match.start()]:
                yield text[begin : match.start()]
            yield formula
            begin = place = after
    if text[begin:]:
        yield text[begin:]


def _formula(tex: str, display: bool) -> Formula | None:
    tex = " ".join(tex.split())[:MAX_TEX]
    if match := DELIMITERS.fullmatch(tex):
        tex = next(group for group in match.groups() if group).strip()
    if (match := STYLE.fullmatch(tex)) and _is_balanced(match[1]):
        tex = match[1].strip()
    if match := LEADING_STYLE.match(tex):
        tex = tex[match.end() :]
    # Without the space after it, a backslash at the end would escape the closing delimiter.
    tex = LAST_BACKSLASH.sub(r"\1", tex).rstrip()
    return Formula(tex, display) if tex else None


def _is_balanced(tex: str) -> bool:
    depth = 0
    for match in re.finditer(r"\\.|[{}]", tex):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth < 0:
            return False
    return depth == 0


def _tex_of_math(nodes: Nodes, node: int) -> str:
    for inner in nodes.subtree(node):
        if nodes.tags[inner] == "annotation" and "tex" in nodes.get(inner, "encoding").lower():
            return nodes.text_of(inner, MAX_TEX)
    return nodes.get(node, "alttext") or to_tex(_element_of(nodes, node))


def _element_of(nodes: Nodes, node: int) -> Element:
    """The subtree of a node as MathML elements, whose texts are all of their own text."""
    # Few pages need the parsers of XML, whose imports take up to 20 ms.
    from xml.etree.ElementTree import Element, SubElement

    root = Element(nodes.tags[node], nodes.attributes_of(node))
    opened = [(int(nodes.end[node]), root)]
    for inner in nodes.subtree(node):
        while inner >= opened[-1][0]:
            opened.pop()
        above = opened[-1][1]
        if nodes.tags[inner] == "#text":
            above.text = (above.text or "") + nodes.texts[inner]
        else:
            element = SubElement(above, nodes.tags[inner], nodes.attributes_of(inner))
            opened.append((int(nodes.end[inner]), element))
    return root


def _parse(markup: str) -> Element | None:
    """Parse the markup of a formula; None if it cannot be parsed."""
    import lxml.etree as etree

    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True)
    try:
        return etree.fromstring(markup.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None


# Presentation MathML as TeX.

# Deeper than any formula that people read.
MAX_DEPTH = 60

COMMANDS = {
    "−": "-", "×": r"\times", "÷": r"\div", "±": r"\pm", "∓": r"\mp", "⋅": r"\cdot", "·": r"\cdot",
    "∗": "*", "∘": r"\circ", "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "≈": r"\approx",
    "≡": r"\equiv", "∼": r"\sim", "≅": r"\cong", "∝": r"\propto", "≪": r"\ll", "≫": r"\gg",
    "∈": r"\in", "∉": r"\notin", "∋": r"\ni", "⊂": r"\subset", "⊆": r"\subseteq",
    "⊃": r"\supset", "⊇": r"\supseteq", "∪": r"\cup", "∩": r"\cap", "∅": r"\emptyset",
    "∖": r"\setminus", "∀": r"\forall", "∃": r"\exists", "¬": r"\neg", "∧": r"\land",
    "∨": r"\lor", "⊕": r"\oplus", "⊗": r"\otimes", "→": r"\to", "←": r"\leftarrow",
    "↔": r"\leftrightarrow", "⇒": r"\Rightarrow", "⇐": r"\Leftarrow", "⇔": r"\Leftrightarrow",
    "↦": r"\mapsto", "∞": r"\infty", "∂": r"\partial", "∇": r"\nabla", "∑": r"\sum",
    "∏": r"\prod", "∫": r"\int", "∬": r"\iint", "∮": r"\oint", "√": r"\surd", "…": r"\ldots",
    "⋯": r"\cdots", "⋮": r"\vdots", "⋱": r"\ddots", "′": "'", "″": "''", "⟨": r"\langle",
    "⟩": r"\rangle", "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil",
    "∥": r"\|", "∣": "|", "ℏ": r"\hbar", "ℓ": r"\ell", "ℜ": r"\Re", "ℑ": r"\Im", "ℵ": r"\aleph",
    "ℝ": r"\mathbb{R}", "ℕ": r"\mathbb{N}", "ℤ": r"\mathbb{Z}", "ℚ": r"\mathbb{Q}",
    "ℂ": r"\mathbb{C}", "†": r"\dagger", "⊥": r"\perp", "∠": r"\angle", "△": r"\triangle",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon",
    "ϵ": r"\epsilon", "ζ": r"\zeta", "η": r"\eta", "θ": r"\theta", "ϑ": r"\vartheta",
    "ι": r"\iota", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu", "ν": r"\nu", "ξ": r"\xi",
    "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "ς": r"\varsigma", "τ": r"\tau",
    "υ": r"\upsilon", "φ": r"\varphi", "ϕ": r"\phi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega",
    "Γ": r"\Gamma", "Δ": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda", "Ξ": r"\Xi", "Π": r"\Pi",
    "Σ": r"\Sigma", "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega", "{": r"\{", "}": r"\}",
    "%": r"\%", "#": r"\#", "$": r"\$", "&": r"\&", "_": r"\_", "\\": r"\backslash",
    "~": r"\sim", "^": r"\hat{}",
    # Invisible operators and spaces of a typesetter.
    "\u2061": "", "\u2062": "", "\u2063": "", "\u2064": "", "\u200b": "",
}  # fmt: skip

FUNCTIONS = frozenset(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf "
    "limsup ln log max min sec sin sinh sup tan tanh Pr".split()
)

OVER = {
    "^": "hat", "ˆ": "hat", "̂": "hat", "¯": "bar", "‾": "overline", "―": "overline", "~": "tilde",
    "˜": "tilde", "→": "vec", "⃗": "vec", "˙": "dot", "¨": "ddot", "⏞": "overbrace", "ˇ": "check",
}  # fmt: skip
UNDER = {"_": "underline", "¯": "underline", "‾": "underline", "⏟": "underbrace"}

# Operators that take their limits above and below by default.
WITH_LIMITS = frozenset((r"\sum", r"\prod", r"\lim", r"\max", r"\min", r"\sup", r"\inf", r"\int"))

VARIANTS = {
    "bold": "mathbf", "bold-italic": "boldsymbol", "double-struck": "mathbb", "script": "mathcal",
    "fraktur": "mathfrak", "sans-serif": "mathsf", "monospace": "mathtt", "normal": "mathrm",
}  # fmt: skip

# Characters that are special to TeX in text.
SPECIAL = lazy_re(r"[\\{}$&#%_^~]")
NAMED = {"\\": r"\textbackslash ", "^": r"\^{}", "~": r"\~{}"}
ENDS_IN_NAME = lazy_re(r"\\[A-Za-z]+\Z")


def to_tex(element: Element, depth: int = 0) -> str:
    """Convert an element of presentation MathML, of the standard library or of lxml, to TeX.

    >>> from xml.etree.ElementTree import fromstring
    >>> to_tex(fromstring("<msup><mi>e</mi><mi>π</mi></msup>"))
    'e^{\\\\pi}'
    """
    if depth > MAX_DEPTH:
        return element.text or ""
    tag = _tag(element)
    if tag in ("annotation", "annotation-xml", "mphantom", "none", "mprescripts"):
        return ""
    # Comments, and entities of lxml, have a function in place of a tag.
    children = [child for child in element if isinstance(child.tag, str)]
    if not children:
        return _token(tag, element)
    inner = [to_tex(child, depth + 1) for child in children]
    if tag == "mmultiscripts":
        return _multiscripts([_tag(child) for child in children], inner)
    if tag in _SHAPES:
        count, shape = _SHAPES[tag]
        if len(inner) == count:
            return shape(inner)
    if tag == "msqrt":
        return rf"\sqrt{{{_join(inner)}}}"
    if tag == "mtable":
        rows = r" \\ ".join(inner)
        return rf"\begin{{matrix}}{rows}\end{{matrix}}"
    if tag in ("mtr", "mlabeledtr"):
        return " & ".join(inner)
    if tag == "mfenced":
        left, right = (
            _escape(element.get(name, usual)) for name, usual in (("open", "("), ("close", ")"))
        )
        return f"{left}{', '.join(inner)}{right}"
    if tag == "semantics":
        return inner[0]
    return _join(inner)


def _tag(element: Element) -> str:
    """Tag of an element without its namespace."""
    return re.split("[}:]", element.tag)[-1]


def _token(tag: str, element: Element) -> str:
    written = element.text or ""
    text = " ".join(written.split())
    if tag == "mspace":
        return r"\ "
    if tag in ("mtext", "ms"):
        escaped = SPECIAL.sub(lambda match: NAMED.get(match[0], f"\\{match[0]}"), written)
        return rf"\text{{{escaped}}}" if text else ""
    if tag in ("mi", "mo") and len(text) > 1 and text.isalpha() and text.isascii():
        return f"\\{text}" if text in FUNCTIONS else rf"\mathrm{{{text}}}"
    written = _escape(text)
    variant = VARIANTS.get(element.get("mathvariant", ""))
    # A single letter is upright only if MathML declares it; numbers and operators always are.
    if variant and written and not (variant == "mathrm" and tag != "mi"):
        return f"\\{variant}{{{written}}}"
    return written


def _escape(text: str) -> str:
    return _join([COMMANDS.get(character, character) for character in text])


def _join(parts: Sequence[str]) -> str:
    """Join parts, with a space between the name of a command and a following letter."""
    written: list[str] = []
    named = False
    for part in filter(None, parts):
        if named and part[0].isalpha():
            written.append(" ")
        written.append(part)
        named = bool(ENDS_IN_NAME.search(part))
    return "".join(written)


def _base(text: str) -> str:
    """The base of a subscript or superscript: one letter, one command, or a group."""
    single = len(text) == 1 or ENDS_IN_NAME.fullmatch(text)
    return text if single or re.fullmatch(r"\\[a-z]+\{[^{}]*\}", text) else f"{{{text}}}"


def _over(parts: Sequence[str]) -> str:
    base, above = parts
    if base in WITH_LIMITS:
        return f"{base}^{{{above}}}"
    accent = OVER.get(_plain(above))
    return rf"\{accent}{{{base}}}" if accent else rf"\overset{{{above}}}{{{base}}}"


def _under(parts: Sequence[str]) -> str:
    base, below = parts
    if base in WITH_LIMITS:
        return f"{base}_{{{below}}}"
    accent = UNDER.get(_plain(below))
    return rf"\{accent}{{{base}}}" if accent else rf"\underset{{{below}}}{{{base}}}"


def _plain(written: str) -> str:
    """The character that a command stands for."""
    named = {r"\to": "→", r"\hat{}": "^", r"\sim": "~", r"\_": "_"}
    return named.get(written, written)


def _under_over(parts: Sequence[str]) -> str:
    base, below, above = parts
    if base in WITH_LIMITS:
        return f"{base}_{{{below}}}^{{{above}}}"
    return _over((_under((base, below)), above))


def _multiscripts(tags: Sequence[str], parts: Sequence[str]) -> str:
    """A base with pairs of subscripts and superscripts after it, then with those before it."""
    middle = tags.index("mprescripts") if "mprescripts" in tags else len(tags)
    before, after = _scripts(parts[middle + 1 :]), _scripts(parts[1:middle])
    return (f"{{}}{before}" if before else "") + _base(parts[0]) + after


def _scripts(parts: Sequence[str]) -> str:
    subs, sups = " ".join(filter(None, parts[::2])), " ".join(filter(None, parts[1::2]))
    return (f"_{{{subs}}}" if subs else "") + (f"^{{{sups}}}" if sups else "")


_SHAPES = {
    "mfrac": (2, lambda p: rf"\frac{{{p[0]}}}{{{p[1]}}}"),
    "msup": (2, lambda p: f"{_base(p[0])}^{{{p[1]}}}" if p[1].strip("'") else p[0] + p[1]),
    "msub": (2, lambda p: f"{_base(p[0])}_{{{p[1]}}}"),
    "msubsup": (3, lambda p: f"{_base(p[0])}_{{{p[1]}}}^{{{p[2]}}}"),
    "mover": (2, _over),
    "munder": (2, _under),
    "munderover": (3, _under_over),
    "mroot": (2, lambda p: rf"\sqrt[{p[1]}]{{{p[0]}}}"),
}
"""For elements with a fixed number of children: this number, and a writer from their TeX."""
