"""What is template: over the pages of a site, and on a page seen alone."""
