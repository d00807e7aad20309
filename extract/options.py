"""`ExtractOptions`: how the article of a page is extracted, in one frozen object."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from ..models.article.roles import DEFAULT_PRESET, role_set
from ..names import check_type
from ..renderer.option_kinds import SCOPE
from .methods.registry import DEFAULT_METHOD, find_method, grouped_methods

if TYPE_CHECKING:
    from ..models.site import Site
    from ..renderer.options import RenderOptions
    from ..renderer.page.snapshot import Snapshot

LearnedSite: TypeAlias = "Site | Callable[[Snapshot], Site | None] | None"
"""A learned site, or a function of the snapshot that returns it, such as a `SiteFolder`."""


@dataclass(frozen=True)
class ExtractOptions:
    """How the article of a page is extracted. The values are checked when it is created.

    Raises
    ------
    UnknownMethodError
        There is no method of this name, or it has no such option.
    UnknownRoleError
        There is no preset or role of this name, or no role remains.
    ValueError
        A text in `within` or `without` is neither a CSS selector nor an XPath.
    TypeError
        A value has a wrong type, or no method accepts a model of this type.
    """

    method: str = DEFAULT_METHOD
    """Name of a method, with options such as ``"nce:literal"``; see `METHODS`."""
    preset: str = DEFAULT_PRESET
    """Which roles count as the text, for a method that has roles: ``"article"``, ``"body"``
    (without the standfirst) or ``"everything"`` (all that is written for the page)."""
    include: Collection[str] = ()
    exclude: Collection[str] = ()
    """Roles to add to the preset, and roles to remove from it, such as ``["caption"]``."""
    site: LearnedSite = None
    """The result of `learn_site` for the page's site; or a function of the snapshot that returns
    it, such as a `SiteFolder`. Some methods need it."""
    model: Any = None
    """A custom model, for a method that accepts its type; see `Method.model_type`."""
    within: Collection[str] = ()
    without: Collection[str] = ()
    """CSS selectors or XPaths of the elements that the text comes from, for every method; and of
    elements inside them that it does not come from. Roles still decide about the blocks. The
    metadata are those of the whole page."""

    def __post_init__(self) -> None:
        find_method(self.method)
        role_set(self.preset, self.include, self.exclude)
        object.__setattr__(self, "include", tuple(self.include))
        object.__setattr__(self, "exclude", tuple(self.exclude))
        for name in ("within", "without"):
            object.__setattr__(self, name, SCOPE.convert(getattr(self, name)))
        if self.site is not None and not callable(self.site):
            from ..models.site import Site

            check_type("a site", self.site, Site)
        if self.model is not None:
            known = (each for group in grouped_methods().values() for each in group.values())
            types = {each.model_type for each in known if each.model_type}
            check_type("a model", self.model, *types)

    @cached_property
    def roles(self) -> frozenset[str]:
        """Roles that count as the text."""
        return role_set(self.preset, self.include, self.exclude)

    def with_scope(self, render: RenderOptions) -> ExtractOptions:
        """These options, with the scope of rendering options for what they do not say."""
        within, without = self.within or render.within, self.without or render.without
        if (within, without) == (self.within, self.without):
            return self
        return replace(self, within=within, without=without)

    def site_of(self, snapshot: Snapshot) -> Site | None:
        """The learned site of a page."""
        return self.site(snapshot) if callable(self.site) else self.site
