"""Blocks of a page, judged by their content and by their repetition on other pages."""
