"""Pairs of trees of exact sizes for the benchmark of tree distances, also in the peers' forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import absent_peers  # noqa: F401
import edist.ted  # pyright: ignore[reportMissingImports]
import numpy as np
import zss  # pyright: ignore[reportMissingImports]
from apted import APTED, Config  # pyright: ignore[reportMissingImports]
from apted.helpers import Tree as AptedTree  # pyright: ignore[reportMissingImports]

__all__ = ["PEERS", "Preorder", "Tree", "template_pair", "worst_pair"]

Preorder = tuple[Sequence[int], Sequence[str]]
"""Parents and labels in document order."""

DEPTH = 24
TAGS = tuple("div span p li ul a td section".split())

# Shares of texts, and of nodes in subtrees, that differ between two pages of a template, and the
# largest size of such a subtree.
TEXTS, SUBTREES, LARGEST = 0.05, 0.02, 20


@dataclass
class Tree:
    """A labelled tree as lists of children; node 0 is the root."""

    labels: list[str] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)

    def add(self, label: str) -> int:
        """Add a node without a parent, and return its number."""
        self.labels.append(label)
        self.children.append([])
        return len(self.labels) - 1

    def preorder(self) -> Preorder:
        """Parents and labels in document order."""
        parents: list[int] = []
        labels: list[str] = []
        waiting = [(0, -1)]
        while waiting:
            node, above = waiting.pop()
            waiting.extend((child, len(labels)) for child in reversed(self.children[node]))
            parents.append(above)
            labels.append(self.labels[node])
        return parents, labels

    def sizes(self) -> list[int]:
        """Number of nodes of each subtree, for a tree numbered in document order."""
        sizes = [1] * len(self.labels)
        for node in range(len(sizes) - 1, -1, -1):
            sizes[node] += sum(sizes[child] for child in self.children[node])
        return sizes


def template_pair(size: int, chance: np.random.Generator) -> tuple[Tree, Tree]:
    """Two pages of one template, of `size` nodes each."""
    one = page(size, chance)
    two = Tree(list(one.labels), [list(row) for row in one.children])
    leaves = [node for node, row in enumerate(one.children) if not row]
    for leaf in chance.choice(leaves, round(TEXTS * len(leaves)), replace=False).tolist():
        two.labels[leaf] = text(chance)
    removed_sizes, gone = take_out(two, round(SUBTREES * size), chance)
    stay = [node for node, row in enumerate(two.children) if row and not gone[node]]
    for part in removed_sizes:
        put_in(two, int(chance.choice(stay)), page(part, chance), chance)
    return one, two


def page(size: int, chance: np.random.Generator) -> Tree:
    """A tree shaped like a page, in document order; its leaves are texts."""
    tree = Tree()
    path = [tree.add("div")]
    for _ in range(size - 1):
        node = tree.add(str(chance.choice(TAGS)))
        tree.children[path[-1]].append(node)
        path.append(node)
        while len(path) > 1 and (len(path) > DEPTH or chance.random() < 0.45):
            path.pop()
    for node, row in enumerate(tree.children):
        tree.labels[node] = tree.labels[node] if row else text(chance)
    return tree


def text(chance: np.random.Generator) -> str:
    return f'"{chance.integers(1 << 40)}'


def take_out(tree: Tree, most: int, chance: np.random.Generator) -> tuple[list[int], np.ndarray]:
    """Remove small subtrees of `most` nodes in total; returns their sizes, and what is gone."""
    parents, sizes = tree.preorder()[0], tree.sizes()
    removed_sizes, gone = [], np.zeros(len(sizes), bool)
    for node in (1 + chance.permutation(len(sizes) - 1)).tolist():
        size = sizes[node]
        if size <= min(LARGEST, most) and not gone[node : node + size].any():
            tree.children[parents[node]].remove(node)
            gone[node : node + size] = True
            removed_sizes.append(size)
            most -= size
    return removed_sizes, gone


def put_in(tree: Tree, above: int, part: Tree, chance: np.random.Generator) -> None:
    """Insert a subtree among the children of a node."""
    place = int(chance.integers(len(tree.children[above]) + 1))
    tree.children[above].insert(place, len(tree.labels))
    moved = [[child + len(tree.labels) for child in row] for row in part.children]
    tree.labels += part.labels
    tree.children += moved


def worst_pair(degree: int, levels: int) -> tuple[Tree, Tree]:
    """Complete trees with equal inner labels and different leaves, in which nothing is cut."""
    return complete(degree, levels, "one"), complete(degree, levels, "two")


def complete(degree: int, levels: int, name: str) -> Tree:
    tree, row = Tree(), [0]
    tree.add("div")
    for _ in range(levels):
        for node in row:
            tree.children[node] = [tree.add("div") for _ in range(degree)]
        row = [child for node in row for child in tree.children[node]]
    for leaf in row:
        tree.labels[leaf] = f'"{name} {leaf}'
    return tree


def edist_run(one: Preorder, two: Preorder) -> Callable[[], float]:
    (labels_one, below_one), (labels_two, below_two) = edist_form(one), edist_form(two)
    return lambda: edist.ted.standard_ted(labels_one, below_one, labels_two, below_two)


def edist_form(tree: Preorder) -> tuple[list[str], list[list[int]]]:
    parents, labels = tree
    below: list[list[int]] = [[] for _ in labels]
    for node in range(1, len(labels)):
        below[parents[node]].append(node)
    return list(labels), below


def apted_run(one: Preorder, two: Preorder) -> Callable[[], float]:
    first, second = apted_form(one), apted_form(two)
    return lambda: APTED(first, second, Config()).compute_edit_distance()


def apted_form(tree: Preorder) -> AptedTree:
    parents, labels = tree
    nodes = [AptedTree(label) for label in labels]
    for node in range(1, len(nodes)):
        nodes[parents[node]].children.append(nodes[node])
    return nodes[0]


def zss_run(one: Preorder, two: Preorder) -> Callable[[], float]:
    first, second = zss_form(one), zss_form(two)
    distance: Any = zss.simple_distance
    return lambda: distance(first, second)


def zss_form(tree: Preorder) -> zss.Node:
    parents, labels = tree
    nodes = [zss.Node(label) for label in labels]
    for node in range(1, len(nodes)):
        nodes[parents[node]].addkid(nodes[node])
    return nodes[0]


PEERS = {"edist": (edist_run, 1000), "apted": (apted_run, 300), "zss": (zss_run, 100)}
"""Other libraries, which compute the general distance, and the largest tree each can handle."""
