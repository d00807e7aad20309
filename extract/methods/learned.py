"""What a method may know beside the page itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import MissingSiteError
from ...models.article.roles import DEFAULT_PRESET, PRESETS

if TYPE_CHECKING:
    from ...models.site import Site
    from ...models.site_parts import SitePart

__all__ = ["Learned"]

Part = TypeVar("Part", bound="SitePart")
Model = TypeVar("Model")


@dataclass(frozen=True)
class Learned:
    """Things learned before, each of which some methods use.

    Attributes
    ----------
    site
        What was learned from pages of the page's site, by `learn_site`.
    model
        A model to use in place of the one that comes with the package, by a method of its kind.
    text
        Roles that count as the text, for a method that knows roles.
    """

    site: Site | None = None
    model: Any = None
    text: frozenset[str] = PRESETS[DEFAULT_PRESET]

    def model_of(self, kind: type[Model]) -> Model | None:
        """The model, if it is of a kind."""
        return self.model if isinstance(self.model, kind) else None

    def find_part(self, name: str, kind: type[Part]) -> Part | None:
        """A part of what was learned from the page's site; None where there is none.

        Raises
        ------
        ArchiveError
            The part was read from a file and is damaged.
        """
        return self.site.part(name, kind) if self.site else None

    def part(self, name: str, kind: type[Part]) -> Part:
        """What a method has learned from the page's site.

        Raises
        ------
        MissingSiteError
            No site is given, or it was learned without this part.
        ArchiveError
            The part was read from a file and is damaged.
        """
        if self.site is None:
            raise MissingSiteError(f"the method {name} needs a site: learn one from its pages")
        part = self.find_part(name, kind)
        if part is None:
            raise MissingSiteError(
                f"the site was learned without what {name} needs; learn it again"
            )
        return part
