"""Regular expressions that are compiled when they are first used.

Compiling the patterns of all modules takes several times as long as reading a page, and most pages
need a fraction of them.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

METHODS = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")


class _Pattern:
    """Stands for a compiled pattern, whose methods become its own on first use."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Only called for what is not in the instance yet.
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__ |= {each: getattr(compiled, each) for each in METHODS}
        return getattr(compiled, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Pattern, (self.pattern, self._flags)


def lazy_re(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern like that of `re.compile`, compiled when one of its methods is first used.

    >>> lazy_re("[0-9]+").findall("3 of 12")
    ['3', '12']
    """
    return cast(re.Pattern[AnyStr], _Pattern(source, flags))
