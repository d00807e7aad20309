"""`Metadata`: what is known of an article beside its body."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Metadata"]


@dataclass(frozen=True)
class Metadata:
    """What a page says of its article. Empty beats a guess.

    Attributes
    ----------
    title
        Headline without the site's name.
    authors
        Names, in the page's order.
    date, modified
        When it was published and last changed: ISO 8601, with time and time zone where they
        are given.
    language
        Code of the language that the text is written in; with too little text to tell, of the
        language that the page declares.
    declared_language
        BCP 47 tag that the page declares.
    site_name
        Of the publication.
    image
        Address of the article's picture.
    tags
        Keywords, in the page's order.
    section
        Of the publication.
    description
        Standfirst or summary.
    paywalled
        Whether the page says that one pays for it; None where it says nothing.
    truncated
        Whether the body is clearly shorter than the page says the article is; None where it
        says no length.
    url
        The article's own address, as the page gives it.
    provenance
        For each filled field, where it was found.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    date: str | None = None
    modified: str | None = None
    language: str = ""
    declared_language: str = ""
    site_name: str | None = None
    image: str | None = None
    tags: tuple[str, ...] = ()
    section: str | None = None
    description: str | None = None
    paywalled: bool | None = None
    truncated: bool | None = None
    url: str | None = None
    provenance: dict[str, str] = field(default_factory=dict)
