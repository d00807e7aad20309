"""The site style tree: what the pages of a site present alike."""
