"""Metadata of a page: every field from its most trusted source, with its provenance."""
