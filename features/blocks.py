"""Text blocks: the runs of text that a reader sees as one paragraph, heading or cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..renderer.snapshot import Snapshot, cached_per_snapshot
from ..renderer.tag_names import INLINE_TAGS
from ..renderer.tree import nearest_marked, subtree_mask
from .readable import readable_texts
from .words import collapse

__all__ = ["TextBlock", "block_owners", "displayed_inline", "spaced_texts", "text_blocks"]

INLINE = frozenset(
    ("inline", "contents", "inline-block", "inline-flex", "inline-grid", "ruby",
     "ruby-text", "ruby-base", "inline-table")
)  # fmt: skip


# A letter, and a quotation mark before it.
LONGEST_INITIAL = 2


@dataclass(frozen=True, eq=False)
class TextBlock:
    """One block.

    Attributes
    ----------
    owner
        The nearest element around it that is laid out as a block.
    nodes
        Its text nodes, in document order, with the space between them, painted or not.
    text
        Their text, white space collapsed; kept as it is in preformatted text.
    box
        float32, shape (4,): union of the boxes, x, y, width, height in CSS px.
    """

    owner: int
    nodes: tuple[int, ...]
    text: str
    box: NDArray[np.float32]


def displayed_inline(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes that are laid out in a line of text."""
    return np.array([name in INLINE for name in snapshot.displays], bool)[snapshot.display]


@cached_per_snapshot
def block_owners(snapshot: Snapshot) -> NDArray[np.int32]:
    """int32, shape (n,): for each node the nearest block-level element, itself included."""
    inline = displayed_inline(snapshot) | snapshot.is_text
    # The display of an element that is not laid out follows from its tag.
    inline |= (snapshot.display == 0) & snapshot.with_tag(*INLINE_TAGS)
    inline |= _formulas(snapshot)
    inline |= _initials(snapshot, ~inline & snapshot.with_tag(*INLINE_TAGS))
    inline[0] = False
    around = nearest_marked(snapshot.parent, ~inline)
    return np.where(inline, around, np.arange(len(snapshot))).astype(np.int32)


def _formulas(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): MathML, a block of its own only where it is displayed."""
    if "math" not in snapshot.tags:
        return np.zeros(len(snapshot), bool)
    math = snapshot.with_tag("math")
    displayed = np.array([name.startswith("block") for name in snapshot.displays], bool)
    return subtree_mask(math, snapshot.end) & ~(math & displayed[snapshot.display])


def _initials(snapshot: Snapshot, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool, shape (n,): floating first letters, whose word goes on in the text beside them."""
    mask = np.zeros(len(snapshot), bool)
    for node in np.flatnonzero(among & (snapshot.end - np.arange(len(snapshot)) == 2)).tolist():
        after, letter = int(snapshot.end[node]), snapshot.text[node + 1].strip()
        beside = after < len(snapshot) and snapshot.parent[after] == snapshot.parent[node]
        goes_on = beside and snapshot.text[after][:1].isalpha()
        mask[node] = goes_on and len(letter) <= LONGEST_INITIAL and letter[-1:].isalpha()
    return mask


def text_blocks(snapshot: Snapshot, texts: NDArray[np.bool_] | None = None) -> list[TextBlock]:
    """Blocks of a page in document order.

    A block ends where the text of another begins, and at two line breaks in a row, which is
    how pages without paragraphs separate them.

    Parameters
    ----------
    snapshot
        The page.
    texts
        bool, shape (n,): text nodes to take; by default `readable_texts`.
    """
    if texts is None:
        return list(_readable_blocks(snapshot))
    return _blocks(snapshot, snapshot.is_text & texts)


@cached_per_snapshot
def _readable_blocks(snapshot: Snapshot) -> tuple[TextBlock, ...]:
    return tuple(_blocks(snapshot, readable_texts(snapshot)))


@cached_per_snapshot
def spaced_texts(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): `readable_texts`, and the unpainted space between two of a block."""
    spaced = np.zeros(len(snapshot), bool)
    for block in _readable_blocks(snapshot):
        spaced[list(block.nodes)] = True
    return spaced


def _blocks(snapshot: Snapshot, chosen: NDArray[np.bool_]) -> list[TextBlock]:
    nodes = np.flatnonzero(chosen)
    if not len(nodes):
        return []
    owners = block_owners(snapshot)[nodes]
    # Line breaks between each text and the one before it.
    broken = np.diff(np.searchsorted(np.flatnonzero(snapshot.with_tag("br")), nodes), prepend=0)
    begins = (np.diff(owners, prepend=-1) != 0) | (broken > 1)
    owned, boxes = owners[begins], _unions(snapshot.box[nodes], np.flatnonzero(begins))
    keeps_space = subtree_mask(snapshot.with_tag("pre", "textarea"), snapshot.end)[owned]
    on_new_line = (broken == 1) & ~begins
    spaces, before = _spaces_within(snapshot, chosen, nodes, begins)
    nodes = np.insert(nodes, before, spaces)
    begins, on_new_line = np.insert([begins, on_new_line], before, False, axis=1)
    numbers = nodes.tolist()
    strings = [snapshot.text[node] for node in numbers]
    for place in np.flatnonzero(on_new_line).tolist():
        strings[place] = "\n" + strings[place]
    starts = np.flatnonzero(begins)
    stops = [*starts[1:].tolist(), len(nodes)]
    of_run = zip(owned.tolist(), starts.tolist(), stops, keeps_space.tolist(), boxes, strict=True)
    blocks = [
        TextBlock(
            owner,
            tuple(numbers[start:stop]),
            _show("".join(strings[start:stop]), preformatted),
            box,
        )
        for owner, start, stop, preformatted, box in of_run
    ]
    return [block for block in blocks if block.text]


def _spaces_within(
    snapshot: Snapshot,
    chosen: NDArray[np.bool_],
    nodes: NDArray[np.intp],
    begins: NDArray[np.bool_],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Texts of white space that part two chosen ones of a block without being painted.

    So it is at the end of a line, and with a line feed in preformatted text.

    Returns
    -------
    spaces, before
        Their nodes, and the place in `nodes` of the text that each stands before.
    """
    others = np.flatnonzero(snapshot.is_text & ~chosen)
    before = np.searchsorted(nodes, others)
    within = before < len(nodes)
    within[within] = ~begins[before[within]]
    owner = block_owners(snapshot)
    within[within] = owner[others[within]] == owner[nodes[before[within]]]
    others, before = others[within], before[within]
    blank = np.array([not snapshot.text[node].strip() for node in others.tolist()], bool)
    return others[blank], before[blank]


def _show(raw: str, preformatted: bool) -> str:
    return raw.strip("\n") if preformatted and raw.strip() else collapse(raw)


def _unions(boxes: NDArray[np.float32], starts: NDArray[np.intp]) -> NDArray[np.float32]:
    """Unions of runs of boxes, float32, shape (runs, 4)."""
    low = np.minimum.reduceat(boxes[:, :2], starts)
    high = np.maximum.reduceat(boxes[:, :2] + boxes[:, 2:], starts)
    return np.concatenate([low, high - low], axis=1)
