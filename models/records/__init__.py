"""The lists of a page, and the parts of their entries."""
