"""Evaluation of extraction systems on pages with a known article."""
