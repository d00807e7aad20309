"""Web archives: the requests of pages and their responses, written, read and replayed."""
