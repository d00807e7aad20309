"""Crawls of one site: a batch whose pages are found on the way."""
