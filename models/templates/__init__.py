"""Template detection, across the pages of a site and on a single page."""
