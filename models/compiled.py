"""Functions on arrays that Numba compiles, if it is installed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

__all__ = ["compiled", "record_type"]


def compiled(function: Callable[..., Any] | None = None, **options: Any) -> Callable[..., Any]:
    """Compile a function when it is first called, and cache the machine code in a file.

    Without Numba, Python runs the function unchanged, with the same results.
    """
    if function is None:
        return partial(compiled, **options)
    numba = _numba()
    return function if numba is None else numba.njit(cache=True, **options)(function)


@cache
def _numba() -> Any:
    """The module, which takes long to import; None with a warning if it is not installed."""
    try:
        import numba
    except ImportError:
        warnings.warn(
            "Numba is not installed (the extra 'fast'): comparing trees may take some hundred "
            "times longer",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return numba


def record_type(*fields: tuple[str, DTypeLike]) -> np.dtype[np.void]:
    """The dtype of records whose fields are attributes, with Numba and without.

    Fields cannot have the names of attributes of NumPy's scalars, such as ``size``.
    """
    return np.dtype((np.record, list(fields)))
