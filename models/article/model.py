"""`Reader`: the model that gives every block of a page a probability for each role.

It is trained on pages whose blocks were labelled by one convention, and does not depend on what its
user counts as the text: that is a set of roles, chosen when a page is read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError
from ...features.article.features import BlockFeatures
from ...features.article.tokens import TABLE
from ...renderer.page.container import any_array, open_container, save_container
from ..kinds.model import KindModel
from .network import NetworkShape, answer, forward, look_up, pack, weight_shapes
from .roles import PRESETS, ROLES
from .word_vectors import WordVectors

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = [
    "EXCLUSIVE",
    "OUTPUTS",
    "OWN",
    "RELATED",
    "TEXT",
    "BlockProbabilities",
    "Reader",
    "Scaling",
    "columns_of",
    "probability_of",
    "shipped_reader",
]

Weights = dict[str, NDArray[np.float32]]

FORMAT, VERSION = "miolo-reader", 2

SHIPPED = Path(__file__).with_name("reader.npz")

MAX_DEVIATION = 5.0
"""Standard deviations from the mean at which features are clipped."""

TINY = 1e-9

RELATED = ROLES.index("related")

EXCLUSIVE = tuple(code for code in range(len(ROLES)) if code != RELATED)
"""Codes of the roles that exclude each other in the network, where ``related`` is boilerplate."""

OWN = len(ROLES)
"""Index of the output for the page's own content, on pages that are not articles."""

ROWS_AT_ONCE = 2048
"""Number of blocks of nested predictions that are computed at once, which fit into a cache."""

OUTPUTS = len(ROLES) + 1
"""Number of log-odds that the network computes for every block."""

TEXT = tuple(code for code, role in enumerate(ROLES) if role in PRESETS["article"])
"""Codes of the roles of the default preset."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """Standardisation of features."""

    mean: NDArray[np.float32]
    scale: NDArray[np.float32]
    """float32, shape (f,): the value that is subtracted from each feature, and its divisor."""

    @classmethod
    def of(cls, values: Sequence[NDArray[np.float32]]) -> Scaling:
        """Mean and standard deviation of the known features over all blocks of some pages."""
        rows = np.concatenate(values)
        is_known = ~np.isnan(rows)
        count = np.maximum(is_known.sum(axis=0), 1)
        mean = np.where(is_known, rows, 0).sum(axis=0, dtype=np.float64) / count
        centred = np.where(is_known, rows - mean.astype(np.float32), 0)
        deviation = np.sqrt((centred * centred).sum(axis=0, dtype=np.float64) / count)
        scale = np.where(deviation > 0, deviation, 1)
        return cls(mean.astype(np.float32), scale.astype(np.float32))

    def apply(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Standardised features: float32, shape (b, f), 0 for unknown values."""
        standard = (values - self.mean) / self.scale
        np.clip(standard, -MAX_DEVIATION, MAX_DEVIATION, out=standard)
        standard[np.isnan(standard)] = 0
        return standard


@dataclass(frozen=True, eq=False)
class BlockProbabilities:
    """A reader's probabilities for b blocks."""

    roles: NDArray[np.float64]
    """float64, shape (b, len(ROLES)): probability of every role if the page is an article; rows sum
    to 1."""
    own: NDArray[np.float64]
    """float64, shape (b,): probability of the page's own content, as opposed to content that all
    pages of its site share, if the page is of another kind, such as a product, a list or a thread.
    """

    def of_text(self, text: Collection[str], article: float) -> NDArray[np.float64]:
        """Probability that each block belongs to the text: float64, shape (b,).

        `article`: Probability that the page is an article, which is the weight of `roles` in the
        mixture with `own`. The page's own content does not count if the caller leaves out its role.
        """
        of_text = probability_of(self.roles, text)
        left_out = PRESETS["article"].difference(text)
        if left_out:
            counted = of_text / np.maximum(of_text + probability_of(self.roles, left_out), TINY)
        else:
            counted = 1.0
        return article * of_text + (1 - article) * self.own * counted


@dataclass(frozen=True, eq=False)
class Reader:
    """A trained model.

    Attributes
    ----------
    names
        Names of the f features, in the order of their columns.
    vectors
        Word vectors of length d.
    scaling
        Standardisation of the features and the mean word vectors.
    networks
        Weights of each network, by name; see `network.forward`. The log-odds of several networks,
        trained from different random initialisations, are averaged.
    kinds
        Model of page kinds; None for the model that comes with the package.
    provenance
        How the model was made.
    """

    names: tuple[str, ...]
    vectors: WordVectors
    scaling: Scaling
    networks: tuple[Weights, ...]
    kinds: KindModel | None = None
    provenance: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Reader of {len(self.names)} features>"

    def read(self, features: BlockFeatures) -> BlockProbabilities:
        """Probability of every role for every block.

        Raises
        ------
        ValueError
            The features differ from those that the reader was trained on.
        """
        return self.read_standardised(features, self.standardise(features))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the f + d columns that the network reads."""
        return self.names + self.vectors.names

    def standardise(self, features: BlockFeatures) -> NDArray[np.float32]:
        """Input of the network for each block: float32, shape (b, f + d).

        Raises
        ------
        ValueError
            The features differ from those that the reader was trained on.
        """
        if features.names != self.names:
            raise ValueError("the reader was trained on other features than this version computes")
        return self.scaling.apply(columns_of(features, self.vectors))

    def read_standardised(
        self, features: BlockFeatures, values: NDArray[np.float32]
    ) -> BlockProbabilities:
        """Same as `read`, from standardised columns: float32, shape (b, f + d)."""
        if not len(values):
            return BlockProbabilities(np.zeros((0, len(ROLES))), np.zeros(0))
        inputs = pack([values], [features.tokens], [features.words], [features.groups])
        # The arrays are small: threads would wait for each other longer than they compute.
        with _one_thread():
            return _probabilities(forward(self._stacked, inputs))

    def read_nested(
        self,
        features: BlockFeatures,
        values: NDArray[np.float32],
        parts: Sequence[NDArray[np.intp]],
        words: int,
    ) -> list[BlockProbabilities]:
        """Same as `read_standardised` with none of the columns, those of one part, of two, …

        Parameters
        ----------
        parts
            The k parts, each as indices of columns.
        words
            Index of the part that the hashed words belong to.

        Returns
        -------
        list of k + 1 predictions
        """
        added = self._added(features, values, parts, words)
        return self._read_sums(features, values, accumulate(added, initial=self._nothing(values)))

    def read_without(
        self,
        features: BlockFeatures,
        values: NDArray[np.float32],
        parts: Sequence[NDArray[np.intp]],
        words: int,
        removed: NDArray[np.intp],
    ) -> list[BlockProbabilities]:
        """Same as `read_standardised` with a part of the columns of some blocks at their means.

        `removed`: Shape (m, b): the part to remove from each block in each of m predictions; -1 for
        none.

        list of 1 + m predictions, the first with all columns
        """
        whole = self._nothing(values)
        whole = whole + sum(self._added(features, values, [np.arange(values.shape[1])], 0))
        added = np.stack([*self._added(features, values, parts, words), np.zeros_like(whole)])
        blocks = np.arange(len(values))
        lost = (np.moveaxis(added[row, :, blocks], 0, 1) for row in removed)
        return self._read_sums(features, values, [whole, *(whole - each for each in lost)])

    def _nothing(self, values: NDArray[np.float32]) -> NDArray[Any]:
        return np.repeat(self._stacked["in.bias"][:, None, :], len(values), axis=1)

    def _added(
        self,
        features: BlockFeatures,
        values: NDArray[np.float32],
        parts: Sequence[NDArray[np.intp]],
        words: int,
    ) -> list[NDArray[Any]]:
        """What each part adds to the input of the first layer."""
        weight: NDArray[np.float32] = self._stacked["in.weight"]
        with _one_thread():
            added = [values[:, columns] @ weight[:, columns] for columns in parts]
            if words >= 0 and len(values):
                inputs = pack([values], [features.tokens], [features.words], [features.groups])
                vectors = look_up(self._stacked["words"], inputs.words)
                added[words] = added[words] + vectors @ weight[:, values.shape[1] :]
        return added

    def _read_sums(
        self, features: BlockFeatures, values: NDArray[np.float32], sums: Iterable[NDArray[Any]]
    ) -> list[BlockProbabilities]:
        """Predictions from sums of what parts add."""
        steps = list(sums)
        if not len(values):
            return [self.read_standardised(features, values)] * len(steps)
        inputs = pack([values], [features.tokens], [features.words], [features.groups])
        answers: list[NDArray[Any]] = []
        with _one_thread():
            at_once = max(ROWS_AT_ONCE // len(values), 1)
            for start in range(0, len(steps), at_once):
                chunk = np.stack(steps[start : start + at_once])
                answers += list(answer(self._stacked, inputs, chunk))
        return [_probabilities(each) for each in answers]

    @cached_property
    def _stacked(self) -> Weights:
        """Stacked weights of all networks, which have the same shape."""
        names = self.networks[0]
        return {name: np.stack([weights[name] for weights in self.networks]) for name in names}

    def save(self, path: str | Path) -> None:
        """Write a file of plain arrays, with the weights in half precision."""
        about = {
            "format": FORMAT,
            "version": VERSION,
            "names": self.names,
            "roles": ROLES,
            "networks": len(self.networks),
            "kinds": None if self.kinds is None else self.kinds.to_json(),
            "provenance": self.provenance,
        }
        members: dict[str, Any] = {
            "about.npy": np.frombuffer(json.dumps(about).encode(), np.uint8),
            "vectors.table.npy": self.vectors.table,
            "vectors.scale.npy": self.vectors.scale,
            "mean.npy": self.scaling.mean,
            "scale.npy": self.scaling.scale,
        }
        for number, weights in enumerate(self.networks):
            for name, array in weights.items():
                members[f"network.{number}.{name}.npy"] = array.astype(np.float16)
        save_container(Path(path), members)

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        # Extractions refer to their reader, so each pickled one would contain the model's weights.
        is_loaded = shipped_reader.cache_info().currsize > 0
        if is_loaded and self is shipped_reader():
            return shipped_reader, ()
        return super().__reduce_ex__(protocol)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_stacked"}

    @classmethod
    def load(cls, path: str | Path) -> Reader:
        """Read a saved reader.

        Raises
        ------
        ArchiveError
            The file is not a reader, is damaged, or is of another version.
        OSError
            The file cannot be opened.
        """
        try:
            with open_container(Path(path), "reader") as archive:
                names = [name.removesuffix(".npy") for name in archive.namelist()]
                arrays = {name: any_array(archive, name) for name in names}
            return cls._of(arrays)
        except (ArchiveError, OSError):
            raise
        except Exception as error:  # a damaged archive fails in many ways
            raise ArchiveError(f"{path} is not a valid reader: {error}") from error

    @classmethod
    def _of(cls, arrays: dict[str, NDArray[Any]]) -> Reader:
        about = json.loads(arrays["about"].tobytes())
        if (about["format"], about["version"]) != (FORMAT, VERSION):
            raise ValueError(f"unsupported format {about['format']} {about['version']}")
        if tuple(about["roles"]) != ROLES:
            raise ValueError("its roles differ from those of this version")
        names = tuple(map(str, about["names"]))
        vectors = WordVectors(arrays["vectors.table"], arrays["vectors.scale"])
        scaling = Scaling(arrays["mean"], arrays["scale"])
        networks = tuple(
            {
                name.removeprefix(start): array.astype(np.float32)
                for name, array in arrays.items()
                if name.startswith(start)
            }
            for start in (f"network.{number}." for number in range(int(about["networks"])))
        )
        _check(names, vectors, scaling, networks)
        kinds = KindModel.from_json(about["kinds"]) if about.get("kinds") else None
        return cls(names, vectors, scaling, networks, kinds, about["provenance"])


def _check(
    names: tuple[str, ...], vectors: WordVectors, scaling: Scaling, networks: tuple[Weights, ...]
) -> None:
    """Raise `ValueError` unless the arrays have the shapes that the network expects."""
    if not networks:
        raise ValueError("it has no network")
    length = len(vectors.scale)
    _check_array("vectors.table", vectors.table, np.int8, (TABLE, length))
    _check_array("vectors.scale", vectors.scale, np.float32, (length,))
    _check_array("mean", scaling.mean, np.float32, (len(names) + length,))
    _check_array("scale", scaling.scale, np.float32, (len(names) + length,))
    rows, vector = networks[0]["words"].shape
    width = len(networks[0]["out.norm.gain"])
    shape = NetworkShape(len(names) + length, OUTPUTS, words=rows, vector=vector, width=width)
    for weights in networks:
        for name, size in weight_shapes(shape).items():
            _check_array(name, weights[name], np.float32, size)


def _check_array(name: str, array: NDArray[Any], dtype: type, shape: tuple[int, ...]) -> None:
    if array.dtype != dtype or array.shape != shape or not np.isfinite(array).all():
        raise ValueError(
            f"{name} has an unexpected shape or type ({array.shape}, {array.dtype}), or a number "
            "that is not finite"
        )


def _one_thread() -> AbstractContextManager[Any]:
    """Context in which matrix products use one thread, as they do anyway on the command line."""
    return (
        nullcontext() if os.environ.get("OPENBLAS_NUM_THREADS") == "1" else _blas().limit(limits=1)
    )


@cache
def _blas() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


@cache
def shipped_reader() -> Reader:
    """The reader that comes with the package."""
    return Reader.load(SHIPPED)


def columns_of(features: BlockFeatures, vectors: WordVectors) -> NDArray[np.float32]:
    """Features and mean word vector of each block, concatenated: float32, shape (b, f + d)."""
    return np.concatenate([features.values, vectors.of(features.tokens)], axis=1)


def _probabilities(answers: NDArray[np.float32]) -> BlockProbabilities:
    """Probabilities by the log-odds of several networks: float32, shape (m, b, OUTPUTS)."""
    odds: NDArray[np.float64] = answers.mean(axis=0, dtype=np.float64)
    exclusive = odds[:, EXCLUSIVE]
    grown = np.exp(exclusive - exclusive.max(axis=1, keepdims=True))
    roles = np.empty((len(odds), len(ROLES)))
    roles[:, EXCLUSIVE] = grown / grown.sum(axis=1, keepdims=True)
    related = _logistic(odds[:, RELATED])
    roles[:, RELATED] = roles[:, 0] * related
    roles[:, 0] *= 1 - related
    return BlockProbabilities(roles, _logistic(odds[:, OWN]))


def probability_of(
    probabilities: NDArray[np.float64], roles: Collection[str]
) -> NDArray[np.float64]:
    """Probability that a block has one of the given roles: float64, shape (b,)."""
    codes = [code for code, role in enumerate(ROLES) if role in roles]
    return np.minimum(probabilities[:, codes].sum(axis=1), 1.0)


def _logistic(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-np.clip(log_odds, -50, 50)))
