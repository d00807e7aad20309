"""BTE: the segment of a page with the most words and the fewest tags."""
