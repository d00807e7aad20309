"""URL or HTML to `Snapshot`: the only place that knows Playwright and Chromium."""
