"""Distances of trees besides the top-down distance of Miolo."""
