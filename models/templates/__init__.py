"""Template detection: over the pages of a site, and on a single page."""
