"""`Method`: an extraction method with its requirements and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ...extensions import set_options

if TYPE_CHECKING:
    from ...models.site_parts import SitePart
    from ...renderer.page.snapshot import Snapshot
    from .learned import Learned
    from .selection import Selection

__all__ = ["Method"]


@dataclass(frozen=True)
class Method:
    """One extraction method.

    Attributes
    ----------
    run
        Function of snapshot, `Learned` and `options` that returns a `Selection`.
    about
        Description in one line.
    group
        Group in lists of methods.
    options
        Frozen dataclass with the parameters and their defaults; None for a method without
        parameters. Fields that are booleans, numbers or strings can be set by name, as in
        ``"nce:max_distance=3"``.
    variants
        Named alternatives to `options`, as in ``"nce:literal"``.
    needs_site
        Whether a site is required.
    uses_site
        Whether a site is used if it is given.
    site_parts
        Parts that the method adds to a `Site`: for each name, a function that creates an empty
        part. The function is called with a custom reader or None.
    model_type
        Class of the models that it accepts, with a class method ``load``; None if it accepts none.
    article_only
        Whether pages of other kinds get a warning.
    """

    run: Callable[[Snapshot, Learned, Any], Selection]
    about: str
    group: str = "extensions"
    options: Any = None
    variants: Mapping[str, Any] = field(default_factory=dict)
    needs_site: bool = False
    uses_site: bool = False
    site_parts: Mapping[str, Callable[[Any], SitePart]] = field(default_factory=dict)
    model_type: type[Any] | None = None
    article_only: bool = True

    def select(self, snapshot: Snapshot, learned: Learned) -> Selection:
        """Select the nodes of a page."""
        return self.run(snapshot, learned, self.options)

    def with_options(self, text: str) -> Method:
        """The method with other options.

        Parameters
        ----------
        text
            Names of variants and of Boolean fields, and ``field=value`` for other fields,
            separated by colons. A variant replaces all options before it.

        Raises
        ------
        ValueError
            There is no such option, or it does not accept the value.
        """
        return replace(self, options=set_options(self.options, self.variants, text))
