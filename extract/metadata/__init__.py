"""Metadata of a page: every field from its most trusted voice, with its provenance."""

from __future__ import annotations

from .describing import describe
from .metadata import Metadata

__all__ = ["Metadata", "describe"]
