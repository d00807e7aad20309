"""The probability that the text of a page is right."""
