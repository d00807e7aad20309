"""`Method`: an extraction method with its requirements, options, and what it learns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import MissingSiteError
from ...extensions import set_options
from ...models.article.roles import DEFAULT_PRESET, PRESETS

if TYPE_CHECKING:
    from ...models.site import Site
    from ...models.site_parts import SitePart
    from ...renderer.page.snapshot import Snapshot
    from .selection import Selection

TITLES = "titles"
"""Name of the part of a site that contains the titles declared by its pages."""

Part = TypeVar("Part", bound="SitePart")
Model = TypeVar("Model")


@dataclass(frozen=True)
class Method:
    """One extraction method."""

    run: Callable[[Snapshot, Learned, Any], Selection]
    """Function of snapshot, `Learned` and `options` that returns a `Selection`."""
    about: str
    """Description in one line."""
    group: str = "extensions"
    """Group in lists of methods."""
    options: Any = None
    """Frozen dataclass with the parameters and their defaults; None for a method without
    parameters. Fields that are booleans, numbers or strings can be set by name, as in
    ``"nce:max_distance=3"``."""
    variants: Mapping[str, Any] = field(default_factory=dict)
    """Named alternatives to `options`, as in ``"nce:literal"``."""
    needs_site: bool = False
    """Whether a site is required."""
    uses_site: bool = False
    """Whether a site is used if it is given."""
    site_parts: Mapping[str, Callable[[Any], SitePart]] = field(default_factory=dict)
    """Parts that the method adds to a `Site`: for each name, a function that creates an empty part.
    The function is called with a custom reader or None."""
    model_type: type[Any] | None = None
    """Class of the models that it accepts, with a class method ``load``; None if it accepts
    none."""
    article_only: bool = True
    """Whether pages of other kinds get a warning."""

    def select(self, snapshot: Snapshot, learned: Learned) -> Selection:
        """Select the nodes of a page."""
        return self.run(snapshot, learned, self.options)

    def with_options(self, text: str) -> Method:
        """The method with other options.

        `text`: Names of variants and of Boolean fields, and ``field=value`` for other fields,
        separated by colons. A variant replaces all options before it.

        Raises
        ------
        ValueError
            There is no such option, or it does not accept the value.
        """
        return replace(self, options=set_options(self.options, self.variants, text))


@dataclass(frozen=True)
class Learned:
    """Learned site, model and roles, each of which some methods use."""

    site: Site | None = None
    """The result of `learn_site` for the site of the page."""
    model: Any = None
    """A model to use in place of the shipped one, for methods that accept its type."""
    text: frozenset[str] = PRESETS[DEFAULT_PRESET]
    """Roles that count as the text, for methods that know roles."""
    notes: bool = True
    """Whether footnotes whose marks are in the text count as text."""

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
