"""Visual block extraction: is a node divided, and into what? (VIPS, section 4.1.)

The source's thirteen rules, applied to what a browser computed:

==== ===================================================== ====================================
R1   nothing is seen in the node: cut                      the same
R2   one child, which is not a text: divide                go down to that child
R3   the root of the sub-page: divide                      each round divides its root, once
R4   all children are (virtual) texts: do not divide,      the same; alike by characters
     10 if the letters are alike, else 9
R5   a child breaks the line: divide                       texts between two such children, or
                                                           two line breaks, are one piece
R6   a child is a rule (``hr``): divide                    the rule ends a piece of text, and
                                                           its separator gains weight
R7   the children are larger than the node: divide         needless, see `miolo.models.visual.look`
R8   a child's background differs: that child is whole,    whole in its round; 6 to 8 by size
     6 to 8 by tag and size
R9   text beside blocks, and small: do not divide, 5 to 8  coherent by size: 5 to 8
R10  its largest child is small: do not divide             coherent by size: 5 to 8
R11  the sibling before was not divided: nor is this one   left out: what a node is does not
                                                           depend on the order of visits
R12  else: divide                                          in its own round, not in its parent's
R13  tables and their rows: do not divide, by tag, size    coherent by size: 6 to 9
==== ===================================================== ====================================

R12 is the main departure. Divided all at once, a column and its neighbour fall into pieces
whose gaps line up by chance: below the end of a short sidebar each gap between paragraphs
spans the page. One level of the document a round finds the columns first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...renderer.snapshot import Snapshot
from .look import Look

__all__ = ["Divider", "Piece", "size_coherence"]

# Of the page's area: below the first share a block is 8 by its size, then 7, 6, 5.
SMALL = (0.005, 0.02, 0.05, 0.1)


@dataclass(frozen=True)
class Piece:
    """A subtree, or sibling subtrees that share lines: what is not divided in a round.

    Attributes
    ----------
    start, stop
        Its nodes in document order.
    node
        The node that divides it, the only child of an only child; its first node if it
        cannot be divided.
    whole
        It cannot be divided: a text or a picture (R4).
    box
        Left, top, right, bottom of what is seen, CSS px.
    backdrop
        Its background, ``0xRRGGBBAA``.
    painted
        Its background is not that behind it.
    size, weight
        Mean font size (CSS px) and weight; zeros without text.
    even
        It has one font.
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
    """Divides the nodes of one page, each by a look at its children."""

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
        """What a piece falls into (R3, R5, R6); nothing if it is whole."""
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
        """Siblings that share lines."""
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
        """Its children that are seen at least in part; none for texts, lines and pictures."""
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
    """The least coherence that a block has by its size (R8, R9, R10, R13).

    Parameters
    ----------
    share
        Its area as a share of the page's, in [0, 1].
    tabular
        It is a table, or a part of one.
    painted
        It has a background of its own.

    Returns
    -------
    5 to 8 for small blocks, 1 for others; one more for tables and 6 at least for
    painted blocks that are small.
    """
    small = next((8 - step for step, limit in enumerate(SMALL) if share < limit), 1)
    if small == 1:
        return 1
    return max(small + tabular, 6 if painted else 1)
