"""Inputs that a method may use in addition to the page: learned site, model and roles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import MissingSiteError
from ...models.article.roles import DEFAULT_PRESET, PRESETS

if TYPE_CHECKING:
    from ...models.site import Site
    from ...models.site_parts import SitePart

__all__ = ["TITLES", "Learned"]

TITLES = "titles"
"""Name of the part of a site that contains the titles declared by its pages."""

Part = TypeVar("Part", bound="SitePart")
Model = TypeVar("Model")


@dataclass(frozen=True)
class Learned:
    """Learned site, model and roles, each of which some methods use.

    Attributes
    ----------
    site
        The result of `learn_site` for the site of the page.
    model
        A model to use in place of the shipped one, for methods that accept its type.
    text
        Roles that count as the text, for methods that know roles.
    notes
        Whether footnotes whose marks are in the text count as text.
    """

    site: Site | None = None
    model: Any = None
    text: frozenset[str] = PRESETS[DEFAULT_PRESET]
    notes: bool = True

    def model_of(self, kind: type[Model]) -> Model | None:
        """The model, if it is of this type."""
        return self.model if isinstance(self.model, kind) else None

    def find_part(self, name: str, kind: type[Part]) -> Part | None:
        """A part of the learned site; None if there is no such part.

        Raises
        ------
        ArchiveError
            The part was read from a file and is damaged.
        """
        return self.site.part(name, kind) if self.site else None

    def part(self, name: str, kind: type[Part]) -> Part:
        """A part of the learned site that a method requires.

        Raises
        ------
        MissingSiteError
            No site is given, or it was learned without this part.
        ArchiveError
            The part was read from a file and is damaged.
        """
        if self.site is None:
            raise MissingSiteError(
                f"the method {name} needs a learned site: learn one from its pages"
            )
        part = self.find_part(name, kind)
        if part is None:
            raise MissingSiteError(
                f"the site has no data for the method {name}: learn the site again"
            )
        return part
