"""Snapshot to `Extraction`: methods, outputs, command line."""
