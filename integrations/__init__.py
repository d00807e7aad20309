"""Miolo inside other frameworks, one module for each; every one needs its framework installed."""
