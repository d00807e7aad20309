"""Convert presentation MathML to TeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...patterns import lazy_re

__all__ = ["MathElement", "to_tex"]

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
ENDS_IN_NAME = lazy_re(r"\\[A-Za-z]+\Z")


@dataclass
class MathElement:
    """An element of MathML, with its own text."""

    tag: str
    text: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[MathElement] = field(default_factory=list)


def to_tex(element: MathElement) -> str:
    """Convert an element of presentation MathML to TeX.

    >>> to_tex(MathElement("msup", children=[MathElement("mi", "e"), MathElement("mi", "π")]))
    'e^{\\\\pi}'
    """
    return _tex(element, 0)


def _tex(element: MathElement, depth: int) -> str:
    if depth > MAX_DEPTH:
        return element.text
    tag = element.tag.rpartition(":")[2]
    if tag in ("annotation", "annotation-xml", "mphantom", "none", "mprescripts"):
        return ""
    if not element.children:
        return _token(tag, element)
    inner = [_tex(child, depth + 1) for child in element.children]
    if tag == "mmultiscripts":
        return _multiscripts([child.tag for child in element.children], inner)
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
            _escape(element.attributes.get(k, d)) for k, d in (("open", "("), ("close", ")"))
        )
        return f"{left}{', '.join(inner)}{right}"
    if tag == "semantics":
        return inner[0]
    return _join(inner)


def _token(tag: str, element: MathElement) -> str:
    text = " ".join(element.text.split())
    if tag == "mspace":
        return r"\ "
    if tag in ("mtext", "ms"):
        return (
            rf"\text{{{SPECIAL.sub(lambda match: _text_command(match[0]), element.text)}}}"
            if text
            else ""
        )
    if tag in ("mi", "mo") and len(text) > 1 and text.isalpha() and text.isascii():
        return f"\\{text}" if text in FUNCTIONS else rf"\mathrm{{{text}}}"
    written = _escape(text)
    variant = VARIANTS.get(element.attributes.get("mathvariant", ""))
    # A single letter is upright only if MathML declares it; numbers and operators always are.
    if variant and written and not (variant == "mathrm" and tag != "mi"):
        return f"\\{variant}{{{written}}}"
    return written


def _text_command(character: str) -> str:
    named = {"\\": r"\textbackslash ", "^": r"\^{}", "~": r"\~{}"}
    return named.get(character, f"\\{character}")


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
