"""`AdModel`: a trained decision tree that recognises advertisements, stored as plain numbers.

Source: Kushmerick 1999, who learned the rules with C4.5. Prediction needs only NumPy and SciPy;
scikit-learn is needed for training.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from miolo.errors import ArchiveError
from miolo.models.json_file import read_json
from numpy.typing import NDArray

from .columns import image_matrix
from .images import FIELDS, NUMBERS, UNKNOWN, PageImages

__all__ = ["AdModel", "AdVerdict", "Condition", "path_conditions", "rule_text", "shipped_ad_model"]

FORMAT, VERSION = "miolo-adeater-model", 1


@dataclass(frozen=True, eq=False)
class AdVerdict:
    """Verdicts of a model on k images; each array has shape (k,).

    Attributes
    ----------
    leaf
        int32: the leaf that decided.
    share
        float64, in [0, 1]: share of advertisements among the training images of that leaf.
    ad
        bool: the decision.
    """

    leaf: NDArray[np.int32]
    share: NDArray[np.float64]
    ad: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class AdModel:
    """A binary decision tree of t nodes; node 0 is the root, children follow their parent.

    Attributes
    ----------
    columns
        Columns that the tree tests; see `miolo_research.adeater.columns`.
    column
        int32, shape (t,): index into `columns`; -1 for a leaf.
    threshold
        float64, shape (t,): images with a value of at most this go left; 0 for a leaf.
    left, right
        int32, shape (t,): children; -1 for a leaf.
    ads, others
        int64, shape (t,): number of training images that reached the node, by label.
    provenance
        Origin of the numbers: pages, images, date, command, scores.
    """

    columns: tuple[str, ...]
    column: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    ads: NDArray[np.int64]
    others: NDArray[np.int64]
    provenance: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.column)

    def __repr__(self) -> str:
        return f"<AdModel of {int((self.column < 0).sum())} rules>"

    def judge(self, images: PageImages) -> AdVerdict:
        """Classify the images of a page, linked or not."""
        return self.judge_rows(image_matrix([images], self.columns).toarray())

    def judge_rows(self, rows: NDArray[np.float32]) -> AdVerdict:
        """Classify rows of numbers, float32, shape (k, columns)."""
        leaf = np.zeros(len(rows), np.int32)
        going = np.flatnonzero(self.column[leaf] >= 0)
        while len(going):
            node = leaf[going]
            small = rows[going, self.column[node]] <= self.threshold[node]
            leaf[going] = np.where(small, self.left[node], self.right[node])
            going = going[self.column[leaf[going]] >= 0]
        share = self.ads[leaf] / (self.ads[leaf] + self.others[leaf])
        # As in scikit-learn, ties go to the first class, which is not an advertisement.
        return AdVerdict(leaf, share, share > 0.5)

    def rule(self, leaf: int) -> str:
        """The rule of a leaf in words, with the number of times it was right in training."""
        conditions = rule_text(path_conditions(self._path(leaf)))
        ads, others = int(self.ads[leaf]), int(self.others[leaf])
        outcome = "an advertisement" if ads > others else "not an advertisement"
        right = max(ads, others)
        return (
            f"rule {leaf}: {conditions}: {outcome}, as were {right} of {ads + others} training "
            "images"
        )

    def rules(self) -> list[str]:
        """All rules, those for advertisements first, then by descending training counts."""
        leaves = np.flatnonzero(self.column < 0).tolist()
        leaves.sort(key=lambda n: (self.ads[n] <= self.others[n], -self.ads[n], -self.others[n]))
        return [self.rule(leaf) for leaf in leaves]

    def _path(self, leaf: int) -> list[tuple[str, float, bool]]:
        above = np.full(len(self), -1)
        inner = np.flatnonzero(self.column >= 0)
        above[self.left[inner]] = above[self.right[inner]] = inner
        path, node = [], leaf
        while (parent := int(above[node])) >= 0:
            column = self.columns[self.column[parent]]
            path.append((column, float(self.threshold[parent]), int(self.right[parent]) == node))
            node = parent
        return path[::-1]

    def save(self, path: str | Path) -> None:
        """Write the model as JSON."""
        data = {"format": FORMAT, "version": VERSION, **asdict(self)}
        for name, value in data.items():
            if isinstance(value, np.ndarray):
                data[name] = value.tolist()
        lines = ",\n".join(f" {json.dumps(k)}: {_json(v)}" for k, v in data.items())
        Path(path).write_text(f"{{\n{lines}\n}}\n", "utf-8")

    @classmethod
    def load(cls, path: str | Path) -> AdModel:
        """Read a model.

        Raises
        ------
        ArchiveError
            The file is not a model, has another version, or its numbers are inconsistent.
        """
        return read_json(Path(path), _from_json, "advertisement model")


@cache
def shipped_ad_model() -> AdModel:
    """The model that comes with the package."""
    return AdModel.load(Path(__file__).with_name("adeater.json"))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, dict) else None)


def _from_json(data: dict[str, Any]) -> AdModel:
    if data["format"] != FORMAT or data["version"] != VERSION:
        raise ArchiveError(f"not an advertisement model of version {VERSION}")
    columns = tuple(str(column) for column in data["columns"])
    if any(c not in NUMBERS and c.partition(":")[0] not in FIELDS for c in columns):
        raise ArchiveError("trained on other columns than this version computes")
    model = AdModel(
        columns=columns,
        column=_whole(data["column"], np.int32),
        threshold=np.array(data["threshold"], np.float64),
        left=_whole(data["left"], np.int32),
        right=_whole(data["right"], np.int32),
        ads=_whole(data["ads"], np.int64),
        others=_whole(data["others"], np.int64),
        provenance=dict(data["provenance"]),
    )
    _check(model)
    return model


def _whole(value: Any, kind: type[np.integer]) -> NDArray[Any]:
    array = np.array(value, np.float64)
    if array.ndim != 1 or not np.array_equal(array, np.rint(array)):
        raise ArchiveError("numbers are missing or not integers")
    return array.astype(kind)


def _check(model: AdModel) -> None:
    size = len(model)
    arrays = (model.threshold, model.left, model.right, model.ads, model.others)
    if not size or any(array.shape != (size,) for array in arrays):
        raise ArchiveError("its arrays differ in length")
    inner = np.flatnonzero(model.column >= 0)
    children = np.concatenate([model.left[inner], model.right[inner]])
    # Children follow their parent and have only one: prediction terminates, and paths are unique.
    after = (children > np.concatenate([inner, inner])) & (children < size)
    if not after.all() or len(np.unique(children)) != len(children):
        raise ArchiveError("its nodes do not form a tree")
    if (model.column >= len(model.columns)).any() or not np.isfinite(model.threshold).all():
        raise ArchiveError("a column or a threshold is out of range")
    if (model.ads < 0).any() or (model.others < 0).any() or (model.ads + model.others < 1).any():
        raise ArchiveError("a node has no training images")


# Paths of a decision tree as human-readable rules.
#
# A path may test one number or phrase several times; its rule states the combined bounds once.
# C4.5rules (Quinlan 1993, chapter 5) goes further: it drops conditions as long as a pessimistic
# estimate of the error does not grow, so that rules no longer correspond to paths. Here every
# image is decided by exactly one path, and the rule is that path.

Condition = tuple[str, float, float]
"""A column with the bounds of its value: above the first, at most the second."""

MEASURES = NUMBERS[:3]

# Maximum negative conditions in a rule's text. They explain little, and a long path has dozens.
MAX_ABSENT = 3


def path_conditions(path: Sequence[tuple[str, float, bool]]) -> list[Condition]:
    """Conditions of a path from the root, one for each column, in the order of first use.

    Parameters
    ----------
    path
        Column, threshold, and whether the path continues with greater values.
    """
    bounds: dict[str, tuple[float, float]] = {}
    for column, threshold, greater in path:
        low, high = bounds.get(column, (float("-inf"), float("inf")))
        bounds[column] = (max(low, threshold), high) if greater else (low, min(high, threshold))
    return [(column, low, high) for column, (low, high) in bounds.items()]


def rule_text(conditions: Sequence[Condition]) -> str:
    """A rule in words: what an image has, then what it lacks."""
    present, absent = [], []
    for column, low, high in conditions:
        if column in MEASURES:
            present.append(_measure(column, low, high))
        elif column in NUMBERS:
            present.append(_place(column, low, high))
        else:
            field, _, phrase = column.partition(":")
            (present if low >= 0 else absent).append(f"“{phrase}” in {field}")
    if absent:
        more = len(absent) - MAX_ABSENT
        names = ", ".join(absent[:MAX_ABSENT]) + (f" and {more} more" if more > 0 else "")
        present.append(f"no {names}")
    return "; ".join(present) or "any image"


def _measure(column: str, low: float, high: float) -> str:
    if high < 0:
        return f"{column} unknown"
    if UNKNOWN < low < 0:
        return f"{column} known" if high == float("inf") else f"{column} known, ≤ {high:g}"
    if low < 0:
        return f"{column} ≤ {high:g} or unknown"
    return f"{column} > {low:g}" + ("" if high == float("inf") else f" and ≤ {high:g}")


def _place(column: str, low: float, high: float) -> str:
    """Text for a flag (1, 0, or -1 if unknown): those of its values that lie within the bounds."""
    wordings = {1.0: column, 0.0: column.replace(" on ", " off "), UNKNOWN: f"{column} unknown"}
    return " or ".join(name for value, name in wordings.items() if low < value <= high)
