"""What the article model sees of a page: its blocks and their features."""
