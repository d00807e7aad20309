"""Parts of a `Site`: what each method learns from its pages, stored under a name."""

from __future__ import annotations

from typing import Any, Protocol, Self, TypeVar

from ..renderer.page.snapshot import Snapshot
from .json_file import build_from


class SitePart(Protocol):
    """What one method learns, page by page. Each page is added once, in any order."""

    def add(self, snapshot: Snapshot) -> object:
        """Learn from one more page."""
        ...

    def to_json(self) -> dict[str, Any]:
        """What was learned, as JSON values."""
        ...

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Build a part from its JSON.

        Raises `ValueError` or `LookupError` or `TypeError` or `AttributeError`: the data are not
        those of such a part.
        """
        ...


Part = TypeVar("Part", bound=SitePart)


class SavedPart:
    """A part as stored in the site's file, built when its method first needs it.

    Loading a site therefore costs only what its methods use, and parts of methods that are not
    installed are preserved.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self._built: SitePart | None = None

    def build(self, kind: type[Part]) -> Part:
        """The part as an object.

        Raises `ArchiveError`: the part is damaged or of another class.
        """
        built = self._built
        if not isinstance(built, kind):
            built = self._built = build_from(self._data, kind.from_json, f"part {kind.__name__}")
        return built

    def to_json(self) -> dict[str, Any]:
        """The part's JSON."""
        return self._data
