"""`Picture`: what ``miolo inspect --picture`` draws, and the pictures of installed packages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ...extensions import extensions, load_extension, set_options
from ...names import unknown_name

ENTRY_POINTS = "miolo.pictures"


@dataclass(frozen=True)
class Picture:
    """A picture or report that ``miolo inspect --picture`` writes in place of its own.

    Another package provides it through an entry point in the group ``miolo.pictures``.
    """

    draw: Callable[[Any, Any], str]
    """Function of a `Snapshot` or `Site` and of `options` that returns the text of the file."""
    about: str
    """Description in one line."""
    subject: Literal["page", "site"] = "page"
    """``"page"`` for a picture of a snapshot, which has a screenshot; ``"site"`` for one of a
    learned site."""
    suffix: str = ".svg"
    """Suffix of the file."""
    options: Any = None
    variants: Mapping[str, Any] = field(default_factory=dict)
    """Frozen dataclass with the parameters and their defaults, or None, and named alternatives to
    it. Fields that are booleans, numbers or strings can be set, as in ``"vips:pdoc=9"``."""


def list_pictures() -> dict[str, str]:
    """Description of each picture by its name, or why it cannot be loaded."""
    listed = {}
    for name, point in extensions(ENTRY_POINTS).items():
        try:
            listed[name] = load_extension(point, Picture).about
        except ValueError as error:
            listed[name] = str(error)
    return listed


def find_picture(text: str) -> Picture:
    """Look up a picture by its name, which options may follow as for `Method.with_options`."""
    name, separator, options = text.partition(":")
    points = extensions(ENTRY_POINTS)
    if not points:
        raise ValueError(f"there is no picture {name!r}: no package with pictures is installed")
    if name not in points:
        raise ValueError(unknown_name("picture", name, points))
    picture = load_extension(points[name], Picture)
    if not separator:
        return picture
    return replace(picture, options=set_options(picture.options, picture.variants, options))
