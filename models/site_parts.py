"""What the site methods learn from a site's pages: a part for each, kept under its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from ..features.block_sets import TAG_LISTS, Cut
from ..renderer.snapshot import Snapshot
from .article.body_elements import BodyElements
from .article.model import Reader
from .blocks.block_index import BlockIndex
from .templates.entropy_pages import TermPages
from .templates.pagelets import PageletPages
from .templates.style_importance import StylePages

__all__ = ["PARTS", "SitePart", "new_parts", "read_parts"]


class SitePart(Protocol):
    """What one method learns, page by page; pages come once each, in any order."""

    def add(self, snapshot: Snapshot) -> object:
        """Learn from one more page."""
        ...

    def to_json(self) -> dict[str, Any]:
        """What was learned, as values that JSON knows."""
        ...


@dataclass(frozen=True)
class Kind:
    """How a part begins, with a model where it judges pages, and comes back from its JSON."""

    new: Callable[[Reader | None], SitePart]
    read: Callable[[dict[str, Any]], SitePart]


PARTS: dict[str, Kind] = {
    "auto": Kind(BodyElements, BodyElements.from_json),
    "content-extractor": Kind(
        lambda _: BlockIndex(Cut(TAG_LISTS["content-extractor"])), BlockIndex.from_json
    ),
    "x-cex": Kind(lambda _: BlockIndex(), BlockIndex.from_json),
    "x-cex:rendered": Kind(lambda _: BlockIndex(Cut(())), BlockIndex.from_json),
    "infodiscoverer": Kind(lambda _: TermPages(), TermPages.from_json),
    "style-tree": Kind(lambda _: StylePages(), StylePages.from_json),
    "pagelets": Kind(lambda _: PageletPages(), PageletPages.from_json),
}
"""All parts, by the name of the method that reads them."""


def new_parts(names: Iterable[str], model: Reader | None = None) -> dict[str, SitePart]:
    """Parts that have learned nothing yet.

    Parameters
    ----------
    names
        Of the parts.
    model
        Judges pages in place of the model that comes with the package.

    Raises
    ------
    ValueError
        There is no part of such a name.
    """
    unknown = sorted(set(names) - set(PARTS))
    if unknown:
        raise ValueError(f"no part {', '.join(unknown)}; there is {', '.join(PARTS)}")
    return {name: PARTS[name].new(model) for name in names}


def read_parts(data: dict[str, Any]) -> dict[str, SitePart]:
    """Parts from their JSON.

    Raises
    ------
    ValueError, KeyError, TypeError, AttributeError
        It is something else.
    """
    return {name: PARTS[name].read(part) for name, part in data.items()}
