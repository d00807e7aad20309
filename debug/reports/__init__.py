"""Pictures and self-contained HTML reports."""
