"""Pages of one template to a pattern, and a page to what varies in it."""
