"""Functions on arrays that Numba compiles, if it is installed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, cached_property, partial
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike


class Kernel:
    """A function that is compiled when it is first called; the machine code is cached in a file.

    Without Numba, Python runs the function unchanged, with the same results.
    """

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        self._function, self._options = function, options
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        return self.machine_code(*arguments)

    @cached_property
    def machine_code(self) -> Callable[..., Any]:
        """The compiled function."""
        numba = _numba()
        if numba is None:
            return self.in_python
        return numba.njit(cache=True, **self._options)(self._calling("machine_code"))

    @cached_property
    def in_python(self) -> Callable[..., Any]:
        """The function without Numba, which takes longer to load than small arrays to process."""
        return self._calling("in_python")

    def _calling(self, form: str) -> FunctionType:
        """The function, which calls other kernels in the same form."""
        own = self._function
        names = dict(own.__globals__)
        for name in own.__code__.co_names:
            if isinstance(names.get(name), Kernel):
                names[name] = getattr(names[name], form)
        function = FunctionType(own.__code__, names, own.__name__, own.__defaults__)
        function.__qualname__, function.__module__ = own.__qualname__, own.__module__
        return function


def compiled(function: Any = None, **options: Any) -> Any:
    """Turn a function into a `Kernel` with options of Numba."""
    return partial(compiled, **options) if function is None else Kernel(function, options)


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
