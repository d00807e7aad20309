"""What a method may know beside the page itself."""

from __future__ import annotations

from dataclasses import dataclass

from ...models.site import Site
from ...models.templates.model import TemplateModel

__all__ = ["Learned"]


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
