"""Forests in a file of plain arrays, which needs neither pickle nor scikit-learn to be read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ...errors import ArchiveError
from ...renderer.container import any_array, open_container
from .forest import Forest

__all__ = ["read_forests", "write_forests"]

Model = TypeVar("Model")

ABOUT = "about"


def write_forests(
    path: str | Path, kind: tuple[str, int], told: dict[str, Any], forests: Mapping[str, Forest]
) -> None:
    """Write forests and what is to be known of them.

    Parameters
    ----------
    path
        The file, an archive of NumPy's.
    kind
        Name and version of the format.
    told
        What JSON can hold.
    forests
        By name.
    """
    about = {"format": kind[0], "version": kind[1], "forests": list(forests), **told}
    arrays: dict[str, Any] = {ABOUT: np.frombuffer(json.dumps(about).encode(), np.uint8)}
    for name, forest in forests.items():
        arrays |= forest.arrays(f"forest.{name}")
    with Path(path).open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def read_forests(
    path: str | Path,
    kind: tuple[str, int],
    build: Callable[[dict[str, Any], dict[str, Forest]], Model],
) -> Model:
    """Read what `write_forests` wrote.

    Parameters
    ----------
    path
        The file.
    kind
        Name and version of the format that it must have.
    build
        Makes a model of what was told and of the forests.

    Raises
    ------
    ArchiveError
        The file is of another kind, damaged, or `build` can make nothing of it.
    """
    try:
        with open_container(Path(path), f"{kind[0]} model") as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist()]
            arrays = {name: any_array(archive, name) for name in names}
        told = json.loads(arrays[ABOUT].tobytes())
        if (told["format"], told["version"]) != kind:
            raise ValueError(f"{told['format']} {told['version']}")
        names = told["forests"]
        return build(told, {n: Forest.from_arrays(arrays, f"forest.{n}") for n in names})
    except ArchiveError:
        raise
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error}") from error
    except Exception as error:  # a damaged archive fails in many ways
        raise ArchiveError(f"{path} is no {kind[0]} model: {error}") from error
