"""What a method may know beside the page itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from ...errors import SiteNeeded
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
        A template model to use in place of the one that comes with the package.
    """

    site: Site | None = None
    model: TemplateModel | None = None

    def part(self, name: str, kind: type[Part]) -> Part:
        """What a method has learned from the page's site.

        Raises
        ------
        SiteNeeded
            No site is given, or it was learned without this part.
        """
        if self.site is None:
            raise SiteNeeded(f"the method {name} needs a site: learn one from its pages")
        part = self.site.parts.get(name)
        if not isinstance(part, kind):
            raise SiteNeeded(f"the site was learned without what {name} needs; learn it again")
        return part
