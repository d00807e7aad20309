"""Comparison of two pages."""
