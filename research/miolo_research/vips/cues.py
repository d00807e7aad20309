"""Visual block extraction: whether and how a node is divided (VIPS, section 4.1).

The source's thirteen rules (left), and how they are applied to a browser's computed values (right):

==== ===================================================== ====================================
R1   the node has no visible content: drop it              the same
R2   one child, which is not a text: divide                descend to that child
R3   the root of the sub-page: divide                      each round divides its root once
R4   all children are (virtual) texts: do not divide,      the same, by the fonts of the texts
     10 if the fonts are equal, else 9
R5   a child breaks the line: divide                       texts between two such children, or
                                                           two line breaks, are one piece
R6   a child is a rule (``hr``): divide                    the rule ends a piece of text, and
                                                           its separator gains weight
R7   the children are larger than the node: divide         unneeded, see `miolo_research.vips.look`
R8   a child's background differs: that child is whole,    whole in its round; 6 to 8 by size
     6 to 8 by tag and size
R9   text beside blocks, and small: do not divide, 5 to 8  coherence by size: 5 to 8
R10  its largest child is small: do not divide             coherence by size: 5 to 8
R11  the previous sibling was not divided: do not divide   omitted: the result for a node must not
                                                           depend on the order of visits
R12  otherwise: divide                                     in its own round, not in its parent's
R13  tables and their rows: do not divide, by tag, size    coherence by size: 6 to 9
==== ===================================================== ====================================

R12 is the main departure. If a column and its neighbour are divided at once, the gaps between their
pieces line up by chance: below the end of a short sidebar, each gap between paragraphs spans the
page. Dividing one level of the document per round finds the columns first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from miolo.renderer.page.snapshot import Snapshot

from .look import Look

__all__ = ["Divider", "Piece", "size_coherence"]

# Shares of the page's area below which the coherence by size is at least 8, 7, 6 and 5.
SMALL = (0.005, 0.02, 0.05, 0.1)


@dataclass(frozen=True)
class Piece:
    """A subtree, or sibling subtrees that share lines, that is not divided in a round.

    Attributes
    ----------
    start, stop
        Its range of nodes in document order.
    node
        The node whose children divide it, found by descending through only children; the first
        node of siblings that share lines.
    whole
        Whether it cannot be divided, as a text or an image (R4).
    box
        Left, top, right, bottom of the visible content, CSS px.
    backdrop
        Its background, ``0xRRGGBBAA``.
    painted
        Whether its background differs from the one behind it.
    size, weight
        Mean font size (CSS px) and weight; zeros without text.
    even
        Whether all its texts have one font size and weight.
    """

    start: int
    stop: int
    node: int
    whole: bool
    box: tuple[float, float, float, float]
    backdrop: int
    painted: bool
    size: float
    weight: float
    even: bool


class Divider:
    """Divides the nodes of one page into pieces, each according to its children."""

    def __init__(self, snapshot: Snapshot, look: Look) -> None:
        layers = np.zeros(len(snapshot), bool)
        layers[list(look.layers)] = True
        self._parent = snapshot.parent.tolist()
        self._end = snapshot.end.tolist()
        self._seen = (look.seen & ~layers).tolist()
        self._flows = look.flows.tolist()
        self._undivided = (look.flows | look.picture | snapshot.is_text).tolist()
        self._line_break = snapshot.with_tag("br").tolist()
        self._rule = snapshot.with_tag("hr").tolist()
        self._box = look.box.tolist()
        self._backdrop = look.backdrop.tolist()
        self._letters = list(zip(look.size.tolist(), look.weight.tolist(), strict=True))
        self._even = look.even.tolist()

    def piece(self, node: int) -> Piece:
        """The subtree of a node as a piece (R1, R2, R4)."""
        start = node
        children = self._children(node)
        while len(children) == 1 and not self._flows[children[0]]:
            node = children[0]
            children = self._children(node)
        behind = self._backdrop[max(self._parent[start], 0)]
        return Piece(
            start=start,
            stop=self._end[start],
            node=node,
            whole=all(self._flows[child] for child in children),
            box=tuple(self._box[start]),
            backdrop=self._backdrop[node],
            painted=self._backdrop[node] != behind,
            size=self._letters[start][0],
            weight=self._letters[start][1],
            even=self._even[start],
        )

    def divide(self, piece: Piece) -> list[Piece]:
        """The parts of a piece (R3, R5, R6); empty if it is whole."""
        if piece.whole:
            return []
        pieces: list[Piece] = []
        run: list[int] = []
        breaks = 0
        child, stop = piece.node + 1, self._end[piece.node]
        while child < stop:
            seen, in_line = self._seen[child], self._seen[child] and self._flows[child]
            breaks = breaks + 1 if self._line_break[child] else 0 if seen else breaks
            if run and (self._rule[child] or breaks > 1 or seen > in_line):
                pieces.append(self._run(run))
                run = []
            if in_line:
                run.append(child)
            elif seen:
                pieces.append(self.piece(child))
            child = self._end[child]
        return [*pieces, self._run(run)] if run else pieces

    def _run(self, run: list[int]) -> Piece:
        """A piece of siblings that share lines."""
        left, top, right, bottom = zip(*(self._box[node] for node in run), strict=True)
        letters = [self._letters[node] for node in run if self._letters[node][0]]
        even = len(set(letters)) < 2 and all(self._even[node] for node in run)
        size, weight = letters[0] if letters else (0.0, 0.0)
        return Piece(
            start=run[0],
            stop=self._end[run[-1]],
            node=run[0],
            whole=True,
            box=(min(left), min(top), max(right), max(bottom)),
            backdrop=self._backdrop[run[0]],
            painted=False,
            size=size,
            weight=weight,
            even=even,
        )

    def _children(self, node: int) -> list[int]:
        """Children with visible content; none for texts, inline content and images."""
        if self._undivided[node]:
            return []
        children: list[int] = []
        child, stop = node + 1, self._end[node]
        while child < stop:
            if self._seen[child]:
                children.append(child)
            child = self._end[child]
        return children


def size_coherence(share: float, *, tabular: bool, painted: bool) -> int:
    """Minimum coherence of a block according to its size (R8, R9, R10, R13).

    Parameters
    ----------
    share
        Its area as a share of the page's, in [0, 1].
    tabular
        Whether it is a table or a part of one.
    painted
        Whether it has a background of its own.

    Returns
    -------
    5 to 8 for small blocks, 1 for others. Small blocks have one more if they are tabular, and at
    least 6 if they are painted.
    """
    small = next((8 - step for step, limit in enumerate(SMALL) if share < limit), 1)
    if small == 1:
        return 1
    return max(small + tabular, 6 if painted else 1)
