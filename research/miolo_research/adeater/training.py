"""Training an `AdModel` on labelled images; the only place that needs scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import image_columns, image_matrix
from .images import FIELDS, PageImages
from .model import AdModel

__all__ = ["AdSetting", "LabelledImages", "train_ads", "tree_of"]


@dataclass(frozen=True, eq=False)
class LabelledImages:
    """Images of one page with their labels.

    Attributes
    ----------
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
    """Parameters of tree training.

    Attributes
    ----------
    min_count, min_sites, fields
        Which phrases count; see `image_columns`.
    min_leaf
        Minimum number of training images on either side of a split; C4.5's default is 2.
    pruning
        Cost-complexity parameter of CART's pruning; 0 for no pruning.
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
        The images do not include at least one advertisement and one other image.

    Notes
    -----
    The paper uses C4.5rules; this is CART with the information gain as criterion. C4.5 divides
    the gain by the split information, sends images with an unknown value down both branches
    with weights (here `UNKNOWN` is a number below all others), prunes by a pessimistic estimate
    of the error (here by cost and complexity), and simplifies its rules beyond the paths that
    they come from. Ties between splits of equal gain are broken by a fixed seed.
    """
    from sklearn.tree import DecisionTreeClassifier

    setting = setting or AdSetting()
    ad = np.concatenate([page.ad for page in pages]) if pages else np.zeros(0, bool)
    if ad.all() or not ad.any():
        raise ValueError("training requires both advertisements and other images")
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
    """Convert a fitted two-class `DecisionTreeClassifier`, keeping only the columns it uses."""
    grown = tree.tree_
    inner = grown.children_left >= 0
    used, place = np.unique(grown.feature[inner], return_inverse=True)
    column = np.full(grown.node_count, -1, np.int32)
    column[inner] = place
    # `value` has counts or shares depending on the scikit-learn version; both give the shares.
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
