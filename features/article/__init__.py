"""Features of a page's blocks, the input of the article model."""
