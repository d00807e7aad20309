"""Web archives: what a page's requests were answered with, kept, written, read and replayed."""
