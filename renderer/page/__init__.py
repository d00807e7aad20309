"""`Snapshot`, one page as arrays: from HTML, MHTML or a file, and what its tree and markup mean."""
