"""What the report tells of the page as a whole."""

from __future__ import annotations

from ...output.extraction import Extraction
from ...renderer.snapshot import Snapshot

__all__ = ["page_facts", "page_fields"]


def page_facts(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Name and value of what is known of the page."""
    page = snapshot.page
    facts = {
        "Address": page.url,
        "Asked for": page.requested_url if page.requested_url != page.url else "",
        "HTTP status": str(page.status or ""),
        "Title element": page.title,
        "Language": page.language,
        "Viewport": "{} × {} px".format(*page.viewport) if page.has_geometry else "",
        "Page": "{:,} × {:,} px".format(*page.page_size) if page.has_geometry else "",
        "Nodes": f"{len(snapshot):,}",
        "Documents": f"{len(snapshot.frames):,}",
        "Captured": page.time,
        "Content": page.content_hash,
    }
    return [(name, value) for name, value in facts.items() if value]


def page_fields(extraction: Extraction) -> list[tuple[str, str, str]]:
    """Name, value and source of each field that is filled."""
    values = {
        "title": extraction.title,
        "kind": _kind(extraction),
        "authors": ", ".join(extraction.authors),
        "date": extraction.date or "",
        "modified": extraction.modified or "",
        "language": extraction.language,
        "site_name": extraction.site_name or "",
        "section": extraction.section or "",
        "tags": ", ".join(extraction.tags),
        "description": extraction.description or "",
        "image": extraction.image or "",
        "canonical_url": extraction.canonical_url or "",
        "paywalled": _yes_or_no(extraction.paywalled),
        "truncated": _yes_or_no(extraction.truncated),
    }
    return [
        (name, value, extraction.provenance.get(name, ""))
        for name, value in values.items()
        if value
    ]


def _kind(extraction: Extraction) -> str:
    return extraction.kind and f"{extraction.kind} ({extraction.kind_probability:.2f})"


def _yes_or_no(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"
