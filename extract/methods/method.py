"""`Method`: an extraction method with its requirements and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from ...names import unknown_name

if TYPE_CHECKING:
    from ...models.site_parts import SitePart
    from ...renderer.snapshot import Snapshot
    from .learned import Learned
    from .selection import Selection

__all__ = ["GROUPS", "Group", "Method"]

Group = Literal["recommended", "from the sources", "research baselines", "extensions"]

GROUPS: tuple[Group, ...] = get_args(Group)
"""Groups of methods, in the order of the listing."""


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
    group: Group = "extensions"
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
        options = self.options
        for item in text.split(":"):
            name, separator, value = item.strip().partition("=")
            if not separator and name in self.variants:
                options = self.variants[name]
            else:
                options = replace(
                    options, **{name: self._value(name, value if separator else "true")}
                )
        return replace(self, options=options)

    def _value(self, name: str, text: str) -> bool | float | str:
        default = self._settable().get(name)
        if default is None:
            names = list(dict.fromkeys([*self.variants, *self._settable()]))
            raise ValueError(unknown_name("option", name, names) if names else "it has no options")
        try:
            return _parse(text, type(default), get_type_hints(type(self.options))[name])
        except (KeyError, ValueError, OverflowError):
            raise ValueError(f"invalid value {text!r} for the option {name}") from None

    def _settable(self) -> dict[str, bool | float | str]:
        """Options that can be given as text, with their defaults."""
        if self.options is None:
            return {}
        defaults = {each.name: getattr(self.options, each.name) for each in fields(self.options)}
        return {
            name: value for name, value in defaults.items() if isinstance(value, int | float | str)
        }


def _parse(text: str, kind: type, hint: Any) -> bool | float | str:
    if get_origin(hint) is Literal and text not in get_args(hint):
        raise ValueError
    if kind is bool:
        return {"true": True, "false": False}[text]
    value = kind(text)
    if kind is float and not isfinite(value):
        raise ValueError
    return value
