"""Crawls of one site: batches whose pages are discovered during the run."""
