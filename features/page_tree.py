"""Pages as labelled trees, for algorithms that compare trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import nearest_marked, subtree_mask
from .words import collapse

Labels = Literal["tags", "classes", "looks"]
LABELS: tuple[Labels, ...] = get_args(Labels)
"""Ways to label elements; see `page_tree`."""

# Elements that show nothing. The content of a drawing is not part of the page's structure either.
UNSHOWN = ("head", "script", "style", "template", "link", "meta", "base", "title")
DRAWINGS = ("svg",)

TEXT = '"'

# Maximum length of a label; shorter texts are compared in full.
MAX_TEXT = 2000


@dataclass(frozen=True, eq=False)
class PageTree:
    """The part of a page that shows something, as a labelled tree of k nodes."""

    nodes: NDArray[np.int32]
    """int32, shape (k,): the nodes' numbers in the snapshot, in document order."""
    parent: NDArray[np.int32]
    """int32, shape (k,): parents within the tree; -1 for the root."""
    labels: tuple[str, ...]
    """Labels of elements begin with the tag, followed by what `page_tree` was asked for. Labels of
    texts are a quotation mark and the text, white space collapsed."""

    def __len__(self) -> int:
        return len(self.nodes)


def page_tree(snapshot: Snapshot, labels: Labels = "tags") -> PageTree:
    """Tree of a page's shown elements and texts.

    `labels`: How elements are labelled. ``"tags"``: by tag, as in the RTDM dissertation.
    ``"classes"``: by tag and class attribute. ``"looks"``: by tag, font size, whether it is bold,
    and the column in which it begins, in twelfths of the viewport's width (the dissertation's
    future work), so that the same tag with two looks has two labels. Without geometry, looks are
    the same as tags.
    """
    if labels not in LABELS:
        raise ValueError(f"labels must be one of {', '.join(LABELS)}, not {labels!r}")
    kept = _shown_nodes(snapshot)
    nodes = kept.nonzero()[0].astype(np.int32)
    place = np.cumsum(kept, dtype=np.int32) - 1
    above = snapshot.parent[nodes]
    parent = np.where(above >= 0, place[above], -1).astype(np.int32)
    tags = [snapshot.tag_name(node) for node in nodes.tolist()]
    if labels == "classes":
        for node, classes in snapshot.attributes.with_attribute("class"):
            if kept[node] and classes.split():
                tags[place[node]] += "." + ".".join(sorted(classes.split()))
    elif labels == "looks" and snapshot.page.has_geometry:
        tags = [
            f"{tag} {look}" for tag, look in zip(tags, _style_columns(snapshot, nodes), strict=True)
        ]
    texts = (snapshot.text[node] for node in nodes.tolist())
    is_text = snapshot.is_text[nodes].tolist()
    return PageTree(
        nodes,
        parent,
        tuple(
            TEXT + collapse(text)[:MAX_TEXT] if written else tag
            for tag, text, written in zip(tags, texts, is_text, strict=True)
        ),
    )


def is_text_label(label: str) -> bool:
    """Whether a label is that of a text."""
    return label.startswith(TEXT)


def tag_of_label(label: str) -> str:
    """The tag of an element's label; the empty string for a text's."""
    return "" if is_text_label(label) else label.partition(" ")[0].partition(".")[0]


def text_of_label(label: str) -> str:
    """The text of a text's label; the empty string for an element's."""
    return label.removeprefix(TEXT) if is_text_label(label) else ""


def _shown_nodes(snapshot: Snapshot) -> NDArray[np.bool_]:
    dropped = snapshot.with_tag(*UNSHOWN)
    # With scripts off, a noscript is part of the page.
    dropped |= snapshot.with_tag("noscript") & ~snapshot.visible
    blank = [not text.strip() for text in snapshot.text]
    dropped |= snapshot.is_text & np.array(blank, bool)
    kept = ~subtree_mask(dropped, snapshot.end)
    kept &= nearest_marked(snapshot.parent, snapshot.with_tag(*DRAWINGS)) < 0
    kept[0] = True
    return kept


def _style_columns(snapshot: Snapshot, nodes: NDArray[np.int32]) -> list[str]:
    width = max(1, snapshot.page.viewport[0])
    columns = np.clip(12 * snapshot.box[nodes, 0] / width, -1, 12).round().astype(int)
    sizes = snapshot.font_size[nodes].round().astype(int)
    bold = snapshot.font_weight[nodes] >= 600
    rows = zip(sizes.tolist(), bold.tolist(), columns.tolist(), strict=True)
    return [f"{size}{'b' if heavy else ''}@{column}" for size, heavy, column in rows]
