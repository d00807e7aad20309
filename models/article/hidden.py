"""Hidden minorities: text that the page hides within an article that it shows.

Decoys, error messages, names of icons and texts for screen readers are written for machines. The
panels that a reader opens are text, and so are listings of code, which pages fold, and an article
that the page shows nothing else of.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from ...features.blocks import TextBlocks
from ...patterns import lazy_re
from ...renderer.page.elements import HEADINGS, INLINE_TAGS
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import subtree_mask, subtree_sums

# Maximum number of words of a run of hidden blocks, as a share of those of the shown text, if it is
# a single block, and otherwise. Several paragraphs are rather the rest of a text.
MAX_SINGLE, MAX_SHARE = 0.5, 0.1

# Minimum number of words of a copy.
COPY_WORDS = 8

# Attributes that name the panel which a button opens.
OPENING = ("aria-controls", "data-target", "data-bs-target", "data-toggle-target", "href")

REFERENCE = lazy_re(r"[#.]?([\w:-]+)")


def hidden_minority(
    page: TextBlocks, words: NDArray[np.float64], kept: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """bool, shape (b,): hidden blocks of the text that are a minority beside its shown blocks.

    What is hidden beside copies of shown blocks, or in another language than all of these, is of
    another version, such as that for phones or a translation.
    """
    is_hidden = kept & page.hidden
    shown = float(words[kept & ~page.hidden].sum())
    if not is_hidden.any() or not shown:
        return np.zeros(len(page), bool)
    blocks = kept.nonzero()[0]
    blocks = blocks[page.hidden[blocks]]
    # Number of the run of each hidden block, between two shown blocks of the page.
    run = np.cumsum(~page.hidden)
    of = run[blocks]
    words_of, count = np.bincount(of, words[blocks]), np.bincount(of)
    few = words_of <= np.where(count == 1, MAX_SINGLE, MAX_SHARE) * shown
    texts = {page.texts[block] for block in (kept & ~page.hidden).nonzero()[0].tolist()}
    copies = [
        block
        for block in (page.hidden & (words >= COPY_WORDS)).nonzero()[0].tolist()
        if page.texts[block] in texts
    ]
    language = _languages(page.snapshot)[page.first]
    is_version = np.isin(of, run[copies])
    is_version |= ~np.isin(language[blocks], language[kept & ~page.hidden])
    minority = np.zeros(len(page), bool)
    minority[blocks] = is_version | (few[of] & ~_in_panels(page)[page.first[blocks]])
    return minority & ~page.snapshot.with_tag("pre")[page.owner]


def _languages(snapshot: Snapshot) -> NDArray[np.int64]:
    """int64, shape (n,): number of the language of each node, by the attributes around it."""
    numbers: dict[str, int] = {}
    languages = np.zeros(len(snapshot), np.int64)
    for node, value in snapshot.attributes.with_attribute("lang"):
        name = value.strip().lower()[:2]
        languages[node : snapshot.end[node]] = numbers.setdefault(name, len(numbers) + 1)
    return languages


def _in_panels(page: TextBlocks) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes in elements that a reader opens, such as tabs and accordions."""
    snapshot = page.snapshot
    panels = np.zeros(len(snapshot), bool)
    attributes = snapshot.attributes
    for node, role in attributes.with_attribute("role"):
        panels[node] |= role.strip().lower() == "tabpanel"
    for node, value in attributes.with_attribute("hidden"):
        panels[node] |= value.strip().lower() == "until-found"
    opened = {
        match[1]
        for name in OPENING
        for _, value in attributes.with_attribute(name)
        if (match := REFERENCE.fullmatch(value.strip()))
        and (name != "href" or value.lstrip().startswith("#"))
    }
    inline = snapshot.with_tag(*INLINE_TAGS)
    for node, name in attributes.with_attribute("id"):
        panels[node] |= name in opened and not inline[node]
    # An element that shows text is open, and hides what no reader opens. Links also lead to parts
    # of the page, such as its main one.
    panels &= subtree_sums(snapshot.is_text & snapshot.visible, snapshot.end) == 0
    panels |= snapshot.with_tag("details") | _beside_shown(snapshot) | _one_of_many(page)
    panels |= _below_titles(snapshot)
    return subtree_mask(panels, snapshot.end)


def _beside_shown(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): hidden elements with a shown sibling of the same tag and first class."""
    shown: defaultdict[tuple[int, int, str], bool] = defaultdict(bool)
    keys: dict[int, tuple[int, int, str]] = {}
    painted = snapshot.visible
    for node, value in snapshot.attributes.with_attribute("class"):
        if names := value.split():
            keys[node] = int(snapshot.parent[node]), int(snapshot.tag[node]), names[0]
            shown[keys[node]] |= bool(painted[node])
    beside = np.zeros(len(snapshot), bool)
    for node, key in keys.items():
        beside[node] = not painted[node] and shown[key]
    return beside


def _below_titles(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): hidden elements of a kind, each of which is just below a shown title."""
    painted, end = snapshot.visible, snapshot.end
    kinds: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    outermost = ~painted & painted[snapshot.parent] & ~snapshot.is_text
    for node in (outermost & ~snapshot.with_tag(*INLINE_TAGS)).nonzero()[0].tolist():
        names = (snapshot.attributes.get(node, "class") or "").split()
        kinds[int(snapshot.tag[node]), "".join(names[:1])].append(node)
    below = np.zeros(len(snapshot), bool)
    several = [nodes for nodes in kinds.values() if len(nodes) > 1]
    if not several:
        return below
    titles = snapshot.in_tag(*HEADINGS, "button", "dt") & painted
    chars = np.array([len(text.strip()) for text in snapshot.text]) * painted
    # Most of the text of such an element is a title.
    title = 2 * subtree_sums(chars * titles, end) > subtree_sums(chars, end)
    for nodes in several:
        below[nodes] = all(title[_sibling_before(snapshot, node)] for node in nodes)
    return below


def _sibling_before(snapshot: Snapshot, node: int) -> int:
    """The element before an element with the same parent, or that parent."""
    parent, before = snapshot.parent[node], node - 1
    while before > parent and (snapshot.is_text[before] or snapshot.parent[before] != parent):
        before = before - 1 if snapshot.is_text[before] else int(snapshot.parent[before])
    return before


def _one_of_many(page: TextBlocks) -> NDArray[np.bool_]:
    """bool, shape (n,): hidden parts of an element of equal parts that shows one of them."""
    snapshot = page.snapshot
    has_text = subtree_sums(page.chars, snapshot.end) > 0
    parts = (has_text & ~snapshot.is_text & (snapshot.parent >= 0)).nonzero()[0]
    parent, shown = snapshot.parent[parts], snapshot.visible[parts]
    size = len(snapshot)
    first = np.zeros(size, np.int64)
    first[parent[::-1]] = parts[::-1]
    differs = snapshot.tag[parts] != snapshot.tag[first[parent]]
    equal = np.bincount(parent, differs, size) == 0
    of_one = equal & (np.bincount(parent, shown, size) == 1)
    lines = snapshot.with_tag("p", "h1", "h2", "h3", "h4", "h5", "h6", *INLINE_TAGS)
    hidden = np.zeros(size, bool)
    hidden[parts] = of_one[parent] & ~shown
    return hidden & ~lines
