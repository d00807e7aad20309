"""Blocks of a page, classified by their content and by their repetition on other pages."""
