"""`Reader`: the model that gives every block of a page a probability for each role.

It is trained on pages whose blocks were labelled by one convention, and does not depend on what its
user counts as the text: that is a set of roles, chosen when a page is read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError
from ...features.article.features import BlockFeatures
from ...features.article.tokens import TABLE
from ...renderer.page.container import any_array, open_container, save_container
from ..kinds.model import KindModel
from ..logistic import LEAST_ODDS
from .custom_roles import CustomRoleModel
from .network import NetworkShape, forward, pack, weight_shapes
from .roles import PRESETS, ROLES
from .word_vectors import WordVectors

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

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

    def slopes(self, text: Collection[str], article: float) -> NDArray[np.float64]:
        """Derivatives of the log-odds of `of_text` by the network's outputs: shape (b, OUTPUTS)."""
        is_text, is_left_out = (
            np.isin(ROLES, list(roles)) for roles in (text, PRESETS["article"].difference(text))
        )
        of_text, left_out = self.roles @ is_text, self.roles @ is_left_out
        either = np.maximum(of_text + left_out, TINY) if is_left_out.any() else of_text
        own = (1 - article) * self.own
        change = np.outer(left_out, is_text) - np.outer(of_text, is_left_out)
        by_role = article * is_text + (own / np.maximum(either, TINY) ** 2)[:, None] * change
        slopes = np.empty((len(own), OUTPUTS))
        mean = (self.roles * by_role).sum(axis=1, keepdims=True)
        slopes[:, : len(ROLES)] = self.roles * (by_role - mean)
        # `related` is boilerplate among the roles that exclude each other.
        slopes[:, 0] += slopes[:, RELATED]
        both = self.roles[:, 0] * self.roles[:, RELATED]
        both /= np.maximum(self.roles[:, 0] + self.roles[:, RELATED], TINY)
        slopes[:, RELATED] = both * (by_role[:, RELATED] - by_role[:, 0])
        counted = of_text / either if is_left_out.any() else 1.0
        slopes[:, OWN] = own * (1 - self.own) * counted
        probability = np.clip(self.of_text(text, article), LEAST_ODDS, 1 - LEAST_ODDS)
        return slopes / (probability * (1 - probability))[:, None]


@dataclass(frozen=True, eq=False)
class Reader:
    """A trained model."""

    names: tuple[str, ...]
    """Names of the f features, in the order of their columns."""
    vectors: WordVectors
    """Word vectors of length d."""
    scaling: Scaling
    """Standardisation of the features and the mean word vectors."""
    networks: tuple[Weights, ...]
    """Weights of each network, by name; see `network.forward`. The log-odds of several networks,
    trained from different random initialisations, are averaged."""
    kinds: KindModel | None = None
    """Model of page kinds; None for the model that comes with the package."""
    provenance: dict[str, Any] = field(default_factory=dict)
    """How the model was made."""
    custom: CustomRoleModel | None = None
    """Model of the custom roles that it was trained on; None for none."""

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

    def custom_names(self, features: BlockFeatures) -> tuple[str, ...]:
        """The custom role of each block, empty for none; empty for a reader without any."""
        if self.custom is None or not len(features.values):
            return ()
        return self.custom.names(self.custom_columns(features))

    def custom_columns(self, features: BlockFeatures) -> NDArray[np.float64]:
        """What custom roles are learned from: the columns of the network, and its last layer, which
        also knows the surroundings of a block. Shape (b, f + d + m width) for m networks.
        """
        values = self.standardise(features)
        inputs = pack([values], [features.tokens], [features.words], [features.groups])
        width = self.stacked["out.weight"].shape[1]
        last = {"out.weight": np.eye(width, dtype=np.float32), "out.bias": np.zeros((1, width))}
        with one_thread():
            layers = forward(self.stacked | last, inputs)
        return np.concatenate([values, *layers], axis=1, dtype=np.float64)

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
        with one_thread():
            return probabilities(forward(self.stacked, inputs))

    @cached_property
    def stacked(self) -> Weights:
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
            "custom": None if self.custom is None else self.custom.to_json(),
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
        # Weights hardly compress, and every command loads them.
        save_container(Path(path), members, is_packed=False)

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        # Extractions refer to their reader, so each pickled one would contain the model's weights.
        is_loaded = shipped_reader.cache_info().currsize > 0
        if is_loaded and self is shipped_reader():
            return shipped_reader, ()
        return super().__reduce_ex__(protocol)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "stacked"}

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
        custom = CustomRoleModel.from_json(about["custom"]) if about.get("custom") else None
        reader = cls(names, vectors, scaling, networks, kinds, about["provenance"], custom)
        columns = len(reader.columns) + sum(len(each["out.weight"]) for each in networks)
        if custom and len(custom.weights.mean) != columns:
            raise ValueError("its custom roles were trained with other networks")
        return reader


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


def one_thread() -> AbstractContextManager[Any]:
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


def probabilities(answers: NDArray[np.float32]) -> BlockProbabilities:
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
