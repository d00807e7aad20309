"""Fixtures of Miolo's own tests: the local news site, and a renderer for its pages."""

pytest_plugins = ["stage", "extraction_fixtures"]
