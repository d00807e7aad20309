"""Feature Extractor, K-FeatureExtractor and L-Extractor: block selection by HTML features.

Source: Debnath, Mitra, Pal and Giles, *Automatic identification of informative sections of
Web pages* (IEEE TKDE 17(9), 2005), as described in the X-CEX thesis, section 3.5.3, figure 3.8.
Details that the thesis does not print are from memory of the paper. Departures are noted where
they are made, and in `docs/baselines.md`.

Features count text, text tags, lists, tables, links, objects, frames, forms, scripts and style
sheets. Content Extractor's vector begins with the same counts (X-CEX thesis, section 3.5.2).
Departures: linked text is also counted separately, and images, which the paper counts among the
objects, have a column of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from miolo.features.block_sets import (
    TAG_LISTS,
    BlockSet,
    block_set,
    owned_blocks,
    rendered_blocks,
)
from miolo.features.blocks import block_owners
from miolo.features.counts import TextCounts, count_texts
from miolo.features.links import link_mask
from miolo.features.readable import readable_texts
from miolo.renderer.page.elements import HEADINGS
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import nearest_marked
from numpy.typing import NDArray

__all__ = [
    "HTML_FEATURES",
    "FeatureBlocks",
    "FeatureOptions",
    "FeatureVerdicts",
    "LExtractor",
    "container_blocks",
    "feature_blocks",
    "html_features",
    "judge_features",
    "train_l_extractor",
]

FeatureBlocks = Literal["containers", "rendered", "tags"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

TAGS: dict[str, tuple[str, ...]] = {
    "text tags": HEADINGS,
    "lists": ("ul", "ol", "dl", "menu"),
    "tables": ("table",),
    "images": ("img", "picture", "svg", "canvas"),
    "objects": ("object", "embed", "applet", "audio", "video"),
    "frames": ("iframe", "frame"),
    "forms": ("form", "input", "select", "textarea", "button"),
    "scripts": ("script", "noscript"),
    "styles": ("style", "link"),
}

HTML_FEATURES = ("words", "linked words", "links", *TAGS)
"""Columns of `html_features`, in order."""


# Elements of running text and their parts; a list or a table belongs to the text around it.
FLOW = (
    "p h1 h2 h3 h4 h5 h6 li ul ol dl dt dd pre blockquote figure figcaption details summary "
    "center table caption tbody thead tfoot tr td th"
).split()


@dataclass(frozen=True)
class FeatureOptions:
    """Criteria by which blocks are content.

    Attributes
    ----------
    blocks
        How pages are cut; see `feature_blocks`.
    desired
        The desired feature, a column of `HTML_FEATURES`.
    linked
        Count words in links as words. By default they are a separate feature.
    threshold
        Blocks are kept if the share of the desired feature is above this.
    by_amount
        The winner is the block with the greatest product of the amount and the share of the
        desired feature. In the paper it is the block with the greatest share, which a single
        word without a tag also has.
    inside
        Also choose the kept blocks inside a chosen block.
    clusters
        K of K-means; 0 to choose only the winner.
    """

    blocks: FeatureBlocks = "containers"
    desired: str = "words"
    linked: bool = False
    threshold: float = 0.5
    by_amount: bool = True
    inside: bool = True
    clusters: int = 0

    def __post_init__(self) -> None:
        if self.desired not in HTML_FEATURES:
            raise ValueError(
                f"desired must be one of {', '.join(HTML_FEATURES)}, not {self.desired!r}"
            )
        if not 0 <= self.threshold <= 1 or self.clusters < 0:
            raise ValueError("threshold must be between 0 and 1, and clusters must not be negative")

    @classmethod
    def literal(cls) -> FeatureOptions:
        """The method as published: the paper's tags, the winner by share alone."""
        return cls("tags", linked=True, by_amount=False, inside=False)


@dataclass(frozen=True, eq=False)
class FeatureVerdicts:
    """Verdicts on b blocks.

    Attributes
    ----------
    share
        float64, shape (b,), in [0, 1]: share of the desired feature among the block's features.
    kept
        bool, shape (b,): whether the share is above the threshold.
    winner
        Index of the best block; -1 if none is kept.
    chosen
        bool, shape (b,): the winner and, if blocks are clustered, the kept blocks of its cluster.
    """

    share: FloatArray
    kept: BoolArray
    winner: int
    chosen: BoolArray


def container_blocks(snapshot: Snapshot) -> BlockSet:
    """Containers of running text, as table cells were in 2005; each text is in its nearest one.

    A container is an element that is laid out as a block and is not itself part of running text,
    as a paragraph, a list or a table is. Nodes without text are also in their nearest container.
    Time is linear in the number of nodes.
    """
    nodes = np.arange(len(snapshot))
    holds = (block_owners(snapshot) == nodes) & ~snapshot.with_tag(*FLOW)
    holds[0] = True
    texts = np.flatnonzero(readable_texts(snapshot))
    roots = np.zeros(len(snapshot), bool)
    roots[nearest_marked(snapshot.parent, holds)[texts]] = True
    return owned_blocks(snapshot, np.flatnonzero(roots))


def feature_blocks(snapshot: Snapshot, kind: FeatureBlocks = "containers") -> BlockSet:
    """Blocks of a page.

    Parameters
    ----------
    kind
        ``"containers"``: see `container_blocks`. ``"rendered"``: paragraphs, headings and
        cells as a reader sees them. ``"tags"``: elements with the paper's tags.
    """
    if kind == "containers":
        return container_blocks(snapshot)
    if kind == "rendered":
        return rendered_blocks(snapshot)
    return block_set(snapshot, TAG_LISTS["content-extractor"])


def judge_features(table: FloatArray, options: FeatureOptions | None = None) -> FeatureVerdicts:
    """Find the best block and those that are similar to it.

    Parameters
    ----------
    table
        float64, shape (b, features): features of the blocks, from `html_features`.
    options
        By default `FeatureOptions()`.
    """
    options = options or FeatureOptions()
    features = _disjoint_features(table, options.linked)
    amount, whole = features[:, HTML_FEATURES.index(options.desired)], features.sum(axis=1)
    share = np.divide(amount, whole, out=np.zeros(len(table)), where=whole > 0)
    kept = share > options.threshold
    chosen = np.zeros(len(table), bool)
    if not kept.any():
        return FeatureVerdicts(share, kept, -1, chosen)
    winner = int(np.argmax(np.where(kept, share * amount if options.by_amount else share, -1)))
    chosen[winner] = True
    if options.clusters:
        chosen[kept] = _winner_cluster(features[kept], int(kept[:winner].sum()), options.clusters)
    return FeatureVerdicts(share, kept, winner, chosen)


def _disjoint_features(table: FloatArray, linked: bool) -> FloatArray:
    """Features that do not overlap: words in links count once, as words or as linked words."""
    words, in_links = HTML_FEATURES.index("words"), HTML_FEATURES.index("linked words")
    features = table.copy()
    if linked:
        features[:, in_links] = 0
    else:
        features[:, words] -= features[:, in_links]
    return features


def _winner_cluster(features: FloatArray, winner: int, clusters: int) -> BoolArray:
    """The winner's cluster by K-means, with each feature divided by its maximum on the page."""
    from sklearn.cluster import KMeans

    scaled = features / np.maximum(features.max(axis=0), 1)
    clusters = min(clusters, len(np.unique(scaled, axis=0)))
    means = KMeans(clusters, random_state=0).set_params(n_init=10)
    labels = means.fit_predict(scaled)
    return labels == labels[winner]


@dataclass(frozen=True, eq=False)
class LExtractor:
    """A linear classifier of blocks.

    Attributes
    ----------
    center, scale
        float64, shape (features,): means and standard deviations of the logarithms of the counts.
    weights
        float64, shape (features,): weights of the standardised logarithms.
    bias
        Constant term of the weighted sum.
    """

    center: FloatArray
    scale: FloatArray
    weights: FloatArray
    bias: float

    def decide(self, table: FloatArray) -> FloatArray:
        """float64, shape (b,): decision values of the blocks, positive for content."""
        return (np.log1p(table) - self.center) / self.scale @ self.weights + self.bias

    def predict(self, table: FloatArray) -> BoolArray:
        """bool, shape (b,): which blocks are content."""
        return self.decide(table) > 0


def train_l_extractor(table: FloatArray, content: BoolArray) -> LExtractor:
    """Train a linear support vector machine on labelled blocks.

    Parameters
    ----------
    table
        float64, shape (b, features): features of the blocks, from `html_features`.
    content
        bool, shape (b,): which blocks are content.

    Raises
    ------
    ValueError
        The blocks are all content, or none is.

    Notes
    -----
    Both classes have the same total weight. Counts are replaced by their logarithms, since the
    paper does not specify how a long text is prevented from outweighing all other features.
    """
    from sklearn.svm import LinearSVC

    if len(np.unique(content)) < 2:
        raise ValueError("both content blocks and other blocks are needed for training")
    logs = np.log1p(table)
    center, scale = logs.mean(axis=0), logs.std(axis=0)
    scale[scale == 0] = 1
    machine = LinearSVC(random_state=0).set_params(dual=False, class_weight="balanced")
    machine.fit((logs - center) / scale, content)
    return LExtractor(
        center, scale, np.ravel(machine.coef_), float(np.ravel(machine.intercept_)[0])
    )


def html_features(
    snapshot: Snapshot, blocks: BlockSet, counts: TextCounts | None = None
) -> NDArray[np.float64]:
    """Count the features of a page's blocks, in time linear in its nodes.

    Parameters
    ----------
    blocks
        Its blocks. A node counts for the block that it belongs to, as does a block's root.
    counts
        Words of the page, from `count_texts`; by default those of `readable_texts`.

    Returns
    -------
    float64, shape (blocks, features), whole numbers; columns as in `HTML_FEATURES`. The word
    count includes linked words.
    """
    counts = counts or count_texts(snapshot)
    columns = [
        np.where(snapshot.is_text, counts.words, 0),
        np.where(snapshot.is_text, counts.link_words, 0),
        link_mask(snapshot),
        *(snapshot.with_tag(*tags) for tags in TAGS.values()),
    ]
    table = np.zeros((len(blocks), len(HTML_FEATURES)))
    inside = blocks.of >= 0
    for place, column in enumerate(columns):
        np.add.at(table[:, place], blocks.of[inside], column[inside])
    return table
