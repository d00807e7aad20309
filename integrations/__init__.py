"""Integrations with other frameworks; each module needs its framework to be installed."""
