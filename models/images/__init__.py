"""Images of a page."""
