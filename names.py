"""Messages about names that do not exist and about other wrong values."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

# How long a wrong value that a message repeats may be.
MAX_VALUE = 60

# How pydantic begins a message that requires something, and that of a `ValueError`.
SUBJECT = re.compile(r"^(Input|String|List|Tuple|Data) should ")
PREFIX = "Value error, "


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


def check_names(kind: str, sent: Collection[str], names: Collection[str]) -> None:
    """Refuse a name that was sent and does not exist; the message suggests the closest one.

    Raises
    ------
    ValueError
        A name that was sent is not one of `names`.
    """
    for name in sent:
        if name not in names:
            raise ValueError(unknown_name(kind, name[:MAX_VALUE], names))


def check_type(what: str, value: object, *types: type) -> None:
    """Refuse an argument of another type.

    Raises
    ------
    TypeError
        The value has none of the types.

    Examples
    --------
    >>> check_type("a method", None, str)
    Traceback (most recent call last):
    TypeError: a method must be of the type str, not NoneType
    """
    if not isinstance(value, types):
        names = " or ".join(sorted(each.__name__ for each in types))
        raise TypeError(f"{what} must be of the type {names}, not {type(value).__name__}")


def wrong_value(error: Mapping[str, Any]) -> str:
    """Message about a value that pydantic refuses: one of the details of a `ValidationError`.

    Examples
    --------
    >>> expected = {"expected": "'settle', 'load' or 'dom'"}
    >>> wrong_value({"type": "literal_error", "input": "setle", "ctx": expected, "msg": ""})
    "there is no choice 'setle'; did you mean 'settle'?"
    >>> wrong_value({"type": "greater_than", "msg": "Input should be greater than 0"})
    'must be greater than 0'
    """
    if error["type"] == "literal_error":
        names = re.findall("'([^']*)'", error["ctx"]["expected"])
        return unknown_name("choice", str(error["input"])[:MAX_VALUE], names)
    if error["type"] == "missing":
        return "is required"
    return SUBJECT.sub("must ", error["msg"].removeprefix(PREFIX))
