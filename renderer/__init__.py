"""URL or HTML to `Snapshot`: the only package that uses Playwright and Chromium."""
