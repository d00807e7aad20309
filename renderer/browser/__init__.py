"""Chromium: started, kept within bounds, sent to pages, captured."""
