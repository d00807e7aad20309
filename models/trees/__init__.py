"""Distances between ordered labelled trees, and what they stand on."""
