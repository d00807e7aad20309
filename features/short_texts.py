"""A cache for functions of short texts, such as addresses and the names of classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

# Maximum length of a text whose result is cached, in characters.
MAX_CACHED = 2048

Function = TypeVar("Function", bound=Callable[..., Any])


def cached_if_short(function: Function) -> Function:
    """Cache the results of a pure function of texts, except for long texts.

    Otherwise, the cache would retain whole documents and images that are embedded as addresses.
    """
    cached = lru_cache(maxsize=1 << 16)(function)

    @wraps(function)
    def call(*texts: str) -> Any:
        return (cached if max(map(len, texts)) <= MAX_CACHED else function)(*texts)

    return cast("Function", call)
