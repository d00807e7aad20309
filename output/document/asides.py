"""Asides: notes, tips and warnings beside the text, which are written as quotations."""

from __future__ import annotations

from ...patterns import lazy_re
from .nodes import Nodes

TAGS = frozenset("div aside section details blockquote".split())

KINDS = (
    "info|information|note|tip|hint|warning|warn|danger|caution|important|attention|success|error|"
    "seealso|example|question|abstract|bug|failure|primary|secondary|default"
)
NAMED = lazy_re(
    rf"(?:\w{{1,40}}-)?(?:admonition(?:block)?|callout|alert|notice|hint)(?:[-_]{{1,2}}(?:{KINDS}))?"
)
"""Classes of asides in Sphinx, Asciidoctor, MkDocs, Docusaurus, GitHub, GitBook and Bootstrap. What
is within an aside, such as its title, has further parts in its class."""

KIND = lazy_re(KINDS)
"""Classes of the kinds of asides. Alone, they make an ``aside`` or ``details`` element one."""

OWN_TAGS = frozenset(("aside", "details"))


def find_asides(nodes: Nodes) -> set[int]:
    """Elements that are asides, without those in others."""
    asides: set[int] = set()
    end = 0
    for node, _ in nodes.with_attribute("class"):
        is_part = 2 * nodes.chars(node) <= nodes.chars(0)
        if node >= end and is_part and nodes.tags[node] in TAGS and _is_aside(nodes, node):
            asides.add(node)
            end = nodes.ends[node]
    return asides


def _is_aside(nodes: Nodes, node: int) -> bool:
    classes = nodes.classes(node)
    if any(map(NAMED.fullmatch, classes)):
        return True
    return nodes.tags[node] in OWN_TAGS and any(map(KIND.fullmatch, classes))
