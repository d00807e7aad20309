"""Distances between ordered labelled trees, and the data structures behind them."""
