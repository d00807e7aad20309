"""Metadata of a page: every field from its most trusted source, with its provenance."""

from __future__ import annotations

from .describing import describe
from .finding import RoleText
from .metadata import Metadata
from .posts import find_posts, find_thread

__all__ = ["Metadata", "RoleText", "describe", "find_posts", "find_thread"]
