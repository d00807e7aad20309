"""Features that separate template from content on one page: six kinds of features, seven columns.

Source: the template-detection report, "Treinando o classificador", after Chakrabarti,
Kumar and Punera 2007.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import subtree_sums
from .counts import Counts, count_nodes

Distances = Literal["relative", "pixels"]

TEMPLATE_FEATURES = (
    "left", "top", "links_per_word", "anchor_share", "anchor_words", "intra_share", "visible_share",
)  # fmt: skip
"""Columns of `template_features`."""

MIN_AREA = 2000.0
"""Minimum area in CSS px²; nodes with a smaller box are outside the model. Every minimum in the
report's table 5 is 2000 or slightly more, which implies this filter."""


def template_features(
    snapshot: Snapshot, counts: Counts | None = None, *, distances: Distances = "relative"
) -> NDArray[np.float64]:
    """Features of all nodes, each computed over the node's subtree.

    `distances`: ``"relative"``: relative to the size of the page, for pages of any size;
    ``"pixels"``: as in the report.

    Returns
    -------
    float64, shape (n, 7), in the order of `TEMPLATE_FEATURES`:

    0, 1. x and y of the box, in CSS px or as shares of the page's width and height;
    2. links per word (the number of links if there are no words);
    3. words in links per word, in [0, 1];
    4. words in links per link;
    5. share of links that stay on the site, in [0, 1];
    6. readable characters per character of markup.

    Notes
    -----
    Without geometry, column 0 is 0 and column 1 is the share of the document's text before the
    node: an approximation that is not in the report.
    """
    counts = counts or count_nodes(snapshot)
    text = counts.text
    markup = subtree_sums(snapshot.html_chars, snapshot.end)
    per_word = np.where(text.words > 0, _share(counts.links, text.words), counts.links)
    return np.column_stack(
        [
            *_margins(snapshot, counts, distances),
            per_word,
            _share(text.link_words, text.words),
            _share(text.link_words, counts.links),
            _share(counts.intra_links, counts.links),
            np.minimum(_share(text.chars, markup), 1.0),
        ]
    )


def node_areas(snapshot: Snapshot, counts: Counts | None = None) -> NDArray[np.float64]:
    """Areas by which nodes are sorted into bands, in CSS px²; 0 for nodes outside the model.

    The model includes elements of at least `MIN_AREA` that are painted, or that contain text
    that is read without being painted (see `readable_texts`). Without geometry, the area of an
    element is approximated as 100 px² per readable character.
    """
    chars = (counts or count_nodes(snapshot)).text.chars
    elements = ~snapshot.is_text & (snapshot.visible | (chars > 0))
    if snapshot.page.has_geometry:
        area = snapshot.box[:, 2].astype(np.float64) * snapshot.box[:, 3]
    else:
        area = 100.0 * chars
    return np.where(elements & (area >= MIN_AREA), area, 0.0)


def _margins(
    snapshot: Snapshot, counts: Counts, distances: Distances
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if not snapshot.page.has_geometry:
        # Characters of the texts before each node in the document.
        own = np.where(snapshot.is_text, counts.text.chars, 0)
        before = np.cumsum(own) - own
        return np.zeros(len(snapshot)), before / max(1, int(counts.text.chars[0]))
    left, top = snapshot.box[:, 0].astype(np.float64), snapshot.box[:, 1].astype(np.float64)
    if distances == "pixels":
        return left, top
    width, height = (max(1, side) for side in snapshot.page.page_size)
    return left / width, top / height


def _share(part: NDArray[np.int64], whole: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
