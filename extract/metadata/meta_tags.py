"""Findings in meta elements (OpenGraph, Dublin Core and others) and in the canonical link."""

from __future__ import annotations

from collections.abc import Iterator

from .finding import Finding, Scene, declared_text, tidy
from .names import has_by

__all__ = ["meta_findings"]

KEYS: dict[str, dict[str, float]] = {
    "title": {
        "og:title": 5, "twitter:title": 2, "parsely-title": 2, "sailthru.title": 2,
        "dc.title": 3, "dcterms.title": 3, "citation_title": 6, "headline": 3, "title": 2,
    },
    "authors": {
        "author": 7, "citation_author": 7, "article:author": 6, "parsely-author": 6.5,
        "sailthru.author": 6.5, "dc.creator": 6, "dcterms.creator": 6, "dc.contributor": 4,
        "byl": 6, "cxenseparse:author": 6, "article:author_name": 6, "og:author": 5,
        "twitter:creator": 2, "creator": 5, "article.author": 6, "authors": 5,
    },
    "date": {
        "article:published_time": 9, "og:article:published_time": 9, "article:published": 8,
        "datepublished": 8, "citation_publication_date": 6, "citation_date": 5,
        "dc.date.issued": 7, "dcterms.issued": 7, "dc.date.created": 6, "dcterms.created": 6,
        "dcterms.date": 5, "dc.date": 5, "parsely-pub-date": 7, "sailthru.date": 7,
        "pubdate": 7, "publishdate": 7, "publish-date": 7, "publish_date": 7, "published": 6,
        "publication_date": 7, "cxenseparse:publishtime": 7, "cxenseparse:recs:publishtime": 7,
        "article_date_original": 7, "originalpublicationdate": 7, "og:pubdate": 6,
        "og:published_time": 7, "datecreated": 4, "date": 5, "article:created": 4,
        "article.published": 7, "release_date": 5, "article.created": 4, "vr:published_time": 6,
    },
    "modified": {
        "article:modified_time": 9, "og:article:modified_time": 9, "datemodified": 8,
        "dcterms.modified": 7, "dc.date.modified": 7, "article.updated": 6, "lastmod": 5,
        "og:updated_time": 6, "last-modified": 5, "article:modified": 8,
    },
    "site_name": {
        "og:site_name": 9, "application-name": 4, "dc.publisher": 2, "publisher": 1.5,
        "apple-mobile-web-app-title": 1, "citation_journal_title": 2,
    },
    "image": {
        "og:image": 11, "og:image:secure_url": 10.5, "og:image:url": 10.5, "twitter:image": 9,
        "twitter:image:src": 9, "sailthru.image.full": 4, "thumbnail": 3, "image": 2,
        "parsely-image-url": 3, "thumbnailurl": 3,
    },
    "tags": {
        "article:tag": 11, "news_keywords": 7, "parsely-tags": 5, "sailthru.tags": 5,
        "keywords": 4, "og:article:tag": 8, "citation_keywords": 5, "dc.subject": 3,
    },
    "section": {
        "article:section": 11, "og:article:section": 9, "parsely-section": 6, "section": 4,
        "category": 3,
    },
    "description": {
        "og:description": 11, "description": 10.5, "twitter:description": 9,
        "dc.description": 5, "sailthru.description": 5,
    },
    "language": {"content-language": 3, "og:locale": 2, "dc.language": 3, "language": 2},
    "tier": {"article:content_tier": 5},
    "url": {"og:url": 6},
}  # fmt: skip
"""Names of meta elements by field, each with its weight."""

FIELDS: dict[str, tuple[str, float]] = {
    key: (field, weight) for field, keys in KEYS.items() for key, weight in keys.items()
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
            yield Finding("url", (tidy(href),), "link rel=canonical", 9)
            return


def _known_fields(key: str, values: list[str]) -> Iterator[Finding]:
    field, weight = FIELDS[key]
    if field == "tags":
        values = [tag.strip() for value in values for tag in value.split(",") if tag.strip()]
    kept = tuple(values if field in MANY else values[:1])
    if kept:
        yield Finding(field, kept, f"meta {key}", weight)


def _cards(contents: dict[str, list[str]]) -> Iterator[Finding]:
    """Authors in the labels and values of Twitter cards, such as "Written by", "Jane Doe"."""
    for number in "1234":
        labels, data = contents.get(f"twitter:label{number}"), contents.get(f"twitter:data{number}")
        if labels and data and has_by(labels[0].rstrip(": ")):
            yield Finding("authors", (data[0],), f"meta twitter:data{number}", 6.2)
