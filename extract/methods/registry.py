"""The registry of methods.

A method consists of a file that defines a `Method` and a line in this module. Other packages
provide methods through entry points in the group ``miolo.methods``. A module is imported when its
method is used.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from ...errors import UnknownMethodError
from ...names import check_type, unknown_name
from .method import GROUPS, Group, Method

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "find_method",
    "grouped_methods",
    "method_variants",
    "resolve_alias",
]

logger = logging.getLogger(__name__)

DEFAULT_METHOD = "auto"

ENTRY_POINTS = "miolo.methods"

BUILT_IN = {
    "auto": "auto:METHOD",
    "records": "records:METHOD",
    "nce": "nce:METHOD",
    "template": "template:METHOD",
    "semantic": "semantic:METHOD",
    "sitelevel": "sitelevel:METHOD",
    "rtdm": "rtdm:METHOD",
    "content-extractor": "xcex:CONTENT_EXTRACTOR",
    "x-cex": "xcex:METHOD",
    "vips": "baselines.vips:METHOD",
    "vide": "baselines.vide:METHOD",
    "bte": "baselines.bte:METHOD",
    "gupta": "baselines.gupta:METHOD",
    "density": "baselines.density:METHOD",
    "feature-extractor": "baselines.feature_extractor:METHOD",
    "adeater": "baselines.adeater:METHOD",
    "style-tree": "baselines.style_tree:METHOD",
    "infodiscoverer": "baselines.infodiscoverer:METHOD",
    "pagelets": "baselines.pagelets:METHOD",
}
"""Module under `extract/methods/` and attribute of each method, in the order of listings."""

ALIASES: dict[str, tuple[str, str]] = {
    "auto-news": ("auto", "body"),
    "auto-full": ("auto", "everything"),
    "auto-page": ("auto", "article"),
    "nce-literal": ("nce:literal", ""),
    "semantic-literal": ("semantic:literal", ""),
    "bte-literal": ("bte:literal", ""),
    "gupta-literal": ("gupta:literal", ""),
    "k-feature-extractor": ("feature-extractor:clusters=2", ""),
    "x-cex-rendered": ("x-cex:rendered", ""),
}
"""Deprecated names, each with its replacement: method with options, and preset or none."""


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


@cache
def _extensions() -> dict[str, EntryPoint]:
    """Entry points of other packages. Names of Miolo's own methods cannot be overridden."""
    points = entry_points(group=ENTRY_POINTS)
    return {point.name: point for point in points if point.name not in BUILT_IN}


@cache
def _load(name: str) -> Method:
    if name in BUILT_IN:
        return EntryPoint(name, f"{__package__}.{BUILT_IN[name]}", ENTRY_POINTS).load()
    point = _extensions()[name]
    try:
        method = point.load()
    except Exception as error:
        raise UnknownMethodError(
            f"cannot load the method {name!r} from {point.value}: {error}"
        ) from error
    if not isinstance(method, Method):
        raise UnknownMethodError(f"the method {name!r} ({point.value}) is not a miolo.Method")
    return method


def grouped_methods() -> dict[Group, dict[str, Method]]:
    """Methods by group and name, without methods of other packages that fail to load."""
    groups: dict[Group, dict[str, Method]] = {group: {} for group in GROUPS}
    for name in METHODS:
        try:
            method = METHODS[name]
        except UnknownMethodError as error:
            logger.warning("%s", error)
        else:
            groups[method.group][name] = method
    return {group: methods for group, methods in groups.items() if methods}


def method_variants() -> dict[str, Method]:
    """Methods and their variants by their names for `find_method`, such as ``"nce:literal"``."""
    by_name = {}
    for methods in grouped_methods().values():
        for name, method in methods.items():
            by_name[name] = method
            by_name |= {f"{name}:{each}": method.with_options(each) for each in method.variants}
    return by_name


def resolve_alias(name: str, preset: str) -> tuple[str, str]:
    """Method and preset for a name. A deprecated name emits a warning."""
    check_type("a method", name, str)
    if name not in ALIASES:
        return name, preset
    method, chosen = ALIASES[name]
    now = f"{method!r} with the preset {chosen!r}" if chosen else repr(method)
    warnings.warn(f"the method {name!r} is deprecated: use {now}", DeprecationWarning, stacklevel=3)
    return method, chosen or preset


def find_method(text: str) -> Method:
    """Look up a method.

    Parameters
    ----------
    text
        Its name, such as ``"nce"``, optionally followed by a colon and options, such as
        ``"nce:literal"`` or ``"feature-extractor:clusters=2"``; see `Method.with_options`.

    Raises
    ------
    UnknownMethodError
        There is no method of this name, or it has no such option. The message lists the
        alternatives.
    TypeError
        The name is not a string.
    """
    check_type("a method", text, str)
    name, separator, options = ALIASES.get(text, (text, ""))[0].partition(":")
    if name not in METHODS:
        raise UnknownMethodError(unknown_name("method", name, METHODS))
    method = METHODS[name]
    try:
        return method.with_options(options) if separator else method
    except ValueError as error:
        raise UnknownMethodError(f"the method {name} in {text!r}: {error}") from None
