"""`TemplateModel`: a trained template detector as plain numbers, and its scores for a page.

Scores, smoothing and decision need only NumPy and Numba; scikit-learn is needed for training.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ArchiveError
from ...features.counts import Counts, count_nodes
from ...features.hashes import Hashing
from ...features.layout import LAYOUT_FEATURES, layout_features
from ...features.template import TEMPLATE_FEATURES, node_areas, template_features
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import nearest_marked, tree_arrays
from ..json_file import read_json
from .smoothing import smooth

FORMAT, VERSION = "miolo-template-model", 1

FeatureSet = Literal["report", "report-pixels", "layout"]
FEATURE_SETS: dict[FeatureSet, tuple[str, ...]] = {
    "report": TEMPLATE_FEATURES,
    "report-pixels": TEMPLATE_FEATURES,
    "layout": LAYOUT_FEATURES,
}
"""Columns of each set: the report's seven, with distances relative or in pixels, or our own."""

Decision = Literal["threshold", "region"]


@dataclass(frozen=True, eq=False)
class ScoredTree:
    """The nodes of a page that a template detector scores, as a tree of their own."""

    nodes: NDArray[np.int64]
    """int64, shape (m,): the nodes, in document order."""
    parent: NDArray[np.int64]
    """int64, shape (m,): index in `nodes` of the nearest ancestor among them, or -1."""
    area: NDArray[np.float64]
    """float64, shape (m,): CSS px²."""


@dataclass(frozen=True, eq=False)
class TemplateScores:
    """Scores of a model for a page; each array has shape (m,), over `tree.nodes`."""

    tree: ScoredTree
    """The scored nodes."""
    raw: NDArray[np.float64]
    """float64: probabilities of template."""
    smoothed: NDArray[np.float64]
    """float64: probabilities after isotonic smoothing."""
    template: NDArray[np.bool_]
    """bool: the decision."""
    content: NDArray[np.bool_]
    """bool: nodes that contain nothing but content. Ancestors of the content region are neither
    content nor template."""


@dataclass(frozen=True, eq=False)
class TemplateModel:
    """Logistic regressions for bands of areas, smoothing, and the decision."""

    features: FeatureSet
    """Feature set, a key of `FEATURE_SETS`."""
    bands: tuple[float, ...]
    """Bounds between the bands, px²."""
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    coef: NDArray[np.float64]
    """float64, shape (bands, columns): standardisation and weights."""
    intercept: NDArray[np.float64]
    """float64, shape (bands,)."""
    c: float | None = 0.01
    """Smoothing penalty for each edge between different values; None for no smoothing."""
    decision: Decision = "threshold"
    """``"threshold"``: nodes with a smoothed score of at least `threshold` are template.
    ``"region"``: the region that is most likely according to the raw scores is content; see
    `best_region`."""
    threshold: float = 0.5
    """0.5 in the report."""
    contrast: float = 0.0
    """How far a region must stand out from its page; see `best_region`."""
    provenance: dict[str, Any] = field(default_factory=dict)
    """Origin of the numbers: sites, pages, nodes, date, command, scores."""

    def judge(self, snapshot: Snapshot, counts: Counts | None = None) -> TemplateScores:
        """Score, smooth and classify the nodes of a page."""
        counts = counts or count_nodes(snapshot)
        tree = scored_tree(snapshot, counts)
        raw = self.probabilities(tree.area, feature_rows(snapshot, tree, counts, self.features))
        smoothed = self.smooth(tree.parent, raw)
        template = self.decide(tree.parent, raw, smoothed)
        content = ~template
        if self.decision == "region":
            content = region_mask(
                tree.parent, best_region(tree.parent, raw, self.contrast), above=False
            )
        return TemplateScores(tree, raw, smoothed, template, content)

    def probabilities(
        self, area: NDArray[np.float64], rows: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Probability of template of each row, float64, shape (m,)."""
        band = band_of(area, self.bands)
        standard = (rows - self.mean[band]) / self.scale[band]
        odds = (standard * self.coef[band]).sum(axis=1) + self.intercept[band]
        return 1 / (1 + np.exp(-np.clip(odds, -500, 500)))

    def smooth(self, parent: NDArray[np.int64], raw: NDArray[np.float64]) -> NDArray[np.float64]:
        """Smooth scores so that no node exceeds any of its children."""
        return raw if self.c is None else smooth(parent, raw, c=self.c)

    def decide(
        self, parent: NDArray[np.int64], raw: NDArray[np.float64], smoothed: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Which nodes are template, bool, shape (m,)."""
        if self.decision == "threshold":
            return smoothed >= self.threshold
        return ~region_mask(parent, best_region(parent, raw, self.contrast), above=True)

    def save(self, path: str | Path) -> None:
        """Write the model as JSON."""
        data = asdict(self) | {"format": FORMAT, "version": VERSION}
        data["columns"] = FEATURE_SETS[self.features]
        for name in ("mean", "scale", "coef", "intercept"):
            # Nine digits preserve every decision at half the file size.
            data[name] = [[float(f"{v:.9g}") for v in row] for row in np.atleast_2d(data[name])]
        data["intercept"] = data["intercept"][0]
        Path(path).write_text(json.dumps(data, indent=1) + "\n", "utf-8")

    @classmethod
    def load(cls, path: str | Path) -> TemplateModel:
        """Read a model.

        Raises
        ------
        ArchiveError
            The file is not a model, has another version, or its numbers are inconsistent.
        """
        return read_json(Path(path), _from_json, "template model")


@cache
def shipped_model() -> TemplateModel:
    """The model that comes with the package."""
    return TemplateModel.load(Path(__file__).with_name("template.json"))


def scored_tree(snapshot: Snapshot, counts: Counts | None = None) -> ScoredTree:
    """The nodes of a page that are in the model, each below its nearest ancestor among them."""
    area = node_areas(snapshot, counts)
    inside = area > 0
    nodes = np.flatnonzero(inside)
    above = nearest_marked(snapshot.parent, inside)[nodes]
    place = np.cumsum(inside) - 1
    return ScoredTree(nodes, np.where(above >= 0, place[above], -1), area[nodes])


def feature_rows(
    snapshot: Snapshot, tree: ScoredTree, counts: Counts, features: FeatureSet
) -> NDArray[np.float64]:
    """Features of the nodes in the model, shape (m, columns)."""
    if features == "layout":
        return layout_features(snapshot, tree.nodes, tree.parent, counts)
    distances = "pixels" if features == "report-pixels" else "relative"
    return template_features(snapshot, counts, distances=distances)[tree.nodes]


def region_mask(parent: NDArray[np.int64], root: int, *, above: bool) -> NDArray[np.bool_]:
    """bool, shape (m,): a node, its descendants and, if `above`, its ancestors; none for -1."""
    inside = np.zeros(len(parent), bool)
    if root >= 0:
        inside[root : tree_arrays(parent)[0][root]] = True
    while above and root >= 0:
        inside[root] = True
        root = int(parent[root])
    return inside


def _from_json(data: dict[str, Any]) -> TemplateModel:
    if data.get("format") != FORMAT or data.get("version") != VERSION:
        raise ArchiveError(f"not a template model of version {VERSION}")
    if data["features"] not in FEATURE_SETS or data["decision"] not in get_args(Decision):
        raise ArchiveError("unknown features or decision")
    if list(FEATURE_SETS[data["features"]]) != data["columns"]:
        raise ArchiveError("trained on other columns than this version computes")
    bands = tuple(float(bound) for bound in data["bands"])
    if not (np.isfinite(bands).all() and (np.diff(bands) > 0).all()):
        raise ArchiveError("the bands must be finite and in ascending order")
    shape = (len(bands) + 1, len(data["columns"]))
    shapes = {"mean": shape, "scale": shape, "coef": shape, "intercept": shape[:1]}
    numbers = {name: np.array(data[name], np.float64) for name in shapes}
    if any(each.shape != shapes[name] for name, each in numbers.items()):
        raise ArchiveError("its arrays have inconsistent shapes")
    c = None if data["c"] is None else float(data["c"])
    threshold, contrast = float(data["threshold"]), float(data["contrast"])
    if not all(np.isfinite(each).all() for each in numbers.values()) or not (
        (numbers["scale"] > 0).all()
        and (c is None or 0 <= c < np.inf)
        and 0 <= threshold <= 1
        and 0 <= contrast <= 1
    ):
        raise ArchiveError("a number is out of range")
    return TemplateModel(
        features=data["features"],
        bands=bands,
        **numbers,
        c=c,
        decision=data["decision"],
        threshold=threshold,
        contrast=contrast,
        provenance=dict(data["provenance"]),
    )


# The content region of a page is one node with its descendants and its ancestors.
#
# The report labels its test pages by hand in this way: the node that contains the content, its
# descendants and its ancestors are content, all other nodes are template. A region is more reliable
# than a threshold: a single node is uncertain, a region of hundreds is not.

# Scores are clipped to [SURE, 1 - SURE], so that no single node decides.
SURE = 1e-3


def best_region(
    parent: NDArray[np.integer], scores: NDArray[np.float64], contrast: float = 0.0
) -> int:
    """Root of the most likely region of content; -1 if it is more likely that all is template.

    `parent`: int, shape (m,): tree or forest in preorder. `scores`: float, shape (m,): probability
    that each node is template. `contrast`: Multiple of the page's mean log odds of content, if
    positive, that is subtracted from the log odds of every node. A page of a kind not seen in
    training may look like content everywhere; its article is the part that does so more than the
    rest. With 0, scores are used unchanged; with 1, half of every page has to be template.

    The log likelihood ratio of a region is the sum of log odds over its subtree and its
    ancestors. Both sums are computed for all nodes in one pass each. Ties go to the first node
    in document order.
    """
    sure = np.clip(scores, SURE, 1 - SURE)
    for_content = np.log((1 - sure) / sure)
    if len(scores):
        for_content -= contrast * max(0.0, float(for_content.mean()))
    below, above = for_content.tolist(), [0.0] * len(scores)
    parents = parent.tolist()
    for node in range(len(parents) - 1, -1, -1):
        if parents[node] >= 0:
            below[parents[node]] += below[node]
    for node, p in enumerate(parents):
        if p >= 0:
            above[node] = above[p] + float(for_content[p])
    total = np.add(below, above)
    best = int(np.argmax(total)) if len(total) else -1
    return best if best >= 0 and total[best] > 0 else -1


# Area bands: nodes of similar area share one classifier. Source: the report, table 5.


def area_bands(sites: Iterable[ArrayLike]) -> tuple[float, float, float]:
    """Bounds between four bands: each quartile of a site's areas, averaged over the sites.

    `sites`: For each site, the areas of its nodes that are in the model, CSS px².
    """
    quartiles = [np.quantile(np.asarray(areas, float), (0.25, 0.5, 0.75)) for areas in sites]
    first, second, third = np.mean(quartiles, axis=0).tolist()
    return first, second, third


def band_of(areas: ArrayLike, bands: tuple[float, ...]) -> NDArray[np.int64]:
    """Band of each area, int64: 0 below the first bound; the last band is unbounded."""
    return np.searchsorted(np.asarray(bands, float), np.asarray(areas, float), side="right")


# Training on labelled nodes; needs scikit-learn.


@dataclass(frozen=True, eq=False)
class SiteRows:
    """Labelled nodes of one site."""

    site: str
    area: NDArray[np.float64]
    """float64, shape (m,): CSS px²."""
    features: NDArray[np.float64]
    """float64, shape (m, columns)."""
    template: NDArray[np.bool_]
    """bool, shape (m,): the labels."""


@dataclass(frozen=True)
class TemplateSetting:
    """How a model is trained and used; see also `TemplateModel`."""

    features: FeatureSet
    hashing: Hashing
    """Hashing of the SiteLevel labels that the model is meant for."""
    bands: Literal["quartiles", "one"]
    """``"quartiles"``: four bands from the areas of the training sites, as in the report;
    ``"one"``: a single band."""
    strength: float
    """Inverse strength of the L2 penalty."""
    sites_alike: bool
    """Whether every site has the same weight regardless of its number of nodes."""
    c: float | None
    decision: Decision
    contrast: float = 0.0


REPORT = TemplateSetting("report-pixels", "structure", "quartiles", 1.0, False, 0.01, "threshold")
"""The report's setting, with the c that it recommends."""

OURS = TemplateSetting("layout", "structure", "one", 0.01, True, 0.01, "region", 0.75)
"""The recommended setting.

It was chosen on the training sites alone, each evaluated with a model trained on the others.
"""

SETTINGS = {"ours": OURS, "report": REPORT}


def train_template(sites: Sequence[SiteRows], setting: TemplateSetting) -> TemplateModel:
    """Train on the labelled nodes of some sites: logistic regressions, one for each band of areas.

    A band whose rows are all of one class predicts that class's smoothed frequency,
    (k + 1) / (m + 2) over its m rows, since no regression can be fitted there.

    Raises `ValueError`: there are no labelled nodes, or all are of one class.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    sites = [rows for rows in sites if len(rows.area)]
    if not sites:
        raise ValueError("there are no labelled nodes to train on")
    features, labels, area = (
        np.concatenate([getattr(rows, name) for rows in sites])
        for name in ("features", "template", "area")
    )
    if len(np.unique(labels)) < 2:
        raise ValueError("the labelled nodes are all template, or all content")
    weight = np.ones(len(area))
    if setting.sites_alike:
        # With the same sum for every site and a mean of 1.
        sizes = np.array([len(rows.area) for rows in sites])
        weight = np.repeat(len(area) / len(sites) / sizes, sizes)
    bands = area_bands(rows.area for rows in sites) if setting.bands == "quartiles" else ()
    shape = (len(bands) + 1, features.shape[1])
    mean, coef = np.zeros((2, *shape))
    scale, intercept = np.ones(shape), np.zeros(shape[0])
    band = band_of(area, bands)
    for number in range(shape[0]):
        rows = band == number
        positive = labels[rows]
        if len(np.unique(positive)) < 2:
            share = (positive.sum() + 1) / (len(positive) + 2)
            intercept[number] = np.log(share / (1 - share))
            continue
        scaler = StandardScaler().fit(features[rows], sample_weight=weight[rows])
        model = LogisticRegression(C=setting.strength, max_iter=2000)
        model.fit(scaler.transform(features[rows]), positive, sample_weight=weight[rows])
        mean[number], scale[number] = scaler.mean_, scaler.scale_
        coef[number], intercept[number] = model.coef_[0], np.asarray(model.intercept_)[0]
    return TemplateModel(
        features=setting.features,
        bands=bands,
        mean=mean,
        scale=scale,
        coef=coef,
        intercept=intercept,
        c=setting.c,
        decision=setting.decision,
        contrast=setting.contrast,
    )
