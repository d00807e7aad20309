"""`Metadata`: data about an article, apart from its body, and values that are computed later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Metadata:
    """Metadata of an article. A field without a reliable source is empty."""

    title: str = ""
    """Headline without the name of the site."""
    authors: tuple[str, ...] = ()
    """Names, in the page's order."""
    date: str | None = None
    modified: str | None = None
    """Times of publication and of the last change: ISO 8601, with time and time zone if they are
    given."""
    language: str = ""
    """Code of the language of the text, or the declared language if the text is too short for
    detection."""
    declared_language: str = ""
    """BCP 47 tag that the page declares."""
    site_name: str | None = None
    """Name of the publication."""
    image: str | None = None
    """Address of the article's picture."""
    tags: tuple[str, ...] = ()
    """Keywords, in the page's order."""
    section: str | None = None
    """Section of the publication."""
    description: str | None = None
    """Standfirst or summary."""
    paywalled: bool | None = None
    """Whether the page declares that it is behind a paywall; None if it declares nothing."""
    truncated: bool | None = None
    """Whether the body is clearly shorter than the length that the page declares; None if it
    declares no length."""
    canonical_url: str | None = None
    provenance: dict[str, str] = field(default_factory=dict)
    """For each filled field, where it was found."""
    field_confidence: dict[str, float] = field(default_factory=dict)
    """Probability that the value of a field is right, for the fields that are ranked: ``title``,
    ``authors`` and ``date``."""


class Deferred(Generic[T]):
    """A value that is computed when it is first used.

    `compute`: Function of no arguments. Once it has been called, nothing that it refers to is kept.
    `parts`: Functions that compute attributes of the value which are known sooner.
    """

    _value: T

    def __init__(self, compute: Callable[[], T], **parts: Callable[[], Any]) -> None:
        self._compute: Callable[[], T] | None = compute
        self._parts = parts

    def part(self, name: str) -> Any:
        """An attribute of the value."""
        if self._compute is not None and (part := self._parts.get(name)):
            return part()
        return getattr(self.value, name)

    @property
    def value(self) -> T:
        """The value."""
        compute = self._compute
        if compute is not None:
            # Another thread may compute it as well, but never sees it missing.
            self._value = compute()
            self._compute, self._parts = None, {}
        return self._value

    def __reduce__(self) -> tuple[Any, ...]:
        return known, (self.value,)


def known(value: T) -> Deferred[T]:
    """A value that has been computed already."""
    deferred = Deferred(lambda: value)
    _ = deferred.value
    return deferred
