"""Wrapper induction: patterns learned from pages of one template, and extraction with them."""
