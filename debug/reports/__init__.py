"""Self-contained HTML reports on pages, pairs of pages and sites."""
