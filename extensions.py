"""What other packages add to Miolo through entry points, and options that are set by their names.

There are three groups of entry points: ``miolo.methods`` for methods (`miolo.Method`),
``miolo.pictures`` for pictures that ``miolo inspect --picture`` writes (`miolo.Picture`), and
``miolo.commands`` for commands of the command line, each a function whose parameters typer reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from .names import unknown_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


@cache
def extensions(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of a group by their names, in the order of the names."""
    # It takes longer to import than a command to parse its options.
    from importlib.metadata import entry_points

    points = entry_points(group=group)
    return {point.name: point for point in sorted(points, key=lambda point: point.name)}


def load_extension(point: EntryPoint, kind: type[T]) -> T:
    """Load what an entry point of another package refers to.

    Raises
    ------
    ValueError
        The package fails to load, or its value is of another type. The message names both.
    """
    try:
        value = point.load()
    except Exception as error:
        raise ValueError(f"cannot load {point.name!r} from {point.value}: {error}") from error
    if not isinstance(value, kind):
        raise ValueError(f"{point.name!r} ({point.value}) is not a {kind.__name__}")
    return value


def set_options(options: Any, variants: Mapping[str, Any], text: str) -> Any:
    """Options with the changes that a text lists.

    Parameters
    ----------
    options
        Frozen dataclass with the defaults; None if there are no options. Fields that are booleans,
        numbers or strings can be set.
    variants
        Named alternatives to `options`.
    text
        Names of variants and of Boolean fields, and ``field=value`` for other fields, separated by
        colons. A variant replaces all options before it.

    Raises
    ------
    ValueError
        There is no such option, or it does not accept the value.
    """
    settable = {
        each.name: type(value)
        for each in (fields(options) if options is not None else ())
        if isinstance(value := getattr(options, each.name), int | float | str)
    }
    for item in text.split(":"):
        name, separator, value = item.strip().partition("=")
        if not separator and name in variants:
            options = variants[name]
        elif name not in settable:
            names = list(dict.fromkeys([*variants, *settable]))
            raise ValueError(unknown_name("option", name, names) if names else "it has no options")
        else:
            parsed = _parse(options, name, value if separator else "true", settable[name])
            options = replace(cast("Any", options), **{name: parsed})
    return options


def _parse(options: Any, name: str, text: str, kind: type) -> bool | float | str:
    try:
        hint = get_type_hints(type(options))[name]
        if get_origin(hint) is Literal and text not in get_args(hint):
            raise ValueError
        value = {"true": True, "false": False}[text] if kind is bool else kind(text)
        if kind is float and not isfinite(value):
            raise ValueError
    except (KeyError, ValueError, OverflowError):
        raise ValueError(f"invalid value {text!r} for the option {name}") from None
    return value
