"""Web archives: the exchanges of pages, written, read and looked up."""
