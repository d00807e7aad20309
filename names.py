"""Messages about names that do not exist."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

__all__ = ["unknown_name"]


def unknown_name(kind: str, name: str, names: Collection[str]) -> str:
    """Message that a name does not exist, with the closest existing name or else all names.

    Examples
    --------
    >>> unknown_name("preset", "artcile", ["article", "body"])
    "there is no preset 'artcile'; did you mean 'article'?"
    >>> unknown_name("preset", "long", ["article", "body"])
    "there is no preset 'long'; the presets are article, body"
    """
    close = get_close_matches(name.lower(), names, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"the {kind}s are {', '.join(names)}"
    return f"there is no {kind} {name!r}; {hint}"
