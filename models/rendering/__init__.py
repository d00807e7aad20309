"""Whether a page has to be rendered."""
