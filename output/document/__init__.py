"""The article as a tree of blocks and inlines, and how it is built from the nodes of a page."""
