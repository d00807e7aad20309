"""Findings in meta elements (OpenGraph, Dublin Core and others) and in the canonical link."""

from __future__ import annotations

from collections.abc import Iterator

from .finding import Finding, Scene, declared_text, tidy
from .names import has_by

JSON_LD, MICRODATA = "JSON-LD", "itemprop"

KEYS: dict[str, tuple[str, ...]] = {
    "title": (
        "citation_title", "og:title", "dc.title", "dcterms.title", "headline", "twitter:title",
        "parsely-title", "sailthru.title", "title",
    ),
    "authors": (
        "author", "citation_author", "parsely-author", "sailthru.author", "article:author",
        "dc.creator", "dcterms.creator", "byl", "cxenseparse:author", "article:author_name",
        "article.author", "og:author", "creator", "authors", "dc.contributor", "twitter:creator",
    ),
    "date": (
        "article:published_time", "og:article:published_time", "article:published",
        "datepublished", "dc.date.issued", "dcterms.issued", "parsely-pub-date", "sailthru.date",
        "pubdate", "publishdate", "publish-date", "publish_date", "publication_date",
        "cxenseparse:publishtime", "cxenseparse:recs:publishtime", "article_date_original",
        "originalpublicationdate", "og:published_time", "article.published",
        "citation_publication_date", "dc.date.created", "dcterms.created", "published",
        "og:pubdate", "vr:published_time", "citation_date", "dcterms.date", "dc.date", "date",
        "release_date", "datecreated", "article:created", "article.created",
    ),
    "modified": (
        JSON_LD, "article:modified_time", "og:article:modified_time", "datemodified",
        "article:modified", MICRODATA, "dcterms.modified", "dc.date.modified", "article.updated",
        "og:updated_time", "lastmod", "last-modified",
    ),
    "site_name": (
        "og:site_name", JSON_LD, "application-name", "dc.publisher", "citation_journal_title",
        "publisher", "apple-mobile-web-app-title",
    ),
    "image": (
        "og:image", "og:image:secure_url", "og:image:url", JSON_LD, "twitter:image",
        "twitter:image:src", "sailthru.image.full", "thumbnail", "parsely-image-url",
        "thumbnailurl", "image",
    ),
    "tags": (
        "article:tag", JSON_LD, "og:article:tag", "news_keywords", "parsely-tags",
        "sailthru.tags", "citation_keywords", "keywords", "dc.subject", MICRODATA,
    ),
    "section": (
        "article:section", JSON_LD, "og:article:section", "parsely-section", MICRODATA,
        "section", "category",
    ),
    "description": (
        "og:description", "description", JSON_LD, "twitter:description", "dc.description",
        "sailthru.description",
    ),
    "language": (
        "html", JSON_LD, MICRODATA, "content-language", "dc.language", "language", "og:locale",
    ),
    "tier": ("article:content_tier",),
    "free": (JSON_LD, MICRODATA),
    "url": ("link", "og:url", JSON_LD),
}  # fmt: skip
"""Names of meta elements and other sources by field, the most specific first.

The first usable source of a field counts, except for title, authors and date, which are ranked.
"""

FIELDS = {
    key: field for field, keys in KEYS.items() for key in keys if key not in (JSON_LD, MICRODATA)
}
MANY = frozenset(("authors", "tags"))


def meta_findings(scene: Scene) -> Iterator[Finding]:
    """Findings in meta elements, in the page's order, and in ``<link rel="canonical">``."""
    contents: dict[str, list[str]] = {}
    for name, content in scene.snapshot.page.meta:
        key = name.strip().lower()
        if key in FIELDS or key.startswith(("twitter:label", "twitter:data")):
            text = declared_text(content)
            if text:
                contents.setdefault(key, []).append(text)
    for key, values in contents.items():
        if key in FIELDS:
            yield from _known_fields(key, values)
    yield from _cards(contents)
    for node, rel in scene.with_attribute("rel"):
        href = scene.snapshot.attributes.get(node, "href")
        if href and rel.strip().lower() == "canonical":
            yield Finding("url", (tidy(href),), "link rel=canonical")
            return


def precedence(finding: Finding) -> int:
    """Place of a finding's source among those of its field; unknown sources are last."""
    kind, name = finding.source_name
    keys = KEYS.get(finding.field, ())
    key = name if kind == "meta" else MICRODATA if kind == "property" else kind
    return keys.index(key) if key in keys else len(keys)


def _known_fields(key: str, values: list[str]) -> Iterator[Finding]:
    field = FIELDS[key]
    if field == "tags":
        values = [tag.strip() for value in values for tag in value.split(",") if tag.strip()]
    kept = tuple(values if field in MANY else values[:1])
    if kept:
        yield Finding(field, kept, f"meta {key}")


def _cards(contents: dict[str, list[str]]) -> Iterator[Finding]:
    """Authors in the labels and values of Twitter cards, such as "Written by", "Jane Doe"."""
    for number in "1234":
        labels, data = contents.get(f"twitter:label{number}"), contents.get(f"twitter:data{number}")
        if labels and data and has_by(labels[0].rstrip(": ")):
            yield Finding("authors", (data[0],), f"meta twitter:data{number}")
