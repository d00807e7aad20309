"""The registry of methods.

A method consists of a file that defines a `Method` and a line in this module. Other packages
provide methods through entry points in the group ``miolo.methods``. A module is imported when its
method is used.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from ...errors import UnknownMethodError
from ...extensions import extensions, load_extension
from ...names import check_type, unknown_name
from .method import Method

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

logger = logging.getLogger(__name__)

DEFAULT_METHOD = "auto"

ENTRY_POINTS = "miolo.methods"

BUILT_IN = {
    "auto": ("auto", "METHOD"),
    "records": ("records", "METHOD"),
    "nce": ("nce", "METHOD"),
    "template": ("template", "METHOD"),
    "semantic": ("semantic", "METHOD"),
    "sitelevel": ("sitelevel", "METHOD"),
    "rtdm": ("rtdm", "METHOD"),
    "content-extractor": ("xcex", "CONTENT_EXTRACTOR"),
    "x-cex": ("xcex", "METHOD"),
}
"""Module under `extract/methods/` and attribute of each method, in the order of listings."""


class Registry(Mapping[str, Method]):
    """Methods by name, imported on access."""

    def __getitem__(self, name: str) -> Method:
        return _load(name)

    def __iter__(self) -> Iterator[str]:
        return iter((*BUILT_IN, *_extensions()))

    def __len__(self) -> int:
        return len(BUILT_IN) + len(_extensions())

    def __contains__(self, name: object) -> bool:
        return name in BUILT_IN or name in _extensions()


METHODS: Mapping[str, Method] = Registry()
"""All methods by name, those of installed packages last."""


def _extensions() -> dict[str, EntryPoint]:
    """Entry points of other packages. Names of Miolo's own methods cannot be overridden."""
    points = extensions(ENTRY_POINTS)
    return {name: point for name, point in points.items() if name not in BUILT_IN}


@cache
def _load(name: str) -> Method:
    if name in BUILT_IN:
        module, attribute = BUILT_IN[name]
        return getattr(import_module(f".{module}", __package__), attribute)
    try:
        return load_extension(_extensions()[name], Method)
    except ValueError as error:
        raise UnknownMethodError(f"the method {name}: {error}") from error


def grouped_methods() -> dict[str, dict[str, Method]]:
    """Methods by group and name, without methods of other packages that fail to load."""
    groups: dict[str, dict[str, Method]] = {}
    for name in METHODS:
        try:
            method = METHODS[name]
        except UnknownMethodError as error:
            logger.warning("%s", error)
        else:
            groups.setdefault(method.group, {})[name] = method
    return groups


def method_variants() -> dict[str, Method]:
    """Methods and their variants by their names for `find_method`, such as ``"nce:literal"``."""
    by_name = {}
    for methods in grouped_methods().values():
        for name, method in methods.items():
            by_name[name] = method
            by_name |= {f"{name}:{each}": method.with_options(each) for each in method.variants}
    return by_name


def find_method(text: str) -> Method:
    """Look up a method.

    `text`: Its name, such as ``"nce"``, optionally followed by a colon and options, such as
    ``"nce:literal"`` or ``"nce:max_distance=3"``; see `Method.with_options`.
    """
    check_type("a method", text, str)
    name, separator, options = text.partition(":")
    if name not in METHODS:
        raise UnknownMethodError(unknown_name("method", name, METHODS))
    method = METHODS[name]
    try:
        return method.with_options(options) if separator else method
    except ValueError as error:
        raise UnknownMethodError(f"the method {name} in {text!r}: {error}") from None
