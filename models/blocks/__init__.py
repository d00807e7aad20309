"""Blocks of a page, judged by what is in them and by where else they are."""
