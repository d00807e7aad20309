"""Pagelets: regions of a page that no other page of its site has."""
