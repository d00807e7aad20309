"""Metadata of a page: every field from its most trusted source, with its provenance."""

from __future__ import annotations

from .describing import describe
from .finding import RoleText
from .metadata import Metadata
from .posts import Entries, find_entries, find_posts, find_thread

__all__ = [
    "Entries",
    "Metadata",
    "RoleText",
    "describe",
    "find_entries",
    "find_posts",
    "find_thread",
]
