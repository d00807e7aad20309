"""The record that the template-detection report keeps of a node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..renderer.markup import outer_html
from ..renderer.snapshot import Snapshot
from .counts import Counts, count_nodes
from .links import link_mask
from .readable import readable_texts
from .words import collapse

__all__ = ["NodeRecord", "node_record"]


@dataclass(frozen=True)
class NodeRecord:
    """One node as the report's data set has it (its section on data collection).

    Attributes
    ----------
    id, tag, level, parent, children
        Place in the tree; the root's parent is -1.
    x, y, width, height
        Box in CSS px.
    own_links, links
        1 for a link itself; links of the subtree.
    own_intra_links, intra_links
        The same for links to the page's own site.
    own_words, words
        Words of the node's own text; of the subtree.
    own_linked_words, linked_words
        The same for words inside links.
    anchor_text
        Text of the links of the subtree.
    text
        Readable text of the subtree, white space collapsed.
    html
        Markup of the subtree.
    """

    id: int
    tag: str
    level: int
    parent: int
    children: tuple[int, ...]
    x: float
    y: float
    width: float
    height: float
    own_links: int
    links: int
    own_intra_links: int
    intra_links: int
    own_words: int
    words: int
    own_linked_words: int
    linked_words: int
    anchor_text: str
    text: str
    html: str


def node_record(snapshot: Snapshot, node: int, counts: Counts | None = None) -> NodeRecord:
    """Record of a node.

    Parameters
    ----------
    snapshot
        The page.
    node
        Its number.
    counts
        From `count_nodes`, which is worth passing when records of many nodes are wanted.
    """
    counts = counts or count_nodes(snapshot)
    x, y, width, height = (float(value) for value in snapshot.box[node])
    texts, linked = _texts(snapshot, node)
    return NodeRecord(
        id=node,
        tag=snapshot.tag_name(node),
        level=int(snapshot.depth[node]),
        parent=int(snapshot.parent[node]),
        children=tuple(snapshot.children(node)),
        x=x,
        y=y,
        width=width,
        height=height,
        own_links=int(counts.own_links[node]),
        links=int(counts.links[node]),
        own_intra_links=int(counts.own_intra_links[node]),
        intra_links=int(counts.intra_links[node]),
        own_words=int(counts.own_words[node]),
        words=int(counts.text.words[node]),
        own_linked_words=int(counts.own_link_words[node]),
        linked_words=int(counts.text.link_words[node]),
        anchor_text=collapse(" ".join(linked)),
        text=collapse(" ".join(texts)),
        html=outer_html(snapshot, node),
    )


def _texts(snapshot: Snapshot, node: int) -> tuple[list[str], list[str]]:
    """Readable texts of a subtree, and those of them inside links."""
    stop = int(snapshot.end[node])
    readable = np.flatnonzero(readable_texts(snapshot)[node:stop]) + node
    links = link_mask(snapshot)
    covered, linked = -1, []
    above = any(links[i] for i in snapshot.ancestors(node))
    for i in range(node, stop):
        if links[i]:
            covered = max(covered, int(snapshot.end[i]))
        linked.append(above or i < covered)
    texts = [snapshot.text[i] for i in readable.tolist()]
    return texts, [snapshot.text[i] for i in readable.tolist() if linked[i - node]]
