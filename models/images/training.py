"""Training an `AdModel` on labelled images; the only place that needs scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.images import FIELDS, PageImages
from .columns import image_columns, image_matrix
from .model import AdModel

__all__ = ["AdSetting", "LabelledImages", "train_ads", "tree_of"]


@dataclass(frozen=True, eq=False)
class LabelledImages:
    """Images of one page and what they are.

    Attributes
    ----------
    images
        The images.
    ad
        bool, shape (k,): which are advertisements.
    site
        Name of the page's site.
    """

    images: PageImages
    ad: NDArray[np.bool_]
    site: str = ""


@dataclass(frozen=True)
class AdSetting:
    """How a tree is grown.

    Attributes
    ----------
    min_count, min_sites, fields
        Which phrases count; see `image_columns`.
    min_leaf
        Training images on either side of a split, at least; C4.5's default is 2.
    pruning
        Cost-complexity parameter of CART's pruning; 0 for a tree as it grew.
    """

    min_count: int = 10
    min_sites: int = 1
    fields: tuple[str, ...] = FIELDS
    min_leaf: int = 2
    pruning: float = 0.0


def train_ads(
    pages: Sequence[LabelledImages],
    setting: AdSetting | None = None,
    provenance: dict[str, Any] | None = None,
) -> AdModel:
    """Learn a decision tree from labelled images.

    Raises
    ------
    ValueError
        There is not at least one advertisement and one other image.

    Notes
    -----
    The paper uses C4.5rules; this is CART with C4.5's criterion, the gain of information.
    C4.5 divides that gain by the split's own information, has a test for "not known" that
    sends an image down both ways with weights (here `UNKNOWN` is a number below all others),
    prunes by a pessimistic estimate of the error (here by cost and complexity), and makes
    its rules shorter than the paths that they come from. Splits of equal gain are taken in
    the order of a fixed seed.
    """
    from sklearn.tree import DecisionTreeClassifier

    setting = setting or AdSetting()
    ad = np.concatenate([page.ad for page in pages]) if pages else np.zeros(0, bool)
    if ad.all() or not ad.any():
        raise ValueError("training needs advertisements and other images")
    images = [page.images for page in pages]
    sites: dict[str, list[PageImages]] = {}
    for page in pages:
        sites.setdefault(page.site, []).append(page.images)
    columns = image_columns(sites.values(), setting.min_count, setting.min_sites, setting.fields)
    tree = DecisionTreeClassifier(
        criterion="entropy",
        min_samples_leaf=setting.min_leaf,
        ccp_alpha=setting.pruning,
        random_state=0,
    )
    tree.fit(image_matrix(images, columns).tocsc(), ad)
    return tree_of(tree, columns, provenance)


def tree_of(
    tree: Any, columns: tuple[str, ...], provenance: dict[str, Any] | None = None
) -> AdModel:
    """A fitted `DecisionTreeClassifier` of two classes as a model, with the columns it uses."""
    grown = tree.tree_
    inner = grown.children_left >= 0
    used, place = np.unique(grown.feature[inner], return_inverse=True)
    column = np.full(grown.node_count, -1, np.int32)
    column[inner] = place
    # Shares of the classes at each node, whatever version of scikit-learn wrote them.
    weight = grown.value[:, 0, :]
    ads = np.rint(weight[:, 1] / weight.sum(axis=1) * grown.n_node_samples).astype(np.int64)
    return AdModel(
        columns=tuple(columns[i] for i in used.tolist()),
        column=column,
        threshold=np.where(inner, grown.threshold, 0.0),
        left=np.where(inner, grown.children_left, -1).astype(np.int32),
        right=np.where(inner, grown.children_right, -1).astype(np.int32),
        ads=ads,
        others=grown.n_node_samples - ads,
        provenance=provenance or {},
    )
