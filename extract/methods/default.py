"""The name of the default method, for those who need no more of the methods than that."""

from __future__ import annotations

__all__ = ["DEFAULT_METHOD"]

DEFAULT_METHOD = "auto"
