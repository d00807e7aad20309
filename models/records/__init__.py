"""The lists of records on a page, and the fields of each record."""
