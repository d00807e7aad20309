"""What a method may know beside the page itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from ...errors import MissingSiteError
from ...models.article.model import Reader
from ...models.article.roles import DEFAULT_PRESET, PRESETS
from ...models.site import Site
from ...models.templates.model import TemplateModel

__all__ = ["Learned"]

Part = TypeVar("Part")


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
    model: TemplateModel | Reader | None = None
    text: frozenset[str] = PRESETS[DEFAULT_PRESET]

    @property
    def template_model(self) -> TemplateModel | None:
        """The model, if it is a template model."""
        return self.model if isinstance(self.model, TemplateModel) else None

    @property
    def reader(self) -> Reader | None:
        """The model, if it is a reader."""
        return self.model if isinstance(self.model, Reader) else None

    def part(self, name: str, kind: type[Part]) -> Part:
        """What a method has learned from the page's site.

        Raises
        ------
        MissingSiteError
            No site is given, or it was learned without this part.
        """
        if self.site is None:
            raise MissingSiteError(f"the method {name} needs a site: learn one from its pages")
        part = self.site.parts.get(name)
        if not isinstance(part, kind):
            raise MissingSiteError(
                f"the site was learned without what {name} needs; learn it again"
            )
        return part
