"""Metadata of a page: every field from its most trusted source, with its provenance."""

from __future__ import annotations

from .describing import Description, describe
from .finding import RoleText
from .posts import Entries, find_entries, find_posts, find_thread, signing_nodes

__all__ = [
    "Description",
    "Entries",
    "RoleText",
    "describe",
    "find_entries",
    "find_posts",
    "find_thread",
    "signing_nodes",
]
