"""Kinds of pages."""
