"""Features of a block's position in the tree, and of the blocks similar to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...renderer.page.elements import HEADINGS
from ...renderer.page.tree import subtree_sums
from ..blocks import TextBlocks
from .columns import Columns

TAGS: dict[str, tuple[str, ...]] = {
    "p": ("p",),
    "item": ("li", "dd", "dt"),
    "cell": ("td", "th", "caption"),
    "div": ("div",),
    "quote": ("blockquote",),
    "caption": ("figcaption", "figure"),
    "code": ("pre", "code"),
    "control": ("button", "label", "legend", "summary", "option"),
    "inside": ("span", "a", "strong", "em", "b", "i", "time", "small"),
    "part": ("section", "article", "main", "header", "footer", "aside", "nav", "address"),
}

# A block is prose if it has at least this many words, and less than this share of them in links.
PROSE_WORDS = 12
PROSE_LINKED = 0.4

LEVELS = 4

LARGEST = 1 << 62

CORES = (0.5, 0.8, 0.95)
"""Shares of the page's prose; the lowest element that contains such a share is a core."""


class Weights:
    """Words of each block, and words of each block of prose; both float64, shape (b,).

    Sums over subtrees have shape (n + 1,); the last entry is for node -1.

    `words`: int64, shape (b,): number of words of each block. `linked`: float64, shape (b,): share
    of each block that is in links.
    """

    def __init__(
        self, page: TextBlocks, words: NDArray[np.int64], linked: NDArray[np.float64]
    ) -> None:
        is_prose = (words >= PROSE_WORDS) & (linked < PROSE_LINKED)
        self.words = words.astype(float)
        self.linked = linked
        self.prose = np.where(is_prose, words, 0).astype(float)
        summed = {
            "words": self.words,
            "linked": self.words * linked,
            "prose": self.prose,
            "blocks": np.ones(len(page)),
            "paragraphs": is_prose.astype(float),
        }
        # The last entry is for node -1, which stands for no node.
        self.in_tree = {name: np.append(block_sums(page, of), 0) for name, of in summed.items()}

    def of(self, name: str, nodes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Sum over each node's subtree; 0 for node -1."""
        return self.in_tree[name][nodes]


def block_sums(page: TextBlocks, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64, shape (n,): integral weights of blocks, summed over each node's subtree."""
    own = np.zeros(len(page.snapshot))
    own[page.first] = weights
    return subtree_sums(np.rint(own).astype(np.int64), page.snapshot.end).astype(float)


def put_tags(columns: Columns, page: TextBlocks) -> None:
    """Add the block's own tag, its parent's tag, and the level of a heading (7 for none)."""
    snapshot, owner = page.snapshot, page.owner
    own = snapshot.tag[owner]
    above = snapshot.tag[np.maximum(snapshot.parent[owner], 0)]
    for name, tags in TAGS.items():
        named = np.array([tag in tags for tag in snapshot.tags], bool)
        columns.put("tag", **{name: named[own]})
        if name in ("div", "cell", "caption"):
            columns.put("parent_tag", **{name: named[above]})
    rank = np.full(len(snapshot.tags), len(HEADINGS) + 1)
    for level, tag in enumerate(HEADINGS, 1):
        if tag in snapshot.tags:
            rank[snapshot.tags.index(tag)] = level
    columns.put("tag", heading=rank[own], in_heading=np.minimum(rank[above], rank[own]))


def put_tree(columns: Columns, page: TextBlocks, weights: Weights) -> None:
    """Add the depth, the content of the enclosing elements, and the distance from the prose."""
    snapshot, owner = page.snapshot, page.owner
    total = max(weights.prose.sum(), 1.0)
    columns.put("tree", depth=snapshot.depth[owner])
    node = owner
    for level in range(LEVELS):
        words, prose = np.maximum(weights.of("words", node), 1), weights.of("prose", node)
        columns.put(
            f"up{level}",
            prose=prose / total,
            prose_share=prose / words,
            linked=weights.of("linked", node) / words,
            paragraphs=weights.of("paragraphs", node),
            blocks=np.log1p(weights.of("blocks", node)),
        )
        node = np.where(node >= 0, snapshot.parent[np.maximum(node, 0)], -1)
    for part in CORES:
        _put_core(columns, page, weights, part)


def _put_core(columns: Columns, page: TextBlocks, weights: Weights, part: float) -> None:
    """Add each block's position relative to the lowest element with a part of the page's prose."""
    snapshot, prose = page.snapshot, weights.in_tree["prose"]
    fits = (prose >= part * max(prose[0], 1)).nonzero()[0]
    core = int(fits[np.argmax(snapshot.depth[fits])]) if len(fits) else 0
    meeting = meeting_depth(page, core)
    stop = int(snapshot.end[core])
    inside = (page.first >= core) & (page.first < stop)
    words = weights.words * inside
    before = np.cumsum(words) - words
    texts = (inside & (weights.prose > 0)).nonzero()[0]
    order = np.arange(len(page))
    first, last = (texts[0], texts[-1]) if len(texts) else (0, len(page) - 1)
    columns.put(
        f"core{int(100 * part)}",
        out=snapshot.depth[core] - meeting,
        down=snapshot.depth[page.owner] - meeting,
        side=np.where(inside, 0, np.where(page.first < core, -1, 1)),
        at=np.where(inside, before / max(words.sum(), 1), -1),
        after_first=np.clip(order - first, -30, 30),
        before_last=np.clip(last - order, -30, 30),
    )


def meeting_depth(page: TextBlocks, node: int) -> NDArray[np.int32]:
    """int32, shape (b,): depth of the lowest common ancestor of a node and each block's owner."""
    snapshot = page.snapshot
    path = np.array([*reversed(snapshot.ancestors(node)), node])
    # The elements that contain an owner are the first of the path: begun before it, not yet ended.
    begun = np.searchsorted(path, page.owner, "right")
    ended = np.searchsorted(snapshot.end[path[::-1]], page.owner, "right")
    return np.minimum(begun, len(path) - ended).astype(np.int32) - 1


def put_groups(columns: Columns, page: TextBlocks, weights: Weights) -> dict[str, NDArray]:
    """Add features of the groups of blocks that are similar by names, by place or by look.

    For each kind of similarity int64, shape (b,): group number of each block.
    """
    snapshot, owner = page.snapshot, page.owner
    names = snapshot.attributes.column("class")
    parent = np.maximum(snapshot.parent[owner], 0)
    grand = np.maximum(snapshot.parent[parent], 0)
    great = np.maximum(snapshot.parent[grand], 0)
    tags = snapshot.tag.astype(np.int64)
    size, weight = np.round(snapshot.font_size[page.first] * 4), snapshot.font_weight[page.first]
    alike = _groups(tags[owner], names[owner], tags[parent], names[parent])
    groups = {
        "alike": alike,
        "beside": _groups(tags[owner], parent),
        "cousins": _groups(tags[owner], tags[parent], names[parent], grand),
        "look": _groups(size, weight, snapshot.color[page.first], tags[owner]),
        "parent": _groups(parent),
        "grandparent": _groups(grand),
        "article": _groups(page.article),
        "alike_nearby": _groups(alike, great),
    }
    for name in ("alike", "beside", "cousins", "look"):
        _put_group(columns, name, groups[name], weights)
    seen: dict[str, int] = {}
    same = np.array([seen.setdefault(text, len(seen)) for text in page.texts], np.int64)
    columns.put("group", repeated=np.minimum(np.bincount(same)[same], 5) if len(page) else 0)
    return groups


def _groups(*keys: NDArray) -> NDArray[np.int64]:
    """Group numbers of equal rows, whose keys are combined as the digits of one integer."""
    code, span = np.zeros(len(keys[0]), np.int64), 1
    for key in keys if len(code) else ():
        digit = key.astype(np.int64) - int(key.min())
        wide = int(digit.max()) + 1
        if span * wide > LARGEST:
            code, span = _numbers(code), len(code)
        code, span = code * wide + digit, span * wide
    return _numbers(code)


def _numbers(code: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(code, return_inverse=True)[1].reshape(-1)


def _put_group(columns: Columns, name: str, group: NDArray[np.int64], weights: Weights) -> None:
    count = np.bincount(group)
    words = np.bincount(group, weights.words)
    linked = np.bincount(group, weights.words * weights.linked)
    prose = np.bincount(group, weights.prose)
    columns.put(
        name,
        count=np.log1p(count)[group],
        words=np.log1p(words / count)[group],
        share=(words / max(words.sum(), 1))[group],
        linked=(linked / np.maximum(words, 1))[group],
        prose=(prose / max(prose.sum(), 1))[group],
    )
