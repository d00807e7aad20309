"""The table of methods: the one place where they are named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import UnknownMethod
from ..renderer.snapshot import Snapshot
from .nce import nce
from .nce_options import NCEOptions
from .selection import Selection

__all__ = ["DEFAULT_METHOD", "METHODS", "Method", "method_named"]


@dataclass(frozen=True)
class Method:
    """One extraction method.

    Attributes
    ----------
    select
        Takes a snapshot, returns the selection.
    about
        One line for the command line's help.
    """

    select: Callable[[Snapshot], Selection]
    about: str


METHODS: dict[str, Method] = {
    "nce": Method(nce, "separator node, comment removal, title"),
    "nce-literal": Method(
        lambda snapshot: nce(snapshot, NCEOptions(literal=True)), "the same, as printed"
    ),
}
"""All methods by name."""

DEFAULT_METHOD = "nce"


def method_named(name: str) -> Method:
    """Look a method up.

    Raises
    ------
    UnknownMethod
        There is none of this name; the message lists them.
    """
    try:
        return METHODS[name]
    except KeyError:
        known = ", ".join(METHODS)
        raise UnknownMethod(f"there is no method {name!r}; there is {known}") from None
