"""What the page declares of itself: authors, date, site name, picture, language."""

from __future__ import annotations

from ..renderer.snapshot import Snapshot

__all__ = ["declared"]

FIELDS = {
    "authors": ("author", "article:author"),
    "date": ("article:published_time", "datepublished", "date"),
    "site_name": ("og:site_name", "application-name"),
    "image": ("og:image", "twitter:image"),
}
"""Meta elements that fill a field, the more telling first."""


def declared(snapshot: Snapshot) -> tuple[dict[str, object], dict[str, str]]:
    """Fields that the page declares, and where each was found."""
    page = snapshot.page
    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    for name, keys in FIELDS.items():
        for key in keys:
            value = page.meta_value(key)
            if value:
                # A profile's address is not a name.
                if name == "authors" and value.startswith(("http://", "https://")):
                    continue
                values[name] = (value,) if name == "authors" else value
                sources[name] = f"meta {key}"
                break
    if page.language:
        values["language"], sources["language"] = page.language, "html lang"
    return values, sources
